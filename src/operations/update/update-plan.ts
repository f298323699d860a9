import { stat } from 'node:fs/promises';
import type { Client } from '../../client/client.ts';
import { ServiceError } from '../../client/errors.ts';
import { isUnknownRoute } from '../../client/compat/unknown-route.ts';
import { storedPlan } from '../../client/stored-plan.ts';
import type { PlanUpdate, PlanUpdated } from '../../core/contract/plan-update.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { ExecutionConfig, Workflow } from '../../core/contract/workflow.ts';
import { nameMatcher } from '../../core/lifecycle/rerun/chosen-jobs.ts';
import {
  changeOf,
  type FileOnDisk,
  type JobWithFiles,
  type PlanFacts,
} from '../../core/lifecycle/rerun/out-of-date.ts';
import { isOneOf, RECOVERABLE, WAITS } from '../../core/job/statuses.ts';
import { type Rerun, type Reruns, rerunsOf } from '../../core/lifecycle/rerun/rerun.ts';
import { counted, someOf } from '../../core/quantity/count-text.ts';
import type { Plan } from '../../core/workflow-file/plan/plan.ts';
import { diffPlan } from '../../core/workflow-file/update/diff.ts';
import type { PlanDifference } from '../../core/workflow-file/update/difference.ts';
import type { NewerProgram } from '../../core/lifecycle/rerun/named-programs.ts';
import { type Choice, choiceOf, chosenAfter, rerunByName, sendUpdate } from './choice.ts';
import { findNewerPrograms, gatherPlanFacts, seesFiles } from './plan-facts.ts';

export interface UpdateOptions {
  /** Only reports what would change. */
  readonly isDryRun: boolean;
  /** The absolute path of the workflow file. */
  readonly specFile?: string | undefined;
  /** Jobs whose inputs or outputs have changed on this machine run again, too. */
  readonly looksAtFiles?: boolean;
  /** Names of jobs that run again in any case. */
  readonly force?: readonly string[] | undefined;
  /** Only these jobs run, with what they need: names, patterns, or paths of files to make. */
  readonly only?: readonly string[] | undefined;
  /** Also where no output of the jobs that completed is there. */
  readonly acceptsLoss?: boolean | undefined;
}

export interface UpdatedPlan extends LookedAt {
  readonly difference: PlanDifference;
  /** Jobs that run because of their inputs, outputs or values, and those behind them. */
  readonly reruns: readonly Rerun[];
  readonly updated: PlanUpdated;
  readonly choice?: Choice | undefined;
}

/** Updates of other clients may come in between: the difference is then found again. */
const ATTEMPTS = 3;

/**
 * Changes a workflow into what the plan would create: one request, applied as a whole. What is up to date keeps its
 * results.
 *
 * Refuses new input files that do not exist and that no job makes (`INPUT_MISSING`).
 */
export async function updateFromPlan(
  client: Client,
  workflowId: number,
  plan: Plan,
  { isDryRun, specFile, looksAtFiles = false, force = [], only, acceptsLoss = false }: UpdateOptions,
): Promise<UpdatedPlan> {
  for (let attempt = 1; ; attempt += 1) {
    const stored = await storedPlan(client, workflowId).catch(noPlanUpdates);
    const difference = diffPlan(plan, stored, specFile);
    await noteTimes(plan, difference);
    const { update, reruns, ...looked } = looksAtFiles
      ? await withReruns(client, stored.workflow, difference.update, { force, only })
      : { update: difference.update, reruns: NOTHING_RUNS, lostOutputs: undefined };
    if (!isDryRun && !acceptsLoss) refuseLoss(looked.lostOutputs);
    try {
      const updated = await sendUpdate(client, workflowId, update, isDryRun);
      return { difference, updated, reruns: reruns.run, ...looked };
    } catch (error) {
      const isOutdated =
        error instanceof ServiceError && (error.code === 'DUPLICATE' || error.code === 'REFERENCE_UNKNOWN');
      if (!isOutdated || attempt === ATTEMPTS) throw error;
    }
  }
}

/** What a look at the files of a workflow found beside the jobs that run. */
export interface LookedAt {
  /** The folder in which its files are; undefined where this process sees them. */
  readonly unseenIn?: string | undefined;
  /** Programs that commands name and that were changed since, though no job declares them as an input. */
  readonly newerPrograms?: readonly NewerProgram[] | undefined;
  /** How many outputs its completed jobs have where none of them is there: the folder was moved or emptied. */
  readonly lostOutputs?: number | undefined;
}

