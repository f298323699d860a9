import { readdir, stat, unlink } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { Client } from '../client/client.ts';
import { inParallel } from '../client/compat/in-parallel.ts';
import { isUnknownRoute } from '../client/compat/unknown-route.ts';
import { readOutputs, storedFiles, storedJobs } from '../client/stored-plan.ts';
import { lookAtMade, removeMade } from '../cluster/made-file.ts';
import { partsOfStepId, STDIO_FOLDER } from '../core/contract/files/job.ts';
import { Refusal } from '../core/contract/refusals.ts';
import { countOf, HELD } from '../core/job/statuses.ts';
import type { StoredFile } from '../core/workflow-file/update/stored.ts';
import { seesFiles } from './update/plan-facts.ts';

/** What is removed: temporary files, other outputs, outputs that are protected, what jobs printed. */
export type CleanKind = 'temporary' | 'outputs' | 'protected' | 'logs';

/** A file that is or would be removed. */
export interface CleanedFile {
  readonly kind: CleanKind;
  readonly path: string;
  readonly bytes: number;
}

/** An output of jobs, with what each attempt that is known to have made it left there. */
interface MadeOutput {
  readonly file: StoredFile;
  readonly made: readonly { readonly st_mtime: number; readonly st_size: number }[];
}

interface Candidate extends CleanedFile {
  /** Absent for the output of a job on the screen. */
  readonly output?: MadeOutput;
}

export interface CleanPlan {
  readonly workflowId: number;
  readonly runId: number;
  readonly files: readonly Candidate[];
  /** Paths of outputs that have changed since a job made them, or that no attempt is known to have made: they stay. */
  readonly kept: readonly string[];
  /** Paths outside of the folder of the workflow: they stay, unless a person asks for them. */
  readonly outside: readonly string[];
}

export interface CleanChoice {
  readonly kinds: ReadonlySet<CleanKind>;
  readonly outputDir: string;
  /** Also files outside of the folder from which the workflow was created. */
  readonly takesOutside: boolean;
}

const TOGETHER = 32;
/** Files after which it is stored what was removed: of more, a command that is killed would leave no word. */
const STORED_TOGETHER = 200;

/**
 * Finds what can be removed: only what an attempt of the workflow is recorded to have made, and what is as it left it.
 *
 * Refuses while jobs run or a runner is active (`WORKFLOW_BUSY`), and where its files are not seen (`FILES_ELSEWHERE`).
 */
export async function planClean(client: Client, id: number, options: CleanChoice): Promise<CleanPlan> {
  const { kinds, outputDir, takesOutside } = options;
  const workflow = await client.getWorkflow({ params: { id } });
  const status = await client.getWorkflowStatus({ params: { id } });
  if (countOf(status.jobs_by_status, HELD) > 0 || status.active_compute_nodes > 0)
    throw new Refusal('WORKFLOW_BUSY', `workflow ${id} has jobs that run, or an active runner`, { workflow_id: id });
  const folder = resolve(workflow.submission_directory ?? '.');
  const outputs = (await madeOutputs(client, id).catch(noRecordOfOutputs)).filter(({ file }) =>
    kinds.has(kindOf(file)),
  );
  if (!(await seesFiles(workflow, { files: outputs.map(({ file }) => file) })))
    throw new Refusal('FILES_ELSEWHERE', `the files of workflow ${id} are in ${folder}`, { folder });

  const [outside, kept, files]: [string[], string[], Candidate[]] = [[], [], []];
  const looked = await inParallel(outputs, TOGETHER, async (output) => {
    const found = await Promise.all(output.made.map((made) => lookAtMade(output.file.path, made)));
    const isThere = found.length > 0 || (await stat(output.file.path).catch(() => undefined)) !== undefined;
    return { output, isThere, same: output.made[found.indexOf('same')], isGone: found.includes('absent') };
  });
  for (const { output, isThere, same, isGone } of looked) {
    const { file } = output;
    if (isGone || !isThere) continue;
    if (same === undefined) kept.push(file.path);
    else if (!takesOutside && isOutside(folder, file.path)) outside.push(file.path);
    else files.push({ kind: kindOf(file), path: file.path, bytes: same.st_size, output: { file, made: [same] } });
  }
  const logs = kinds.has('logs') ? await logsOf(id, outputDir) : [];
  return { workflowId: id, runId: workflow.run_id ?? 0, files: [...files, ...logs], kept, outside };
}

