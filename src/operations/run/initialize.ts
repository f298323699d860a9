import type { Client } from '../../client/client.ts';
import { inParallel } from '../../client/compat/in-parallel.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import {
  changedJobs,
  changeOf,
  type FileOnDisk,
  type PlanFacts,
  type ReadyFacts,
  readinessOf,
} from '../../core/lifecycle/rerun/out-of-date.ts';
import { rerunsOf } from '../../core/lifecycle/rerun/rerun.ts';
import { counted, someOf } from '../../core/quantity/count-text.ts';
import { type BeginNews, beginRun } from './begin-run.ts';
import { gatherPlanFacts, gatherReadyFacts } from '../update/plan-facts.ts';

/** What happens while a workflow is prepared. */
export type InitializeNews =
  | BeginNews
  /** Files that jobs write exist; the jobs will overwrite them. */
  | { readonly kind: 'outputs exist'; readonly paths: readonly string[] };

export interface InitializeOptions {
  /** Even if input files are missing, or jobs run. */
  readonly force: boolean;
  readonly report: (news: InitializeNews) => void;
}

/** Makes a workflow ready to run from the beginning. */
export async function initialize(client: Client, workflowId: number, options: InitializeOptions): Promise<void> {
  await prepare(client, workflowId, options);
  await client.initializeJobs({ params: { id: workflowId } });
}

/**
 * The steps before an initialization from the beginning: a new run, every job reset, files checked again.
 *
 * Refused, with nothing changed, if inputs are missing that no job produces (unless forced) or if user data is missing.
 */
export async function prepare(client: Client, workflowId: number, { force, report }: InitializeOptions): Promise<void> {
  await unarchived(client, workflowId);
  const facts = await gatherReadyFacts(client, workflowId);
  const { existingOutputs: paths } = refuseMissing(facts, force);
  if (paths.length > 0) report({ kind: 'outputs exist', paths });
  await beginRun(client, workflowId, { force, report });
  await client.resetJobStatus({ params: { id: workflowId } });
  await storeTimes(client, workflowId, facts.files);
}

interface ReinitializeOptions extends InitializeOptions {
  /** False if a new run has already begun. */
  readonly newRun?: boolean;
  /** Jobs that wait for a decision stay as they are. */
  readonly keepsUndecided?: boolean;
}

/** Makes only changed jobs ready, and everything downstream. */
export async function reinitialize(client: Client, workflowId: number, options: ReinitializeOptions): Promise<void> {
  await prepareChanged(client, workflowId, options);
  const keeps = options.keepsUndecided === true ? { keep_pending_failed: true } : {};
  await client.initializeJobs({ params: { id: workflowId }, query: { only_uninitialized: true, ...keeps } });
}

/**
 * The steps before an initialization of changed jobs: a new run; jobs whose inputs changed or whose outputs are missing
 * become uninitialized.
 */
export async function prepareChanged(
  client: Client,
  workflowId: number,
  { force, report, newRun = true }: ReinitializeOptions,
): Promise<void> {
  const workflow = await unarchived(client, workflowId);
  const facts = await gatherPlanFacts(client, workflowId);
  refuseMissing(facts, force);
  const { run_id: runId } = newRun ? await beginRun(client, workflowId, { force, report }) : workflow;
  // First the jobs: killed in between, the next one finds the same files changed.
  await inParallel(changedByFiles(facts), TOGETHER, (id) =>
    client.manageStatusChange({ params: { id, status: 'uninitialized', run_id: runId ?? 0 } }),
  );
  await storeTimes(client, workflowId, facts.files);
  await client.processChangedJobInputs({ params: { id: workflowId } });
}

/** The jobs that changed files make run, and those whose temporary files are needed for that. */
function changedByFiles(facts: PlanFacts): number[] {
  const again = rerunsOf(facts).run.filter(({ reasons }) => reasons.some((reason) => 'change' in reason));
  return [...new Set([...changedJobs(facts).keys(), ...again.map(({ job_id: id }) => id)])];
}

/** Requests in flight at once: the server writes those that arrive together in one transaction. */
const TOGETHER = 32;

const storeTimes = (client: Client, workflowId: number, files: readonly FileOnDisk[]): Promise<unknown> =>
  inParallel(
    files.filter((file) => changeOf(file) !== undefined),
    TOGETHER,
    ({ id, name, path, mtime = null }) =>
      // Torc's own server requires the first three in every update.
      client.updateFile({ params: { id }, body: { workflow_id: workflowId, name, path, st_mtime: mtime } }),
  );

async function unarchived(client: Client, id: number): Promise<Workflow> {
  const workflow = await client.getWorkflow({ params: { id } });
  if (workflow.is_archived === true) throw new Refusal('WORKFLOW_ARCHIVED', `workflow ${id} is archived`);
  return workflow;
}

function refuseMissing(facts: ReadyFacts, force: boolean): ReturnType<typeof readinessOf> {
  const readiness = readinessOf(facts);
  const { missingInputs: paths, missingUserData: ids } = readiness;
  const isOne = paths.length === 1;
  if (paths.length > 0 && !force)
    throw new Refusal(
      'INPUT_MISSING',
      `${counted(paths.length, 'input file')} must exist and ${isOne ? 'does' : 'do'} not, and no job makes ${isOne ? 'it' : 'them'}: ${someOf(paths)}`,
    );
  if (ids.length > 0)
    throw new Refusal(
      'INPUT_MISSING',
      `user data without a value that jobs read and no job makes: ids ${someOf(ids.map(String))}`,
    );
  return readiness;
}
