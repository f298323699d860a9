import type { NewWorkflow } from '../core/contract/workflow.ts';
import {
  actionBody,
  handlerBody,
  type IdsOfPlan,
  jobBody,
  requirementsBody,
  schedulerBody,
  workflowBody,
} from '../core/workflow-file/plan/bodies.ts';
import type { Plan } from '../core/workflow-file/plan/plan.ts';
import type { Client } from './client.ts';
import { BATCH, createJobsInOrder } from './create-jobs.ts';

export interface CreateWorkflowOptions {
  readonly user: string;
  /** The absolute working directory of the user who submits; undefined for one in a browser. */
  readonly submissionDirectory: string | undefined;
  /** Monitors jobs in summary mode if the plan does not configure monitoring. */
  readonly monitorsJobs: boolean;
  /** The absolute path of the workflow file; undefined if there is none. */
  readonly specFile?: string | undefined;
  /** The modification time of a file in seconds; undefined if it does not exist. */
  readonly mtimeOf: (path: string) => Promise<number | undefined>;
  /** Called with the number of jobs created so far. */
  readonly onProgress?: (jobs: number) => void;
}

/**
 * Creates the workflow of a plan and returns its id.
 *
 * If anything is refused, or the connection breaks, the incomplete workflow is deleted.
 */
export async function createWorkflow(client: Client, plan: Plan, options: CreateWorkflowOptions): Promise<number> {
  return createWhole(client, workflowBody(plan, options), (id) => createRecords(client, plan, id, options));
}

/** The same for a user whose files are on other machines: a runner looks at them. */
export const createFromAfar = (
  client: Client,
  plan: Plan,
  options: Pick<CreateWorkflowOptions, 'user' | 'onProgress'>,
): Promise<number> =>
  createWorkflow(client, plan, {
    ...options,
    submissionDirectory: undefined,
    monitorsJobs: true,
    mtimeOf: () => Promise.resolve(undefined),
  });

/** Creates a workflow that counts as whole when its records are there; if they cannot be created, it is deleted. Returns its id. */
export async function createWhole(
  client: Client,
  body: NewWorkflow,
  createRecordsOf: (id: number) => Promise<void>,
): Promise<number> {
  const created = await client.createWorkflow({ body: { ...body, is_being_created: true } });
  const id = created.id;
  try {
    await createRecordsOf(id);
    // Torc's own server knows only whole workflows.
    if (created.is_being_created === true)
      await client.updateWorkflow({ params: { id }, body: { is_being_created: false } });
    return id;
  } catch (error) {
    await client.deleteWorkflow({ params: { id } }).catch(() => {});
    throw error;
  }
}

async function createRecords(
  client: Client,
  plan: Plan,
  workflowId: number,
  options: CreateWorkflowOptions,
): Promise<void> {
  const files = await createFiles(client, plan, workflowId, options);
  const userData = await createUserData(client, plan, workflowId);
  const requirements: number[] = [];
  for (const spec of plan.resourceRequirements) {
    const body = { workflow_id: workflowId, ...requirementsBody(spec) };
    requirements.push((await client.createResourceRequirements({ body })).id);
  }
  const schedulers: number[] = [];
  for (const spec of plan.slurmSchedulers) {
    const body = { workflow_id: workflowId, ...schedulerBody(spec) };
    schedulers.push(spec.name === undefined ? 0 : (await client.createSlurmScheduler({ body })).id);
  }
  const handlers: number[] = [];
  for (const handler of plan.failureHandlers) {
    const body = { workflow_id: workflowId, ...handlerBody(handler) };
    handlers.push((await client.createFailureHandler({ body })).id);
  }
  const records = { files, userData, requirements, schedulers, handlers };
  const jobs = await createJobsInOrder(client, {
    order: plan.levels.items,
    jobOf: (number) => plan.jobs.at(number),
    dependsOn: (job) => job.dependsOn,
    namesOf: (job) =>
      job.dependsOn.length +
      job.inputFiles.length +
      job.outputFiles.length +
      job.inputUserData.length +
      job.outputUserData.length,
    bodyOf: (job, earlier) => jobBody(job, workflowId, records, earlier),
    onProgress: options.onProgress,
  });
  for (const action of plan.actions) {
    await client.createWorkflowAction({
      params: { id: workflowId },
      body: actionBody(plan, action, workflowId, jobs, schedulers),
    });
  }
}

async function createFiles(
  client: Client,
  plan: Plan,
  workflowId: number,
  { mtimeOf }: CreateWorkflowOptions,
): Promise<IdsOfPlan> {
  const consumed = new Set(plan.consumedFiles());
  const ids = new Float64Array(plan.files.length);
  for (let at = 0; at < ids.length; at += BATCH) {
    const numbers = range(at, Math.min(at + BATCH, ids.length));
    const bodies = numbers.map(async (number) => {
      const { name, path, stMtime, fate } = plan.files.at(number);
      const mtime = stMtime ?? (consumed.has(number) ? await mtimeOf(path) : undefined);
      return { workflow_id: workflowId, name, path, st_mtime: mtime, ...fate };
    });
    const { files } = await client.createFiles({ body: { files: await Promise.all(bodies) } });
    for (const [index, { id }] of files.entries()) ids[at + index] = id;
  }
  return ids;
}

async function createUserData(client: Client, plan: Plan, workflowId: number): Promise<IdsOfPlan> {
  const ids = new Float64Array(plan.userData.length);
  for (let at = 0; at < ids.length; at += BATCH) {
    const numbers = range(at, Math.min(at + BATCH, ids.length)).filter(
      (number) => plan.userData.at(number).name !== undefined,
    );
    if (numbers.length === 0) continue;
    const bodies = numbers.map((number) => {
      const { name, data, isEphemeral } = plan.userData.at(number);
      return { workflow_id: workflowId, name: name as string, data: data as never, is_ephemeral: isEphemeral };
    });
    const { user_data: created } = await client.createUserDataList({ body: { user_data: bodies } });
    for (const [index, { id }] of created.entries()) ids[numbers[index] as number] = id;
  }
  return ids;
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);
