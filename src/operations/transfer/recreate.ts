import type { Client } from '../../client/client.ts';
import { BATCH, createJobsInOrder } from '../../client/create-jobs.ts';
import { createWhole } from '../../client/create-workflow.ts';
import type { Job } from '../../core/contract/job.ts';
import { relationNames } from '../../core/job/fields.ts';
import type { NewWorkflowAction, WorkflowAction } from '../../core/contract/scheduling.ts';
import type { Lists } from '../../core/lists/int-list.ts';
import type { Exported } from './document.ts';
import { type Ids, renamedEntity } from './entity-ids.ts';
import { recreateResults } from './results.ts';

export interface ImportOptions {
  readonly name: string | undefined;
  readonly user: string;
  readonly includesResults: boolean;
}

/**
 * Creates the workflow of a document with ids of this server, and returns its id. `levels` are its jobs in the order in
 * which they can be created.
 *
 * Jobs are uninitialized, and nothing has run; disabled jobs stay disabled. If anything is refused, or the connection
 * breaks, the incomplete workflow is deleted.
 */
export async function recreate(
  client: Client,
  document: Exported,
  levels: Lists,
  options: ImportOptions,
): Promise<number> {
  // A copy is not the workflow of the file.
  const body = {
    ...document.workflow,
    spec_file: undefined,
    name: options.name ?? document.workflow.name,
    user: options.user,
  };
  return createWhole(client, body, (id) => recreateRecords(client, document, levels, id, options));
}

async function recreateRecords(
  client: Client,
  document: Exported,
  levels: Lists,
  workflowId: number,
  options: ImportOptions,
): Promise<void> {
  const files = await inBatches(document.files, async (part) => {
    const body = { files: part.map((file) => ({ ...file, workflow_id: workflowId })) };
    return (await client.createFiles({ body })).files;
  });
  const userData = await inBatches(document.user_data, async (part) => {
    const body = { user_data: part.map((each) => ({ ...each, workflow_id: workflowId })) };
    return (await client.createUserDataList({ body })).user_data;
  });
  const requirements = await recreateRequirements(client, document, workflowId);
  const slurm = await oneByOne(document.slurm_schedulers, (each) =>
    client.createSlurmScheduler({ body: { ...each, workflow_id: workflowId } }),
  );
  const local = await oneByOne(document.local_schedulers, (each) =>
    client.createLocalScheduler({ body: { ...each, workflow_id: workflowId } }),
  );
  const handlers = await oneByOne(document.failure_handlers, (each) =>
    client.createFailureHandler({ body: { ...each, workflow_id: workflowId } }),
  );
  const ids = { workflowId, files, userData, requirements, slurm, local, handlers };
  const jobs = await recreateJobs(client, document.jobs, levels, ids);
  const renamed = renamedEntity({ jobs, files });
  for (const entity of document.ro_crate_entities)
    await client.createRoCrateEntity({
      body: { ...renamed(entity), workflow_id: workflowId, file_id: newId(files, entity.file_id) },
    });
  for (const action of document.workflow_actions)
    await client.createWorkflowAction({ params: { id: workflowId }, body: actionBody(action, ids, jobs) });
  if (options.includesResults) await recreateResults(client, document, workflowId, jobs);
}

interface RecordIds {
  readonly workflowId: number;
  readonly files: Ids;
  readonly userData: Ids;
  readonly requirements: Ids;
  readonly slurm: Ids;
  readonly local: Ids;
  readonly handlers: Ids;
}

/** The requirements of jobs that name none exist already, and get the exported values. */
async function recreateRequirements(client: Client, document: Exported, workflowId: number): Promise<Ids> {
  const { items } = await client.listResourceRequirements({ query: { workflow_id: workflowId, name: 'default' } });
  const ownDefault = items[0]?.id as number;
  return oneByOne(document.resource_requirements, (each) => {
    const body = { ...each, workflow_id: workflowId };
    return each.name === 'default'
      ? client.updateResourceRequirements({ params: { id: ownDefault }, body })
      : client.createResourceRequirements({ body });
  });
}

