import { stat } from 'node:fs/promises';
import type { Client } from '../client/client.ts';
import { all, every } from '../client/every.ts';
import type { File } from '../core/contract/artifact.ts';
import { Failure } from './failure.ts';
import type { Output } from './output/output.ts';
import { counted, someOf } from './output/words.ts';

/** A change of a file's time smaller than this, in seconds, is none: file systems round. */
const SAME_TIME_SECONDS = 0.01;
/** Files looked at together: they may lie on a slow file system. */
const TOGETHER = 32;

export interface Readiness {
  readonly missingInputs: readonly string[];
  readonly existingOutputs: readonly string[];
}

interface FileOnDisk {
  readonly file: File & { id: number };
  /** Undefined when it does not exist. */
  readonly mtime: number | undefined;
}

/** Looks at all files of a workflow on this machine: what must exist and does not, and what exists that will be made. */
export async function readiness(
  client: Client,
  workflowId: number,
): Promise<Readiness & { readonly files: readonly FileOnDisk[] }> {
  const files = await filesOnDisk(client, workflowId);
  const required = new Set((await client.listRequiredExistingFiles({ params: { id: workflowId } })).files);
  const outputs = await outputIds(client, workflowId);
  return {
    files,
    missingInputs: files
      .filter(({ file, mtime }) => required.has(file.id) && !outputs.has(file.id) && mtime === undefined)
      .map(({ file }) => file.path),
    existingOutputs: files
      .filter(({ file, mtime }) => outputs.has(file.id) && mtime !== undefined)
      .map(({ file }) => file.path),
  };
}

/**
 * Makes a workflow ready to run from the beginning: a new run, every job reset, files looked at again.
 *
 * Refused, with nothing changed, when inputs are missing that no job makes (unless forced) or when user data is.
 */
export async function initialize(
  client: Client,
  workflowId: number,
  { force, output }: { force: boolean; output: Output },
): Promise<void> {
  await refuseArchived(client, workflowId);
  const { files, missingInputs, existingOutputs } = await readiness(client, workflowId);
  if (missingInputs.length > 0 && !force) refuseMissing(missingInputs);
  await refuseMissingData(client, workflowId);
  if (existingOutputs.length > 0) {
    output.warn(
      `${counted(existingOutputs.length, 'output file')} exist already and will be overwritten: ${someOf(existingOutputs)}`,
    );
  }
  await client.resetStatus({ params: { id: workflowId }, query: { force } });
  await client.resetJobStatus({ params: { id: workflowId } });
  await storeTimes(client, files);
  await client.initializeJobs({ params: { id: workflowId } });
}

/**
 * Makes ready only what changed: jobs whose inputs changed, whose outputs are gone, that are uninitialized already, and
 * everything downstream of them.
 */
export async function reinitialize(
  client: Client,
  workflowId: number,
  { force, newRun = true }: { force: boolean; newRun?: boolean },
): Promise<void> {
  await refuseArchived(client, workflowId);
  const { files, missingInputs } = await readiness(client, workflowId);
  if (missingInputs.length > 0 && !force) refuseMissing(missingInputs);
  await refuseMissingData(client, workflowId);
  const { run_id: runId } = newRun
    ? await client.resetStatus({ params: { id: workflowId }, query: { force } })
    : await client.getWorkflow({ params: { id: workflowId } });

  const changed = files.filter(({ file, mtime }) => isChanged(file, mtime));
  await storeTimes(client, changed);
  const reset = async (jobId: number) => {
    await client.manageStatusChange({ params: { id: jobId, status: 'uninitialized', run_id: runId ?? 0 } });
  };
  for (const { file } of changed) {
    const { items } = await client.listJobs({ query: { workflow_id: workflowId, needs_file_id: file.id } });
    for (const { id, status } of items) {
      if (status === 'completed' || status === 'failed' || status === 'canceled') await reset(id as number);
    }
  }
  const gone = new Set(files.filter(({ mtime }) => mtime === undefined).map(({ file }) => file.id));
  const relationships = every((page) => client.listJobFileRelationships({ params: { id: workflowId }, query: page }));
  for await (const { producer_job_id: producer, file_id: file } of relationships) {
    if (!gone.has(file) || !producer) continue;
    const { status } = await client.getJob({ params: { id: producer } });
    if (status === 'completed') await reset(producer);
  }
  await client.processChangedJobInputs({ params: { id: workflowId } });
  await client.initializeJobs({ params: { id: workflowId }, query: { only_uninitialized: true } });
}

const isChanged = ({ st_mtime: known }: File, mtime: number | undefined) =>
  known === undefined || known === null || mtime === undefined
    ? (known ?? undefined) !== mtime
    : Math.abs(known - mtime) > SAME_TIME_SECONDS;

async function storeTimes(client: Client, files: readonly FileOnDisk[]): Promise<void> {
  for (const { file, mtime } of files) {
    if (isChanged(file, mtime)) await client.updateFile({ params: { id: file.id }, body: { st_mtime: mtime ?? null } });
  }
}

async function refuseArchived(client: Client, workflowId: number): Promise<void> {
  const { is_archived: isArchived } = await client.getWorkflow({ params: { id: workflowId } });
  if (isArchived === true) throw new Failure(`workflow ${workflowId} is archived; unarchive it first`);
}

function refuseMissing(paths: readonly string[]): never {
  throw new Failure(
    `${counted(paths.length, 'input file')} must exist and ${paths.length === 1 ? 'does' : 'do'} not, and no job makes ${paths.length === 1 ? 'it' : 'them'}: ${someOf(paths)}`,
  );
}

async function refuseMissingData(client: Client, workflowId: number): Promise<void> {
  const { user_data: missing } = await client.listMissingUserData({ params: { id: workflowId } });
  if (missing.length === 0) return;
  throw new Failure(`user data without a value that jobs read and no job makes: ids ${someOf(missing.map(String))}`);
}

async function filesOnDisk(client: Client, workflowId: number): Promise<FileOnDisk[]> {
  const files = await all((page) => client.listFiles({ query: { workflow_id: workflowId, ...page } }));
  const found: FileOnDisk[] = [];
  for (let at = 0; at < files.length; at += TOGETHER) {
    const looked = files.slice(at, at + TOGETHER).map(async (file) => {
      const stats = await stat(file.path).catch(() => undefined);
      return { file: file as File & { id: number }, mtime: stats === undefined ? undefined : stats.mtimeMs / 1000 };
    });
    found.push(...(await Promise.all(looked)));
  }
  return found;
}

async function outputIds(client: Client, workflowId: number): Promise<Set<number>> {
  const outputs = await all((page) =>
    client.listFiles({ query: { workflow_id: workflowId, is_output: true, ...page } }),
  );
  return new Set(outputs.map(({ id }) => id as number));
}
