import { sortFields } from '../../../core/contract/sort-fields.ts';
import type { RoCrateEntity } from '../../../core/contract/artifact.ts';
import type { Database, ColumnValue } from '../../store/database.ts';
import { insertInto, update } from '../../store/columns.ts';
import type { OfWorkflow } from '../../store/listing.ts';
import { presentFields, type RowOf } from '../present.ts';
import { recordTable } from '../records.ts';

type EntityRow = Omit<RowOf<RoCrateEntity>, 'metadata'> & { metadata: string };

const entityOf = ({ metadata, ...row }: EntityRow): RoCrateEntity => ({
  ...presentFields(row),
  metadata: JSON.parse(metadata) as RoCrateEntity['metadata'],
});

const changeable = ['file_id', 'entity_id', 'entity_type', 'metadata'];

export const entityQueries = (db: Database) => ({
  entities: recordTable<
    OfWorkflow & { readonly file_id?: number | undefined; readonly entity_id?: string | undefined },
    EntityRow,
    RoCrateEntity
  >(
    db,
    {
      table: 'ro_crate_entity',
      filters: { workflow_id: 'equal', file_id: 'equal', entity_id: 'equal' },
      sortable: sortFields.ro_crate_entity,
    },
    entityOf,
  ),
  insertEntity: db.prepare<Record<string, ColumnValue>>(insertInto('ro_crate_entity', ['workflow_id', ...changeable])),
  updateEntity: db.prepare<Record<string, ColumnValue>>(update('ro_crate_entity', changeable)),
  // Another entity with the same name, or the same file.
  sameEntity: db.prepare<Record<string, ColumnValue>, { entity_id: string }>(`
    select entity_id
    from ro_crate_entity
    where workflow_id = :workflow_id and id <> :id and (entity_id = :entity_id or file_id = :file_id)`),
  fileOfWorkflow: db.prepare<{ id: number; workflowId: number }, { id: number }>(
    'select id from file where id = :id and workflow_id = :workflowId',
  ),
});

export type EntityQueries = ReturnType<typeof entityQueries>;
