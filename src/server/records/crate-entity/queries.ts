import { sortFields } from '../../../core/contract/sort-fields.ts';
import type { RoCrateEntity } from '../../../core/contract/artifact.ts';
import type { Database, ColumnValue } from '../../store/database.ts';
import { insertInto, update } from '../../store/columns.ts';
import { createListing, equal, sortable } from '../../store/listing.ts';
import { presentFields, type RowOf } from '../present.ts';
import { whole } from '../records.ts';

type EntityRow = Omit<RowOf<RoCrateEntity>, 'metadata'> & { metadata: string };

const entityOf = ({ metadata, ...row }: EntityRow): RoCrateEntity => ({
  ...presentFields(row),
  metadata: JSON.parse(metadata) as RoCrateEntity['metadata'],
});

const changeable = ['file_id', 'entity_id', 'entity_type', 'metadata'];

export const entityQueries = (db: Database) => ({
  entities: whole(db, 'ro_crate_entity', entityOf),
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
  listEntities: createListing<
    { workflow_id?: number | undefined; file_id?: number | undefined; entity_id?: string | undefined },
    EntityRow,
    RoCrateEntity
  >(
    db,
    {
      columns: 'ro_crate_entity.*',
      from: 'ro_crate_entity',
      filters: equal('ro_crate_entity', 'workflow_id', 'file_id', 'entity_id'),
      sortable: sortable('ro_crate_entity', sortFields.ro_crate_entity),
      idColumn: 'id',
    },
    entityOf,
  ),
});

export type EntityQueries = ReturnType<typeof entityQueries>;
