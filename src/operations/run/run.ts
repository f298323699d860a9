import type { Client } from '../../client/client.ts';
import { countOf, HELD } from '../../core/job/statuses.ts';
import type { Rerun } from '../../core/lifecycle/rerun/rerun.ts';
import { initialize, type InitializeOptions } from './initialize.ts';
import type { PlanUpdated } from '../../core/contract/plan-update.ts';
import type { Choice } from '../update/choice.ts';
import type { LookedAt, Outdated } from '../update/update-plan.ts';
import type { Resumed } from './resume.ts';

/** What becomes of jobs that are out of date in a workflow that has ended. */
export interface OutdatedRule {
  /** Names of jobs that run again in any case. */
  readonly force: readonly string[];
  /** Only these jobs run, with what they need. */
  readonly only?: readonly string[] | undefined;
  /** A person asks for it: also where jobs are left to do, or are made ready again. */
  readonly isWanted: boolean;
  /** Whether they run now; they are named otherwise. */
  readonly decide: (found: Outdated) => boolean | Promise<boolean>;
}

interface PrepareOptions extends Pick<InitializeOptions, 'report'> {
  /** Which jobs of an earlier run are made ready again: none, those that were interrupted, or also those that failed. */
  readonly again: 'none' | 'interrupted' | 'failed';
  /** Absent where it is not asked what is out of date. */
  readonly outdated?: OutdatedRule | undefined;
}

/** What was made ready. */
export type Prepared =
  | Resumed
  | { readonly kind: 'initialized' }
  /** It was not asked whether anything is out of date. */
  | { readonly kind: 'as it was' }
  | { readonly kind: 'up to date'; readonly newerPrograms: LookedAt['newerPrograms'] }
  /**
   * Jobs whose inputs, outputs or values have changed since they ended, and those behind them: they run again, a person who saw them
   * agreed to that, or they are only named.
   */
  | { readonly kind: 'changed' | 'agreed' | 'out of date'; readonly run: readonly Rerun[] }
  | {
      readonly kind: 'chosen';
      readonly run: readonly Rerun[];
      readonly choice: Choice;
      /** Where its files are, if they were not looked at. */
      readonly unseenIn: string | undefined;
      readonly held: PlanUpdated['held'];
    }
  /** Its files are in another folder: nothing is known of them. */
  | { readonly kind: 'not looked'; readonly unseenIn: string };

/**
 * Prepares a workflow for a runner: initializes one that never was, and makes jobs of an earlier run ready again: those that are asked
 * for, or in a workflow that has ended those that are not up to date, if they are wanted.
 */
export async function prepareRun(
  client: Client,
  id: number,
  { again, report, outdated }: PrepareOptions,
): Promise<Prepared[]> {
  const { is_uninitialized: isFresh } = await client.isUninitialized({ params: { id } });
  if (isFresh) await initialize(client, id, { force: false, report });
  const began: Prepared[] = isFresh ? [{ kind: 'initialized' }] : [];
  if (outdated?.only !== undefined) return [...began, await prepareChosen(client, id, outdated, report)];
  if (isFresh) return began;
  if (again === 'none') return outdated === undefined ? [] : [await prepareOutdated(client, id, outdated, report)];
  const { resume } = await import('./resume.ts');
  const resumed = await resume(client, id, { retriesFailed: again === 'failed', report });
  return outdated?.isWanted === true ? [resumed, await prepareOutdated(client, id, outdated, report)] : [resumed];
}

/** In a canceled workflow no job starts before a new run begins. */
export async function beginIfCanceled(client: Client, id: number, report: InitializeOptions['report']): Promise<void> {
  const { is_canceled: isCanceled } = await client.getWorkflow({ params: { id } });
  if (isCanceled !== true) return;
  const { beginRun } = await import('./begin-run.ts');
  await beginRun(client, id, { force: false, report });
}

/** What a killed runner of this host holds is no longer under way. */
async function recoverKilled(client: Client, id: number, report: InitializeOptions['report']): Promise<void> {
  const { recoverHere } = await import('../orphans/recover-here.ts');
  const onWarning = (message: string) => report({ kind: 'recovery warning', message });
  await recoverHere(client, await client.getWorkflow({ params: { id } }), onWarning);
}

/** Makes the chosen jobs ready with what they need, whatever became of them; all others keep their status. */
async function prepareChosen(
  client: Client,
  id: number,
  { force, only, decide }: OutdatedRule,
  report: InitializeOptions['report'],
): Promise<Prepared> {
  await recoverKilled(client, id, report);
  const { outdatedOf, runOutdated } = await import('../update/update-plan.ts');
  const found = await outdatedOf(client, id, { force, only });
  await decide(found);
  await beginIfCanceled(client, id, report);
  const { held } = await runOutdated(client, id, found);
  const { reruns, choice, unseenIn } = found;
  return { kind: 'chosen', run: reruns.run, choice: choice as Choice, unseenIn, held };
}

/** While anything of the workflow is left to do, its files are read and written: what they say of jobs that ended changes. */
async function prepareOutdated(
  client: Client,
  id: number,
  { force, isWanted, decide }: OutdatedRule,
  report: InitializeOptions['report'],
): Promise<Prepared> {
  if (isWanted) await recoverKilled(client, id, report);
  const status = await client.getWorkflowStatus({ params: { id } });
  const runners = status.active_compute_nodes + status.active_scheduled_nodes + status.pending_scheduled_nodes;
  const isAtRest = status.is_complete && !status.is_canceled && runners + countOf(status.jobs_by_status, HELD) === 0;
  if (status.total_jobs === 0 || !(isAtRest || isWanted)) return { kind: 'as it was' };
  const { noPlanUpdates, outdatedOf, runOutdated } = await import('../update/update-plan.ts');
  const found = await outdatedOf(client, id, { force });
  const { reruns, unseenIn, newerPrograms } = found;
  const { run } = reruns;
  if (run.length === 0)
    return unseenIn === undefined ? { kind: 'up to date', newerPrograms } : { kind: 'not looked', unseenIn };
  if (!(await decide(found))) return { kind: 'out of date', run };
  await runOutdated(client, id, found).catch(noPlanUpdates);
  return { kind: isWanted ? 'changed' : 'agreed', run };
}
