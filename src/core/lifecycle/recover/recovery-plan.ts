import { sentenceOf } from '../../attempt/cause.ts';
import type { Job, JobDependency } from '../../contract/job.ts';
import type { KnownWorkflow } from '../../contract/known.ts';
import type { ResourceRequirements } from '../../contract/resources.ts';
import type { Result } from '../../contract/result.ts';
import type { WorkflowStatus } from '../../contract/workflow.ts';
import { countOf, NOT_BEGUN, RECOVERABLE, UNCLAIMED } from '../../job/statuses.ts';
import type { PlanFacts } from '../rerun/out-of-date.ts';
import { interruptedOf } from './interrupted-jobs.ts';
import {
  type EndOrigin,
  originOf,
  planRecovery,
  refusalOfRecovery,
  type RecoveryDecision,
  type Why,
  whyOf,
} from './recovery.ts';
import { asBefore, wasSubmitting } from './recovery-note.ts';
import { type Rerun, rerunsOf } from '../rerun/rerun.ts';
import { lackOf } from '../resources/resource-use.ts';
import {
  type Adjustment,
  adjustmentsOf,
  type RaisedResult,
  raisedResults,
  type UsedJob,
  usedJobsOf,
} from '../resources/used-jobs.ts';

/** What of a workflow decides whether it can be recovered. */
export interface RecoveryStanding {
  readonly known: KnownWorkflow;
  readonly status: WorkflowStatus;
  /** The last note of a recovery among its events. */
  readonly note: unknown;
}

/** What counts as alive and is not. */
export interface Dead {
  readonly allocations: number;
  /** Allocations that Slurm requeued: they wait for the jobs that are to be reset. */
  readonly requeued: number;
  readonly runners: number;
  readonly jobs: number;
  /** Something was corrected, or would be. */
  readonly isCorrected: boolean;
}

/** What counts as alive is taken for alive. */
export const NOTHING_DEAD: Dead = { allocations: 0, requeued: 0, runners: 0, jobs: 0, isCorrected: false };

/** What is left to do where a workflow can be recovered. */
export interface Recoverable {
  /** Jobs that wait and for which nothing is alive. */
  readonly waiting: number;
  /** Of these, those that only an initialization makes ready: a recovery was killed before it, or a person reset them. */
  readonly uninitialized: number;
  /** An earlier recovery was killed while it submitted allocations: only those that are missing are left to do. */
  readonly isContinued: boolean;
}

/** The reason as text unless nothing of the workflow is alive and something is left to do. */
export function recoverable({ known, status, note }: RecoveryStanding, dead: Dead): Recoverable | string {
  const jobs = status.jobs_by_status;
  const waiting = countOf(jobs, UNCLAIMED);
  const activeRunners = Math.max(0, status.active_compute_nodes - dead.runners);
  // Nothing says which jobs a runner has claimed and not started.
  const pending = dead.runners > 0 && activeRunners === 0 ? 0 : jobs.pending;
  const reason = refusalOfRecovery({
    workflowId: status.workflow_id,
    counts: {
      waiting,
      running: Math.max(0, jobs.running - dead.jobs) + pending,
      failed: countOf(jobs, RECOVERABLE) + dead.jobs,
    },
    isCanceled: status.is_canceled,
    isUninitialized: countOf(jobs, NOT_BEGUN) === status.total_jobs,
    activeRunners,
    openAllocations: Math.max(
      0,
      status.pending_scheduled_nodes + status.active_scheduled_nodes - dead.allocations - dead.requeued,
    ),
    isCorrected: dead.isCorrected,
  });
  const found = { waiting, uninitialized: jobs.uninitialized };
  if (reason === undefined) return { ...found, isContinued: false };
  const isContinued = waiting > 0 && !status.is_canceled && wasSubmitting(note, known.workflow.run_id ?? 0);
  return isContinued
    ? { ...found, isContinued }
    : `workflow ${status.workflow_id} cannot be recovered: ${reason.replaceAll('ID', String(status.workflow_id))}`;
}

/** How jobs ended, and what they asked for: with the standing, all that a recovery decides about. */
export interface RecoveryFacts extends RecoveryStanding {
  /** Those that did not end well, or wait for a decision. */
  readonly jobs: readonly Job[];
  /** Of those that ran. */
  readonly results: readonly Result[];
  readonly requirements: readonly ResourceRequirements[];
  /** Of canceled jobs. */
  readonly edges: readonly JobDependency[];
  /** Undefined where the files are on another machine. */
  readonly files: PlanFacts | undefined;
}

/** A job that did not end well. */
export interface BadEnd {
  readonly id: number;
  readonly name: string;
  readonly status: Job['status'];
  readonly why: Why;
  /** In words for a person: `return code 137, it used more memory than it may: it used 394 of 200 MiB`. */
  readonly words: string;
  readonly returnCode: number | undefined;
  readonly origin: EndOrigin;
}

export interface RecoveryFactors {
  readonly memoryMultiplier: number;
  readonly runtimeMultiplier: number;
  readonly retriesUnknown: boolean;
  /** Jobs that are not repeated, whatever their cause is. */
  readonly leaves?: ReadonlySet<number>;
}

