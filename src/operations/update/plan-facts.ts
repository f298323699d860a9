import { realpath, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { Client } from '../../client/client.ts';
import { inParallel } from '../../client/compat/in-parallel.ts';
import { inputsAsRead, type KnownFile, knownFiles, jobsWithFiles } from '../../client/compat/plan-facts.ts';
import { comparesContents } from '../../core/attempt/execution.ts';
import type { ExecutionConfig, Workflow } from '../../core/contract/workflow.ts';
import { createFileHashes } from '../../cluster/file-hash.ts';
import { type FileOnDisk, needsHash, type PlanFacts, type ReadyFacts } from '../../core/lifecycle/rerun/out-of-date.ts';
import { namedPrograms, newerPrograms, type NewerProgram } from '../../core/lifecycle/rerun/named-programs.ts';

/** Files looked at together: they may be on a slow file system. */
const TOGETHER = 32;

/** What decides whether a workflow can be initialized: what the server knows of its jobs, and their files on this machine. */
export async function gatherReadyFacts(client: Client, workflowId: number): Promise<ReadyFacts> {
  const [jobs, files, { user_data: missingUserData }] = await Promise.all([
    jobsWithFiles(client, workflowId),
    knownFiles(client, workflowId).then(onDisk),
    client.listMissingUserData({ params: { id: workflowId } }),
  ]);
  return { jobs, files, missingUserData };
}

/** What decides which jobs of a workflow would run. `rerunBy` stands in place of the setting of the workflow. */
export async function gatherPlanFacts(
  client: Client,
  workflowId: number,
  rerunBy?: ExecutionConfig['rerun'],
): Promise<PlanFacts> {
  const [facts, found, { reinitialized_jobs: changedUserData }, rerun] = await Promise.all([
    gatherReadyFacts(client, workflowId),
    inputsAsRead(client, workflowId),
    client.processChangedJobInputs({ params: { id: workflowId }, query: { dry_run: true } }),
    rerunBy ?? client.getWorkflow({ params: { id: workflowId } }).then((workflow) => workflow.execution_config?.rerun),
  ]);
  const reads = comparesContents({ rerun }) ? found : withoutHashes(found);
  return { ...facts, files: await withHashes(facts.files, reads), reads, changedUserData };
}

/** Hashes of attempts that ran when contents were compared say nothing where times are. */
const withoutHashes = (reads: NonNullable<PlanFacts['reads']>): NonNullable<PlanFacts['reads']> =>
  new Map([...reads].map(([job, inputs]) => [job, inputs.map((read) => ({ ...read, hash: undefined }))]));

/** Adds hashes where only the content of a file shows whether it is what jobs have read. */
async function withHashes(
  files: readonly FileOnDisk[],
  reads: NonNullable<PlanFacts['reads']>,
): Promise<readonly FileOnDisk[]> {
  const byId = new Map(files.map((file) => [file.id, file]));
  const wanted = new Set<FileOnDisk>();
  for (const inputs of reads.values())
    for (const read of inputs) {
      const file = byId.get(read.file_id);
      if (file !== undefined && needsHash(read, file)) wanted.add(file);
    }
  if (wanted.size === 0) return files;
  const hashOf = createFileHashes();
  return inParallel(files, TOGETHER, async (file) =>
    wanted.has(file) ? { ...file, hash: await hashOf(file.path) } : file,
  );
}

const onDisk = (files: readonly KnownFile[]): Promise<FileOnDisk[]> =>
  inParallel(files, TOGETHER, async (file) => {
    // What a runner is about to delete counts as deleted.
    const stats = file.removal === 'deleting' ? undefined : await stat(file.path).catch(() => undefined);
    return {
      ...file,
      mtime: stats && stats.mtimeMs / 1000,
      size: stats?.size,
      isFolder: stats?.isDirectory() === true,
    };
  });

/**
 * Whether its files would be where this process looks: a path without a folder is meant from the folder from which the workflow was
 * created, and jobs run in the one from which they are. Elsewhere, or on a machine without this folder, every output would look deleted.
 */
export async function seesFiles(
  { submission_directory: folder }: Workflow,
  { files }: { readonly files: readonly { readonly path: string }[] },
): Promise<boolean> {
  const there = folder ? await realpath(folder).catch(() => undefined) : undefined;
  if (there === undefined) return false;
  return files.every(({ path }) => isAbsolute(path)) || there === (await realpath('.'));
}

/** Programs that are looked at: more are no scripts that a person edits. */
const MOST_PROGRAMS = 1_000;

/** The programs that these jobs name and that were changed after their outputs. */
export async function findNewerPrograms(facts: Pick<PlanFacts, 'jobs' | 'files'>): Promise<NewerProgram[]> {
  const named = new Map([...namedPrograms(facts)].slice(0, MOST_PROGRAMS));
  const found = await inParallel([...named.keys()], TOGETHER, async (path) => {
    const stats = await stat(path).catch(() => undefined);
    return stats?.isFile() === true ? ([path, stats.mtimeMs / 1000] as const) : undefined;
  });
  return newerPrograms(named, new Map(found.filter((each) => each !== undefined)), facts.files);
}