/** What of a workflow is not up to date, and the update that makes it run. */
export interface Outdated extends LookedAt {
  readonly reruns: Reruns;
  /** What it was found from. */
  readonly facts: Pick<PlanFacts, 'jobs' | 'files'>;
  /** Where only some jobs are to run. */
  readonly choice?: Choice | undefined;
  readonly update: PlanUpdate;
}

const NOTHING_RUNS: Reruns = { run: [], canceled: [], failed: [] };

interface LookOptions {
  /** Names of jobs that run again in any case. */
  readonly force: readonly string[];
  /** Not jobs that have yet to run, or that were interrupted; default true. */
  readonly onlyChanges?: boolean;
  /** Only these jobs, with what they need, whatever their status. */
  readonly only?: readonly string[] | undefined;
  /** Jobs that failed, too. */
  readonly failedToo?: boolean;
  /** What of an input makes a job run again, in place of what the workflow says. */
  readonly rerunBy?: ExecutionConfig['rerun'];
}

/** Jobs whose inputs, outputs or values have changed since they ended, those that a person names, and those behind them. */
export async function outdatedOf(client: Client, workflowId: number, options: LookOptions): Promise<Outdated> {
  const workflow = await client.getWorkflow({ params: { id: workflowId } });
  return withReruns(client, workflow, {}, options);
}

/** Makes them run, in the present run of the workflow. */
export const runOutdated = (
  client: Client,
  workflowId: number,
  { update }: Pick<Outdated, 'update'>,
): Promise<PlanUpdated> => sendUpdate(client, workflowId, update, false);

/**
 * The update with the jobs that run again for their files and values, and with the times of these files.
 *
 * An input that is gone and that no job makes is no reason: what it was for is done, and the job would fail. A missing output is none
 * as long as nothing that runs reads it.
 */
async function withReruns(
  client: Client,
  workflow: Workflow & { readonly id: number },
  update: PlanUpdate,
  { force, onlyChanges = true, only, failedToo = only !== undefined, rerunBy }: LookOptions,
): Promise<Outdated> {
  const { execution_config: execution = workflow.execution_config } = update.settings ?? {};
  const facts = await gatherPlanFacts(client, workflow.id, rerunBy ?? execution?.rerun ?? 'time');
  const sees = await seesFiles(workflow, facts);
  const unseenIn = sees ? undefined : (workflow.submission_directory ?? 'an unknown folder');
  const { files: ofFiles, jobs: ofJobs } = update;
  const other = new Set([...(ofFiles?.remove ?? []), ...(ofFiles?.change ?? []).map(({ id }) => id)]);
  const written = new Set(facts.jobs.flatMap(({ output_file_ids: ids }) => ids ?? []));
  const files = facts.files.filter(
    ({ id, mtime }) => sees && !other.has(id) && (mtime !== undefined || written.has(id)),
  );
  const gone = new Set(ofJobs?.remove);
  const jobsLeft = facts.jobs.filter(({ id }) => !gone.has(id));
  const changed = new Map(ofJobs?.change?.map((job) => [job.id, job]));
  const chosen = only && chosenAfter({ jobs: jobsLeft, files: facts.files }, update, only);
  const isChosen = (id: number) => chosen === undefined || chosen.has(id);
  const among = jobsLeft.filter(({ id }) => isChosen(id));
  const alsoRead = [
    ...(ofJobs?.add ?? []).filter((_, at) => isChosen(-1 - at)),
    ...[...changed.values()].flatMap(({ id, add }) => (isChosen(id) ? [add ?? {}] : [])),
    ...among.filter(({ id }) => changed.get(id)?.runs_again === true),
  ].flatMap(({ input_file_ids: ids }) => ids ?? []);
  const known = sees ? facts : { ...facts, changedUserData: [] };
  const reruns = rerunsOf(
    { ...known, jobs: among, files },
    {
      onlyChanges: onlyChanges && chosen === undefined,
      sparesMakers: true,
      alsoRead,
      forced: forcedOf(among, force),
      again: failedToo ? among.flatMap(({ id, status }) => (isOneOf(RECOVERABLE, status) ? [id] : [])) : [],
    },
  );
  const { run } = reruns;
  const again = new Set(run.map(({ job_id: id }) => id));
  const kept = { jobs: among.filter(({ id }) => !again.has(id) && !changed.has(id)), files };
  const newerPrograms = sees ? await findNewerPrograms(kept) : [];
  if (chosen !== undefined) rerunByName(jobsLeft, changed);
  const choice = chosen && choiceOf(chosen, { jobs: jobsLeft, ofJobs, changed, again });
  const looked = {
    reruns,
    facts: { jobs: among, files },
    unseenIn,
    newerPrograms,
    ...(choice === undefined ? {} : { choice: choice.shown }),
  };
  if (run.length === 0 && choice === undefined) return { update, ...looked };
  const readByOthers = new Set(
    chosen && jobsLeft.flatMap(({ id, input_file_ids: ids }) => (again.has(id) ? [] : (ids ?? []))),
  );
  const times = files.flatMap((file) => {
    const { id, name, path, mtime = null } = file;
    return changeOf(file) === undefined || readByOthers.has(id)
      ? []
      : [{ id, record: { name, path, st_mtime: mtime } }];
  });
  for (const { job_id: id, reasons, status } of run)
    if (chosen === undefined ? reasons.some(({ kind }) => kind !== 'job') : !isOneOf(WAITS, status))
      changed.set(id, { ...changed.get(id), id, runs_again: true });
  return {
    ...looked,
    lostOutputs: lostOutputsOf(jobsLeft, files),
    update: {
      ...update,
      files: { ...ofFiles, change: [...(ofFiles?.change ?? []), ...times] },
      jobs: { ...ofJobs, change: [...changed.values()] },
      ...(choice === undefined ? {} : { choice: choice.sent }),
    },
  };
}

