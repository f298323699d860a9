import type { NewRoCrateEntity } from '../../../core/contract/artifact.ts';
import { Refusal } from '../../../core/contract/refusals.ts';
import type { Handlers } from '../../handlers.ts';
import { listByPath, merged, read, removeAll, removeRecord } from '../records.ts';
import type { Store } from '../store.ts';
import { type EntityQueries, entityQueries } from './queries.ts';

/** Entities of the research object: one for a name, and one for a file, in a workflow. */
export const entityHandlers = ({ db, find }: Store) => {
  const queries = entityQueries(db);
  const { entities } = queries;

  return {
    createRoCrateEntity({ body }) {
      find.workflow(body.workflow_id);
      refuseSecond(queries, 0, body);
      return read(entities, queries.insertEntity.insert(rowOf(body)));
    },
    getRoCrateEntity: ({ params }) => read(entities, params.id),
    updateRoCrateEntity({ params: { id }, body }) {
      // It stays in its workflow regardless of the body: its file and its name are checked there.
      const after = merged<NewRoCrateEntity>(read(entities, id), { ...body, workflow_id: undefined });
      refuseSecond(queries, id, after);
      queries.updateEntity.run({ ...rowOf(after), id });
      return read(entities, id);
    },
    deleteRoCrateEntity({ params: { id } }) {
      removeRecord(entities, id);
      return { message: 'RO-Crate entity deleted successfully' };
    },
    listRoCrateEntities: listByPath(find, entities.list),
    deleteRoCrateEntities({ params: { id } }) {
      const count = removeAll(find, entities, id);
      return { message: `Deleted ${count} RO-Crate entities`, deleted_count: count };
    },
  } satisfies Partial<Handlers>;
};

const rowOf = ({ workflow_id, file_id, entity_id, entity_type, metadata }: NewRoCrateEntity) => ({
  workflow_id,
  // 0 means no file: absent and null keep the link, so removing it needs another value.
  file_id: file_id === 0 ? null : (file_id ?? null),
  entity_id,
  entity_type,
  metadata: JSON.stringify(metadata),
});

function refuseSecond(queries: EntityQueries, id: number, entity: NewRoCrateEntity): void {
  const { workflow_id, file_id, entity_id } = rowOf(entity);
  if (file_id !== null && queries.fileOfWorkflow.get({ id: file_id, workflowId: workflow_id }) === undefined) {
    throw new Refusal('REFERENCE_UNKNOWN', `file_id ${file_id} is not a file of workflow ${workflow_id}`, {
      field: 'file_id',
      found: file_id,
    });
  }
  const other = queries.sameEntity.get({ id, workflow_id, file_id, entity_id });
  if (other === undefined) return;
  const link = other.entity_id === entity_id ? 'workflow/entity_id' : 'workflow/file';
  throw new Refusal('DUPLICATE', `RO-Crate entity already exists for this ${link} link`, { entity_id });
}
