import { createFileRemovalQueue } from '../records/file/removal-queue.ts';
import type {
  Ahead,
  ClaimedJob,
  Completion,
  ExchangeReply,
  ExchangeRequest,
  Retried,
} from '../../core/contract/exchange.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { JobCompletionError } from '../../core/contract/result.ts';
import type { Due } from '../act/due.ts';
import type { Claim } from '../claim/claim.ts';
import type { RunnerOfWorkflow } from '../claim/give-back.ts';
import type { Asker } from '../claim/selection.ts';
import type { StoredTurn, TurnRecord } from '../claim/turns.ts';
import type { Unneeded } from '../claim/unneeded/unneeded.ts';
import type { Accept } from '../result/accept.ts';
import type { End } from '../result/end.ts';
import type { Begin } from '../result/start.ts';
import type { FullLimit } from '../../core/lifecycle/placement/limits.ts';
import { allEnded, type createCounts } from '../records/job/counts.ts';
import { createHeldAttempts } from '../records/job/held-attempts.ts';
import type { Store } from '../records/store.ts';
import type { RetriedEnd, RetriedEnds } from './retried.ts';
import { refuseOtherRun } from '../records/find.ts';

/** The functions of other modules that an exchange calls. */
interface Verbs {
  readonly claim: Claim;
  readonly accept: Accept;
  readonly retried: RetriedEnds;
  readonly begin: Begin;
  readonly counts: ReturnType<typeof createCounts>;
  readonly due: Due;
  readonly turns: TurnRecord;
  readonly unneeded: Pick<Unneeded, 'isReported'>;
}

/**
 * A whole exchange of a runner in one transaction: starts, ends and returned jobs are processed, and new jobs are
 * assigned.
 *
 * Ends come before claims, so jobs that they made ready are assigned in the same reply: the next job of a chain starts
 * one round trip after the end of the last.
 */
export const createExchange = (
  { db, find, changes, releases, limitCounts }: Store,
  { claim, accept, retried, begin, counts, due, turns, unneeded }: Verbs,
) => {
  const held = createHeldAttempts(db, changes);
  const removals = createFileRemovalQueue({ db });
  /** Processes the entries of the runner; returns the refused ones. */
  const hear = (workflowId: number, turn: ExchangeRequest): JobCompletionError[] => {
    const { run_id: runId, compute_node_id: nodeId } = turn;
    const completed = turn.completed ?? [];
    const again = turn.retried ?? [];
    const ended = new Set([...completed, ...again].map(({ job_id: id }) => id));
    const begun = (turn.started ?? []).filter(({ job_id: id }) => !ended.has(id));
    // Ends first: a job that was claimed ahead may start by them.
    const ends = completed.map((each) => attemptEndOf(each, workflowId, runId, nodeId));
    const errors = refusedEntries(accept(workflowId, ends, 'holder'), completed);
    for (const each of begin(workflowId, runId, nodeId, begun)) errors.push(each);
    if (again.length > 0) {
      const endsAgain = again.map((each) => retriedOf(each, workflowId, runId, nodeId));
      for (const each of refusedEntries(retried(workflowId, endsAgain), again)) errors.push(each);
    }
    if (turn.returned) claim.giveBack({ workflowId, nodeId }, turn.returned);
    return errors;
  };

  const assign = (asker: RunnerOfWorkflow & Asker, { held, want }: ExchangeRequest) => {
    const jobs = held ? claim.handAgain(asker, held) : [];
    if (want)
      for (const each of claim.claim(asker, { ...want, limit: Math.max(0, want.limit - jobs.length) })) jobs.push(each);
    return jobs;
  };

  return (workflowId: number, turn: ExchangeRequest): ExchangeReply => {
    const { run_id: current, is_canceled: canceled } = find.run(workflowId);
    const { run_id: runId, compute_node_id: nodeId, turn: number, is_last: isLast } = turn;
    const choice = turn.choice ?? undefined;
    refuseOtherRun(runId, current);
    const isCanceled = canceled === 1;
    const node = turns.node(workflowId, nodeId);

    const replyWith = (jobs: ClaimedJob[], ahead: Ahead | undefined, errors: JobCompletionError[]): ExchangeReply => {
      const byStatus = counts(workflowId);
      const dueActions = due(workflowId);
      const toEnd = held.toEnd(workflowId, nodeId);
      return {
        jobs,
        ...(ahead === undefined ? {} : { ahead }),
        errors,
        jobs_by_status: byStatus,
        is_complete: isCanceled || allEnded(byStatus),
        is_canceled: isCanceled,
        ...(choice === undefined ? {} : { choice_state: claim.choiceState(choice) }),
        ...(releases.isAtWork(workflowId) ? { is_releasing: true } : {}),
        change_id: changes.lastId,
        ...(node.isActive ? {} : { is_deregistered: true }),
        ...(toEnd.length === 0 ? {} : { end_attempts: toEnd }),
        ...(dueActions.length === 0 ? {} : { due_actions: dueActions }),
        ...waitingLimits(limitCounts.waitingOf({ workflowId, nodeId })),
        ...(turn.cancels_allocations === true && unneeded.isReported(workflowId)
          ? { has_unneeded_allocations: true }
          : {}),
        ...(turn.deletes_files === true && removals.hasFiles({ workflowId, nodeId })
          ? { has_files_to_remove: true }
          : {}),
      };
    };

    const numbered = typeof number === 'number' ? number : undefined;
    const before = numbered === undefined ? undefined : turns.answered(nodeId, node, numbered);
    // Both parts of a claim look at the limits.
    const limits = turn.want ? limitCounts.limitsOfClaim(workflowId, turn.want) : undefined;
    const asker = { workflowId, nodeId, choice, limits };
    if (before !== undefined) {
      const same = claim.aheadSame(asker, before.jobIds);
      const ahead = same.length === 0 ? undefined : { jobs: same, rest: [], settled: [] };
      return replyWith(claim.handSame(asker, before.jobIds), ahead, before.errors);
    }

    const errors = hear(workflowId, turn);
    if (isLast === true) claim.giveBackAllBut({ workflowId, nodeId }, turn.held ?? []);
    // A deregistered node gets no jobs: it would stay unnoticed if it did not start them.
    const mayTake = isLast !== true && !isCanceled && node.isActive;
    const jobs = mayTake ? assign(asker, turn) : [];
    const ahead =
      mayTake && turn.want
        ? claim.claimAhead(
            asker,
            turn.want,
            jobs.map(({ id }) => id),
          )
        : undefined;
    if (numbered !== undefined) {
      const stored: StoredTurn = { jobIds: [...jobs, ...(ahead?.jobs ?? [])].map(({ id }) => id), errors };
      turns.store(nodeId, numbered, stored);
    }
    return replyWith(jobs, ahead, errors);
  };
};