/** Torc's own server keeps no record of who made a file, so nothing is safe to remove. */
function noRecordOfOutputs(error: unknown): never {
  if (!isUnknownRoute(error)) throw error;
  const message = 'this server does not record which files jobs made, as Torc 1.0.0: nothing is removed';
  throw new Refusal('ROUTE_UNKNOWN', message, {}, { cause: error });
}

/** The outputs of the jobs of a workflow; `made` is empty where no attempt is known to have made one, or for a folder. */
async function madeOutputs(client: Client, id: number): Promise<MadeOutput[]> {
  const [jobs, files, made] = await Promise.all([
    storedJobs(client, id),
    storedFiles(client, id),
    readOutputs(client, id),
  ]);
  const declared = new Set(jobs.flatMap(({ output_file_ids: ids }) => ids ?? []));
  const byFile = Map.groupBy(made, ({ file_id: file }) => file);
  return files.flatMap((file) => (declared.has(file.id) ? [{ file, made: byFile.get(file.id) ?? [] }] : []));
}

const kindOf = ({ temporary, protected: isProtected }: MadeOutput['file']): CleanKind =>
  temporary === true ? 'temporary' : isProtected === true ? 'protected' : 'outputs';

function isOutside(folder: string, path: string): boolean {
  const way = relative(folder, resolve(path));
  return way === '' || way === '..' || way.startsWith('../');
}

/** What jobs of the workflow printed, in every run. */
async function logsOf(workflowId: number, outputDir: string): Promise<Candidate[]> {
  const folder = join(outputDir, STDIO_FOLDER);
  const names = await readdir(folder).catch(() => []);
  const own = names.filter((name) => {
    const [, step = ''] = /^job_(\w+)\.(?:o|e|log)$/.exec(name) ?? [];
    return partsOfStepId(step)?.workflowId === workflowId;
  });
  const found = await inParallel(own, TOGETHER, async (name): Promise<Candidate[]> => {
    const path = join(folder, name);
    const stats = await stat(path).catch(() => undefined);
    return stats?.isFile() === true ? [{ kind: 'logs', path, bytes: stats.size }] : [];
  });
  return found.flat();
}

export interface CleanEnd {
  readonly removed: readonly CleanedFile[];
  /** What the system refused to delete, with the reason. */
  readonly failed: readonly { readonly path: string; readonly reason: string }[];
}

/** Removes the files of a plan that are still as they were, and stores that they were removed. */
export async function clean(client: Client, { workflowId, runId, files }: CleanPlan): Promise<CleanEnd> {
  const removed: CleanedFile[] = [];
  const failed: { path: string; reason: string }[] = [];
  for (let at = 0; at < files.length; at += STORED_TOGETHER) {
    const some = files.slice(at, at + STORED_TOGETHER);
    const ends = await inParallel(some, TOGETHER, async ({ output, ...file }) => {
      const [made] = output?.made ?? [];
      const end =
        made === undefined
          ? await unlink(file.path).then(
              () => ({ removal: 'deleted' as const }),
              (error: Error) => ({ removal: 'failed' as const, reason: error.message }),
            )
          : await removeMade(file.path, made);
      if (end.removal === 'failed') failed.push({ path: file.path, reason: end.reason });
      if (end.removal !== 'deleted') return [];
      removed.push(file);
      return output === undefined
        ? []
        : [{ id: output.file.id, removal: 'cleaned' as const, removed_bytes: file.bytes }];
    });
    const said = ends.flat();
    if (said.length > 0)
      await client.removeFiles({ params: { id: workflowId }, body: { run_id: runId, removed: said, limit: 0 } });
  }
  return { removed, failed };
}
