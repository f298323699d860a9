import type { NewRoCrateEntity, RoCrateEntity } from '../../../core/contract/artifact.ts';
import { Refusal } from '../../../core/contract/refusals.ts';
import { merged, type Partly, read } from '../records.ts';
import type { Store } from '../store.ts';
import type { EntityQueries } from './queries.ts';

/** Entities of the research object: one for a name, and one for a file, in a workflow. */
export const createEntity =
  ({ find }: Store, queries: EntityQueries) =>
  (body: NewRoCrateEntity): RoCrateEntity => {
    find.workflow(body.workflow_id);
    refuseSecond(queries, 0, body);
    return read(queries.entities, queries.insertEntity.insert(rowOf(body)));
  };

export const updateEntity =
  (queries: EntityQueries) =>
  (id: number, body: Partly<NewRoCrateEntity>): RoCrateEntity => {
    // It stays in its workflow regardless of the body: its file and its name are checked there.
    const after = merged<NewRoCrateEntity>(read(queries.entities, id), { ...body, workflow_id: undefined });
    refuseSecond(queries, id, after);
    queries.updateEntity.run({ ...rowOf(after), id });
    return read(queries.entities, id);
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