/** Refuses to run everything again in a folder that was moved or emptied. */
export function refuseLoss(lostOutputs: number | undefined): void {
  if (lostOutputs === undefined) return;
  throw new Refusal('OUTPUTS_LOST', `none of the ${lostOutputs} outputs of the jobs that completed is there`);
}

/** The number of outputs of jobs that completed, if there are several and none of them exists. */
function lostOutputsOf(jobs: readonly JobWithFiles[], files: readonly FileOnDisk[]): number | undefined {
  const declared = new Set(
    jobs.flatMap(({ status, output_file_ids: ids }) => (status === 'completed' ? (ids ?? []) : [])),
  );
  const outputs = files.filter(
    ({ id, temporary, removal }) => declared.has(id) && temporary !== true && removal !== 'cleaned',
  );
  return outputs.length > 1 && outputs.every(({ mtime }) => mtime === undefined) ? outputs.length : undefined;
}

/** The ids of the jobs that a person names, each by its name or a pattern with `*`. Refuses one that matches no job. */
function forcedOf(jobs: readonly JobWithFiles[], names: readonly string[]): number[] {
  return names.flatMap((name) => {
    const isMeant = nameMatcher(name);
    const found = jobs.filter((job) => isMeant(job.name)).map(({ id }) => id);
    if (found.length > 0) return found;
    throw new Refusal('NOT_FOUND', `--force: no job of the workflow is named "${name}", or matches it as a pattern`);
  });
}

/** Torc's own server has no such route, nor have earlier versions of ours. */
export function noPlanUpdates(error: unknown): never {
  if (!isUnknownRoute(error)) throw error;
  const message =
    'this server cannot change the plan of a workflow, as Torc 1.0.0; torc jobs create and torc jobs update change jobs that are uninitialized, torc run FILE --new creates another workflow';
  throw new Refusal('ROUTE_UNKNOWN', message, {}, { cause: error });
}

/** Adds the modification times of new files that jobs read, as a creation does. */
async function noteTimes(plan: Plan, { update }: PlanDifference): Promise<void> {
  const { add = [], change = [] } = update.files ?? {};
  const records = [...(add ?? []), ...(change ?? []).map(({ record }) => record)];
  if (records.length === 0) return;
  const made = new Set(plan.producedFiles());
  const read = new Set<string>();
  for (const number of plan.consumedFiles()) if (!made.has(number)) read.add(plan.files.at(number).name);
  const missing: string[] = [];
  for (const record of records) {
    if (!read.has(record.name)) continue;
    const stats = await stat(record.path).catch(() => undefined);
    if (stats === undefined) missing.push(record.path);
    else record.st_mtime ??= stats.mtimeMs / 1000;
  }
  const isOne = missing.length === 1;
  if (missing.length > 0)
    throw new Refusal(
      'INPUT_MISSING',
      `${counted(missing.length, 'new input file')} must exist and ${isOne ? 'does' : 'do'} not, and no job makes ${isOne ? 'it' : 'them'}: ${someOf(missing)}`,
    );
}
