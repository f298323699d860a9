import type { Client } from '../client/client.ts';
import { all, every } from '../client/every.ts';
import type { File } from '../core/contract/artifact.ts';
import { Refusal } from '../core/contract/refusals.ts';
import { isOneOf, KEEPS_ITS_END } from '../core/job/statuses.ts';
import { counted, someOf } from '../core/quantity/count-text.ts';
import { type BeginNews, beginRun } from './begin-run.ts';
import { type FileOnDisk, type Readiness, readiness } from './readiness.ts';

/** A smaller change of a file's time, in seconds, is ignored: file systems round. */
const SAME_TIME_SECONDS = 0.01;

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
  await refuseArchived(client, workflowId);
  const ready = await readiness(client, workflowId);
  refuseMissing(ready, force);
  if (ready.existingOutputs.length > 0) report({ kind: 'outputs exist', paths: ready.existingOutputs });
  await beginRun(client, workflowId, { force, report });
  await client.resetJobStatus({ params: { id: workflowId } });
  await storeTimes(client, ready.files);
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
  await refuseArchived(client, workflowId);
  const ready = await readiness(client, workflowId);
  refuseMissing(ready, force);
  const { files } = ready;
  const { run_id: runId } = newRun
    ? await beginRun(client, workflowId, { force, report })
    : await client.getWorkflow({ params: { id: workflowId } });

  const changed = files.filter(({ file, mtime }) => isChanged(file, mtime));
  await storeTimes(client, changed);
  const reset = async (jobId: number) => {
    await client.manageStatusChange({ params: { id: jobId, status: 'uninitialized', run_id: runId ?? 0 } });
  };
  for (const { file } of changed) {
    const { items } = await client.listJobs({ query: { workflow_id: workflowId, needs_file_id: file.id } });
    for (const { id, status } of items) {
      if (isOneOf(KEEPS_ITS_END, status)) await reset(id);
    }
  }
  for (const jobId of await withMissingOutput(client, workflowId, files)) await reset(jobId);
  await client.processChangedJobInputs({ params: { id: workflowId } });
}

/** Completed jobs with a missing output. */
async function withMissingOutput(client: Client, workflowId: number, files: readonly FileOnDisk[]): Promise<number[]> {
  const gone = new Set(files.filter(({ mtime }) => mtime === undefined).map(({ file }) => file.id));
  const producers = new Set<number>();
  const relationships = every((page) => client.listJobFileRelationships({ params: { id: workflowId }, query: page }));
  for await (const { producer_job_id: producer, file_id: file } of relationships)
    if (producer && gone.has(file)) producers.add(producer);
  if (producers.size === 0) return [];
  const query = { workflow_id: workflowId, status: 'completed' as const };
  const completed = await all((page) => client.listJobs({ query: { ...query, ...page } }));
  return completed.map(({ id }) => id).filter((id) => producers.has(id));
}

/** Does a file differ from what is stored about it? */
export const isChanged = ({ st_mtime: known }: File, mtime: number | undefined) =>
  known === undefined || known === null || mtime === undefined
    ? (known ?? undefined) !== mtime
    : Math.abs(known - mtime) > SAME_TIME_SECONDS;

async function storeTimes(client: Client, files: readonly FileOnDisk[]): Promise<void> {
  for (const { file, mtime } of files) {
    if (!isChanged(file, mtime)) continue;
    // Torc's own server requires the first three in every update.
    const { workflow_id, name, path } = file;
    const body = { workflow_id, name, path, st_mtime: mtime ?? null };
    await client.updateFile({ params: { id: file.id }, body });
  }
}

async function refuseArchived(client: Client, workflowId: number): Promise<void> {
  const { is_archived: isArchived } = await client.getWorkflow({ params: { id: workflowId } });
  if (isArchived === true) throw new Refusal('WORKFLOW_ARCHIVED', `workflow ${workflowId} is archived`);
}

function refuseMissing({ missingInputs: paths, missingUserData: ids }: Readiness, force: boolean): void {
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
}