const waitingLimits = (full: readonly FullLimit[]): Pick<ExchangeReply, 'waiting_limits'> =>
  full.length === 0 ? {} : { waiting_limits: full.map(({ limit, needs, held }) => ({ ...limit, needs, held })) };

/** The entry of a runner about an attempt, with the fields that fence it. */
export function attemptEndOf(reported: Completion, workflowId: number, runId: number, nodeId: number): End {
  return {
    workflowId,
    runId,
    jobId: reported.job_id,
    attemptId: reported.attempt_id,
    nodeId,
    status: reported.status,
    returnCode: reported.return_code,
    execTimeMinutes: reported.exec_time_minutes,
    completionTime: reported.completion_time,
    peakMemoryBytes: reported.peak_memory_bytes,
    avgMemoryBytes: reported.avg_memory_bytes,
    peakCpuPercent: reported.peak_cpu_percent,
    avgCpuPercent: reported.avg_cpu_percent,
    peakGpuMemoryBytes: reported.peak_gpu_memory_bytes,
    gpuMemoryBytes: reported.gpu_memory_bytes,
    avgGpuWatts: reported.avg_gpu_watts,
    cause: reported.cause,
    causeCode: reported.cause_code,
    handlerLimit: reported.handler_limit,
    files: reported.files,
    inputs: reported.inputs,
    slurmStats: reported.slurm_stats,
  };
}

export const retriedOf = (reported: Retried, workflowId: number, runId: number, nodeId: number): RetriedEnd => ({
  ...attemptEndOf(reported, workflowId, runId, nodeId),
  maxRetries: reported.max_retries,
  raise: reported.raise ?? undefined,
  isRefunded: reported.is_refunded === true,
});

/** The refused entries, as the service reports them. */
export function refusedEntries(
  verdicts: readonly unknown[],
  entries: readonly { readonly job_id: number }[],
): JobCompletionError[] {
  return verdicts.flatMap((verdict, index) =>
    verdict instanceof Refusal
      ? [{ job_id: (entries[index] as { job_id: number }).job_id, message: verdict.message, code: verdict.code }]
      : [],
  );
}