export interface Recovery extends Recoverable {
  readonly ends: readonly BadEnd[];
  readonly plan: RecoveryDecision<BadEnd>;
  readonly adjustments: readonly Adjustment[];
  /** What the results of the jobs say of them. */
  readonly raised: readonly RaisedResult[];
  /** Other jobs that run again: their inputs, outputs or values have changed, or they are behind such a job. */
  readonly changed: readonly Rerun[];
}

/** Whether anything is left to run: jobs to repeat, or jobs for which nothing is alive. */
export const hasWork = ({ plan, waiting }: Recovery): boolean => plan.retried.length > 0 || waiting > 0;

/** A recovery that has nothing to repeat. */
export const nothingToRepeat = (found: Recoverable): Recovery => ({
  ...found,
  ends: [],
  plan: planRecovery<BadEnd>([], { retriesUnknown: false }),
  adjustments: [],
  raised: [],
  changed: [],
});

/** What a recovery would do; `orphaned` are jobs that a correction of records would have failed. */
export function recoveryOf(
  facts: RecoveryFacts,
  found: Recoverable,
  { memoryMultiplier, runtimeMultiplier, retriesUnknown, leaves }: RecoveryFactors,
  orphaned: readonly BadEnd[] = [],
): Recovery {
  if (found.isContinued) return nothingToRepeat(found);
  const used = usedOf(facts);
  const ends = [...endsOf(facts, used), ...orphaned];
  const plan = planRecovery(ends, { retriesUnknown, leaves });
  const lacking = new Set(
    (['memory', 'time', 'cpus'] as const).flatMap((why) => (plan.byCause.get(why) ?? []).map(({ id }) => id)),
  );
  const known = new Set(ends.map(({ id }) => id));
  const beginsRun = plan.retried.length + found.uninitialized > 0;
  const reruns = facts.files === undefined || !beginsRun ? [] : rerunsOf(facts.files, { onlyChanges: true }).run;
  const multipliers = { memory: memoryMultiplier, cpu: memoryMultiplier, runtime: runtimeMultiplier };
  const adjustments =
    lacking.size === 0
      ? []
      : adjustmentsOf(used, {
          multipliers,
          downsizes: false,
          purpose: 'recovery',
          isChosen: ({ id }) => lacking.has(id),
        });
  return {
    ...found,
    ends,
    plan,
    adjustments,
    raised: raisedResults(adjustments, used),
    changed: reruns.filter(({ job_id: id }) => !known.has(id)),
  };
}

/** The jobs that did not end well, each with its cause. */
export const badEndsOf = (facts: RecoveryFacts): BadEnd[] => endsOf(facts, usedOf(facts));

/** The jobs that ran, with the requirements that count: as they were before a recovery that was killed raised them. */
const usedOf = ({ known: { workflow }, jobs, results, requirements, note }: RecoveryFacts): UsedJob[] =>
  usedJobsOf({
    jobs: jobs.filter(({ status }) => status !== 'canceled'),
    results,
    requirements: asBefore(requirements, note, workflow.run_id ?? 0),
    execution: workflow.execution_config,
  });

function endsOf({ jobs, edges }: RecoveryFacts, used: readonly UsedJob[]): BadEnd[] {
  const usedOfJob = new Map(used.map((job) => [job.id, job]));
  const behind = behindOthers(jobs, edges);
  return jobs.map((job) => badEndOf(job, usedOfJob.get(job.id), behind)).toSorted((a, b) => a.id - b.id);
}

function badEndOf({ id, name, status }: Job, used: UsedJob | undefined, behind: Behind): BadEnd {
  const { result, use, limits } = used ?? {};
  const peak = use?.peakMemoryBytes;
  const why = whyOf({
    status: status ?? 'failed',
    lack: use && limits && lackOf(limits, use),
    isAtTimeout: use?.isAtTimeout === true,
    memoryShare: limits === undefined || peak === undefined ? undefined : peak / limits.memoryBytes,
    causeCode: use?.causeCode,
    handlerLimit: result?.handler_limit ?? undefined,
    canceledBehind: status === 'canceled' ? behind.get(id) : undefined,
  });
  const words =
    why === 'dependency' || why === 'behind_stop'
      ? 'canceled because of another job'
      : result === undefined
        ? 'canceled'
        : `return code ${result.return_code}, ${sentenceOf({ ...result, returnCode: result.return_code, causeCode: use?.causeCode })}`;
  return { id, name, status, why, origin: originOf(why, use?.causeCode), returnCode: result?.return_code, words };
}

/** Canceled jobs behind one that failed, or behind one that was stopped; the others were canceled by a user. */
type Behind = ReadonlyMap<number, 'failure' | 'stop'>;

function behindOthers(jobs: readonly Job[], listed: readonly JobDependency[]): Behind {
  const known = new Set(jobs.map(({ id }) => id));
  const edges = listed.filter(({ job_id: id, depends_on_job_id: upstream }) => known.has(id) && known.has(upstream));
  const interrupted = new Set(interruptedOf(jobs, edges));
  const waits = new Set(edges.map(({ job_id: id }) => id));
  return new Map(
    jobs.flatMap(({ id, cancel_on_blocking_job_failure: cancels }): [number, 'failure' | 'stop'][] => {
      if (!interrupted.has(id)) return [[id, 'failure']];
      return waits.has(id) && cancels !== false ? [[id, 'stop']] : [];
    }),
  );
}
