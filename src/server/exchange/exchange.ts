import type { Completion, ExchangeReply, ExchangeRequest, Retried } from '../../core/contract/exchange.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { JobCompletionError } from '../../core/contract/result.ts';
import type { Due } from '../act/due.ts';
import type { Claim } from '../claim/claim.ts';
import type { Accept } from '../result/accept.ts';
import type { End } from '../result/end.ts';
import type { Begin } from '../result/start.ts';
import { allEnded, type createCounts } from '../store/counts.ts';
import type { Store } from '../store/store.ts';
import type { RetriedEnd, RetriedEnds } from './retried.ts';

/** The verbs of other slices that a turn is made of. */
interface Verbs {
  readonly claim: Claim;
  readonly accept: Accept;
  readonly retried: RetriedEnds;
  readonly begin: Begin;
  readonly counts: ReturnType<typeof createCounts>;
  readonly due: Due;
  readonly isNodeOf: (workflowId: number, nodeId: number) => boolean;
}

/**
 * A runner's whole turn in one transaction: what started, what ended, what it gives back, what it wants next.
 *
 * Ends come before claims, so that what they made ready is handed out in the same answer: the next job of a chain is one
 * round trip away from the end of the last.
 */
export const createExchange =
  ({ find, changes }: Store, { claim, accept, retried, begin, counts, due, isNodeOf }: Verbs) =>
  (workflowId: number, turn: ExchangeRequest): ExchangeReply => {
    const { run_id: current, is_canceled: isCanceled } = find.run(workflowId);
    const { run_id: runId, compute_node_id: nodeId } = turn;
    if (runId !== current) {
      throw new Refusal('RUN_SUPERSEDED', `Run ID mismatch: provided ${runId} but workflow is at run ${current}`, {
        runId,
        current,
      });
    }
    if (!isNodeOf(workflowId, nodeId)) {
      throw new Refusal(
        'REFERENCE_UNKNOWN',
        `compute_node_id=${nodeId} is not a compute node of workflow ${workflowId}`,
        { field: 'compute_node_id', found: nodeId },
      );
    }
    const asker = { workflowId, nodeId };
    const completed = turn.completed ?? [];

    const again = turn.retried ?? [];
    const ended = new Set([...completed, ...again].map(({ job_id: id }) => id));
    const begun = (turn.started ?? []).filter(({ job_id: id }) => !ended.has(id));
    const errors = begin(workflowId, runId, nodeId, begun);
    errors.push(
      ...refused(
        accept(
          workflowId,
          completed.map((each) => endOf(each, workflowId, runId, nodeId)),
          'holder',
        ),
        completed,
      ),
    );
    if (again.length > 0) {
      const ends = again.map((each) => retriedOf(each, workflowId, runId, nodeId));
      errors.push(...refused(retried(workflowId, ends), again));
    }
    if (turn.returned) claim.giveBack(asker, turn.returned);

    const jobs = turn.held ? claim.handAgain(asker, turn.held) : [];
    if (turn.want && isCanceled === 0) {
      const { limit } = turn.want;
      jobs.push(...claim.claim(asker, { ...turn.want, limit: Math.max(0, limit - jobs.length) }));
    }
    const byStatus = counts(workflowId);
    const dueActions = due(workflowId);
    return {
      jobs,
      errors,
      jobs_by_status: byStatus,
      is_complete: isCanceled === 1 || allEnded(byStatus),
      is_canceled: isCanceled === 1,
      change_id: changes.lastId,
      ...(dueActions.length === 0 ? {} : { due_actions: dueActions }),
    };
  };

/** What a runner tells of an attempt, with what fences it. */
export function endOf(told: Completion, workflowId: number, runId: number, nodeId: number): End {
  return {
    workflowId,
    runId,
    jobId: told.job_id,
    attemptId: told.attempt_id,
    nodeId,
    status: told.status,
    returnCode: told.return_code,
    execTimeMinutes: told.exec_time_minutes,
    completionTime: told.completion_time,
    peakMemoryBytes: told.peak_memory_bytes,
    avgMemoryBytes: told.avg_memory_bytes,
    peakCpuPercent: told.peak_cpu_percent,
    avgCpuPercent: told.avg_cpu_percent,
    files: told.files,
  };
}

export const retriedOf = (told: Retried, workflowId: number, runId: number, nodeId: number): RetriedEnd => ({
  ...endOf(told, workflowId, runId, nodeId),
  maxRetries: told.max_retries,
});

/** The entries that were refused, as the service tells them. */
export function refused(
  verdicts: readonly unknown[],
  entries: readonly { readonly job_id: number }[],
): JobCompletionError[] {
  return verdicts.flatMap((verdict, index) =>
    verdict instanceof Refusal
      ? [{ job_id: (entries[index] as { job_id: number }).job_id, message: verdict.message, code: verdict.code }]
      : [],
  );
}
