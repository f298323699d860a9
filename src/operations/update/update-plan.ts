import { stat } from 'node:fs/promises';
import type { Client } from '../../client/client.ts';
import { ServiceError } from '../../client/errors.ts';
import { isUnknownRoute } from '../../client/compat/unknown-route.ts';
import { storedPlan } from '../../client/stored-plan.ts';
import type { PlanUpdate, PlanUpdated } from '../../core/contract/plan-update.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import { changeOf } from '../../core/lifecycle/recover/files-on-disk.ts';
import { type Rerun, rerunsOf } from '../../core/lifecycle/recover/rerun.ts';
import { counted, someOf } from '../../core/quantity/count-text.ts';
import type { Plan } from '../../core/workflow-file/plan/plan.ts';
import { diffPlan } from '../../core/workflow-file/update/diff.ts';
import type { PlanDifference } from '../../core/workflow-file/update/difference.ts';
import { gatherPlanFacts, seesFiles } from './plan-facts.ts';

export interface UpdateOptions {
  /** Only reports what would change. */
  readonly isDryRun: boolean;
  /** The absolute path of the workflow file. */
  readonly specFile?: string | undefined;
  /** Jobs whose inputs or outputs have changed on this machine run again, too. */
  readonly looksAtFiles?: boolean;
}

export interface UpdatedPlan {
  readonly difference: PlanDifference;
  /** Jobs that run because of their inputs, outputs or values, and those behind them. */
  readonly reruns: readonly Rerun[];
  readonly updated: PlanUpdated;
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
  { isDryRun, specFile, looksAtFiles = false }: UpdateOptions,
): Promise<UpdatedPlan> {
  for (let attempt = 1; ; attempt += 1) {
    const stored = await storedPlan(client, workflowId).catch(noPlanUpdates);
    const difference = diffPlan(plan, stored, specFile);
    await noteTimes(plan, difference);
    const { update, run } = looksAtFiles
      ? await withReruns(client, stored.workflow, difference.update)
      : { update: difference.update, run: [] };
    try {
      const updated = await client.updatePlan({
        params: { id: workflowId },
        query: { dry_run: isDryRun },
        body: update,
      });
      return { difference, updated, reruns: run };
    } catch (error) {
      const isOutdated =
        error instanceof ServiceError && (error.code === 'DUPLICATE' || error.code === 'REFERENCE_UNKNOWN');
      if (!isOutdated || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Makes the jobs of a workflow run again whose inputs, outputs or values have changed, with what depends on them. Returns them. */
export async function rerunChanged(client: Client, workflowId: number): Promise<readonly Rerun[]> {
  const workflow = await client.getWorkflow({ params: { id: workflowId } });
  const { update, run } = await withReruns(client, workflow, {});
  if (run.length > 0) await client.updatePlan({ params: { id: workflowId }, query: {}, body: update });
  return run;
}

/**
 * The update with the jobs that run again for their files and values, and with the times of these files.
 *
 * An input that is gone and that no job makes is no reason: what it was for is done, and the job would fail.
 */
async function withReruns(
  client: Client,
  workflow: Workflow,
  update: PlanUpdate,
): Promise<{ readonly update: PlanUpdate; readonly run: readonly Rerun[] }> {
  const facts = await gatherPlanFacts(client, workflow.id);
  if (!(await seesFiles(workflow, facts))) return { update, run: [] };
  const { files: ofFiles, jobs: ofJobs } = update;
  const other = new Set([...(ofFiles?.remove ?? []), ...(ofFiles?.change ?? []).map(({ id }) => id)]);
  const written = new Set(facts.jobs.flatMap(({ output_file_ids: ids }) => ids ?? []));
  const files = facts.files.filter(({ id, mtime }) => !other.has(id) && (mtime !== undefined || written.has(id)));
  const gone = new Set(ofJobs?.remove);
  const jobsLeft = facts.jobs.filter(({ id }) => !gone.has(id));
  const { run } = rerunsOf({ ...facts, jobs: jobsLeft, files }, { onlyChanges: true });
  if (run.length === 0) return { update, run };
  const times = files.flatMap((file) => {
    const { id, name, path, mtime = null } = file;
    return changeOf(file) === undefined ? [] : [{ id, record: { name, path, st_mtime: mtime } }];
  });
  const jobs = new Map(ofJobs?.change?.map((job) => [job.id, job]));
  for (const { job_id: id, reasons } of run)
    if (reasons.some(({ kind }) => kind !== 'job')) jobs.set(id, { ...jobs.get(id), id, runs_again: true });
  return {
    run,
    update: {
      ...update,
      files: { ...ofFiles, change: [...(ofFiles?.change ?? []), ...times] },
      jobs: { ...ofJobs, change: [...jobs.values()] },
    },
  };
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
