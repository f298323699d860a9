import { statSync } from 'node:fs';
import type { Client } from '../../client/client.ts';
import { all } from '../../client/every.ts';
import type { RoCrateEntity } from '../../core/contract/artifact.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { attemptEntity } from '../../runner/attempt/crate/entities.ts';
import { type Dataset, datasetEntity, datasetId, withResult } from './dataset.ts';
import { type FolderFacts, folderFacts } from './folder.ts';

interface AddDatasetOptions extends Pick<
  Dataset,
  'name' | 'path' | 'hashMode' | 'description' | 'encodingFormat' | 'metadata'
> {
  /** The jobs that produced it. */
  readonly jobIds: readonly number[];
  /** Files that are read at once. */
  readonly together: number;
}

type Entity = Pick<RoCrateEntity, 'entity_id' | 'entity_type' | 'metadata'>;

/**
 * Describes a folder of this machine as a dataset of the research object of a workflow. An existing dataset is described
 * again. Throws `FILE_UNREADABLE` and `JOB_ELSEWHERE`, with nothing written.
 */
export async function addDataset(
  client: Client,
  workflowId: number,
  { jobIds, together, ...described }: AddDatasetOptions,
): Promise<{ readonly entity: RoCrateEntity; readonly facts: FolderFacts }> {
  const { path, hashMode } = described;
  refuseNoFolder(path);
  const attempts = await attemptsOf(client, workflowId, jobIds, datasetId(path));
  const facts = await folderFacts(path, hashMode, together).catch((cause: unknown) => {
    const message = `${path} cannot be read: ${(cause as Error).message}; nothing was written`;
    throw new Refusal('FILE_UNREADABLE', message, {}, { cause });
  });
  const dataset = datasetEntity({ ...described, facts, madeBy: attempts.map((attempt) => attempt.entity_id) });
  const entity = await put(client, workflowId, dataset, () => dataset.metadata);
  for (const attempt of attempts)
    await put(client, workflowId, attempt, ({ metadata }) => withResult(metadata, dataset.entity_id));
  return { entity, facts };
}

function refuseNoFolder(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new Refusal('FILE_UNREADABLE', `${path}: the folder does not exist`);
  if (!found.isDirectory()) throw new Refusal('FILE_UNREADABLE', `${path} is not a folder`);
}

/** The attempts of jobs that produced the dataset, described unless they already are. */
async function attemptsOf(
  client: Client,
  workflowId: number,
  jobIds: readonly number[],
  datasetId: string,
): Promise<Entity[]> {
  if (jobIds.length === 0) return [];
  const params = { id: workflowId };
  const { run_id: runId } = await client.getWorkflow({ params });
  const entities = await all((page) => client.listRoCrateEntities({ params, query: page }));
  const files = await all((page) => client.listFiles({ query: { workflow_id: workflowId, ...page } }));
  const named = new Map(entities.map(({ file_id: fileId, entity_id: name }) => [fileId, name]));
  const names = new Map(files.map(({ id, path }) => [id, named.get(id) ?? path]));
  const namesOf = (ids: readonly number[] | null | undefined) =>
    (ids ?? []).map((id) => names.get(id) ?? `#file-${id}`);
  const attempts: Entity[] = [];
  for (const jobId of new Set(jobIds)) {
    const job = await client.getJob({ params: { id: jobId } });
    if (job.workflow_id !== workflowId)
      throw new Refusal(
        'JOB_ELSEWHERE',
        `job ${jobId} belongs to workflow ${job.workflow_id}, not ${workflowId}; nothing was written`,
      );
    const query = { workflow_id: workflowId, job_id: jobId };
    const [result] = (await client.listResults({ query })).items;
    attempts.push(
      attemptEntity({
        runId: result?.run_id ?? runId ?? 0,
        jobId,
        attempt: result?.attempt_id ?? job.attempt_id ?? 1,
        name: job.name,
        endTime: result?.completion_time,
        inputs: namesOf(job.input_file_ids),
        outputs: [...namesOf(job.output_file_ids), datasetId],
      }),
    );
  }
  return attempts;
}

/** Stores an entity, or changes the metadata of the existing one with `change`; undefined keeps it. */
async function put(
  client: Client,
  workflowId: number,
  entity: Entity,
  change: (before: RoCrateEntity) => RoCrateEntity['metadata'] | undefined,
): Promise<RoCrateEntity> {
  const query = { entity_id: entity.entity_id, limit: 1 };
  const [before] = (await client.listRoCrateEntities({ params: { id: workflowId }, query })).items;
  if (before === undefined) return client.createRoCrateEntity({ body: { workflow_id: workflowId, ...entity } });
  const metadata = change(before);
  if (metadata === undefined) return before;
  return client.updateRoCrateEntity({ params: { id: before.id }, body: { ...before, metadata } });
}