async function recreateJobs(client: Client, jobs: Exported['jobs'], levels: Lists, records: RecordIds): Promise<Ids> {
  const numbers = new Map(jobs.map(({ id }, number) => [id, number]));
  const created = await createJobsInOrder(client, {
    order: levels.items,
    jobOf: (number) => jobs[number] as Exported['jobs'][number],
    dependsOn: ({ depends_on_job_ids: others }) => (others ?? []).map((id) => numbers.get(id) as number),
    namesOf: (job) => relationNames.reduce((sum, list) => sum + (job[list]?.length ?? 0), 0),
    bodyOf: (job, earlier) => jobBody(job, records, earlier),
  });
  const ids = new Map(jobs.map(({ id }, number) => [id, created[number] as number]));
  for (const { id, name, command, status } of jobs) {
    if (status !== 'disabled') continue;
    await client.updateJob({
      params: { id: ids.get(id) as number },
      body: { workflow_id: records.workflowId, name, command, status },
    });
  }
  return ids;
}

function jobBody(job: Exported['jobs'][number], records: RecordIds, earlier: number[]): Job {
  const { workflowId, files, userData, requirements, slurm, handlers } = records;
  const all = (ids: Ids, given: readonly number[] | null | undefined) => given?.map((id) => ids.get(id) as number);
  return {
    ...job,
    workflow_id: workflowId,
    depends_on_job_ids: job.depends_on_job_ids && earlier,
    input_file_ids: all(files, job.input_file_ids),
    output_file_ids: all(files, job.output_file_ids),
    input_user_data_ids: all(userData, job.input_user_data_ids),
    output_user_data_ids: all(userData, job.output_user_data_ids),
    resource_requirements_id: newId(requirements, job.resource_requirements_id),
    scheduler_id: newId(slurm, job.scheduler_id),
    failure_handler_id: newId(handlers, job.failure_handler_id),
  };
}

/** An action before its execution. */
function actionBody(action: WorkflowAction, { workflowId, slurm, local }: RecordIds, jobs: Ids): NewWorkflowAction {
  const { trigger_type, action_type, persistent, is_recovery } = action;
  const config = action.action_config as { scheduler_id?: number; scheduler_type?: string };
  const schedulers = config.scheduler_type === 'local' ? local : slurm;
  const scheduler =
    config.scheduler_id === undefined ? {} : { scheduler_id: newId(schedulers, config.scheduler_id) ?? 0 };
  return {
    workflow_id: workflowId,
    trigger_type,
    action_type,
    persistent,
    is_recovery,
    action_config: { ...config, ...scheduler },
    job_ids: action.job_ids?.map((id) => jobs.get(id) as number),
  };
}

/**
 * The id of a record that another one may name; none for 0, and for a record that was deleted on the exporting server,
 * which Torc 1.0.0 permits for schedulers and failure handlers.
 */
const newId = (ids: Ids, id: number | null | undefined) => (id ? ids.get(id) : undefined);

/** Creates records a thousand at a time; `create` returns them in their order. */
async function inBatches<Row extends { readonly id: number }>(
  rows: readonly Row[],
  create: (part: readonly Row[]) => Promise<readonly { readonly id: number }[]>,
): Promise<Ids> {
  const ids = new Map<number, number>();
  for (let at = 0; at < rows.length; at += BATCH) {
    const part = rows.slice(at, at + BATCH);
    const created = await create(part);
    for (const [index, { id }] of part.entries()) ids.set(id, created[index]?.id as number);
  }
  return ids;
}

async function oneByOne<Row extends { readonly id: number }>(
  rows: readonly Row[],
  create: (row: Row) => Promise<{ readonly id: number }>,
): Promise<Ids> {
  const ids = new Map<number, number>();
  for (const row of rows) ids.set(row.id, (await create(row)).id);
  return ids;
}
