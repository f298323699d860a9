import type { Timeout } from '../../../core/attempt/timeout.ts';
import type { ClaimedJob, Completion, Retried } from '../../../core/contract/exchange.ts';
import { type CauseRules } from '../../../core/lifecycle/retry/cause-rules.ts';
import {
  backoffSeconds,
  type CauseVerdict,
  type FailureCause,
  verdictByCause,
} from '../../../core/lifecycle/retry/cause-verdict.ts';
import type { Verdict } from '../../../core/attempt/judge.ts';
import { type RetryRules, retryVerdictOf } from './exit-code-rules.ts';

/** A failure handler as read. */
export interface HandlerRules {
  readonly rules: RetryRules;
  readonly causes: CauseRules | undefined;
}

export const NO_HANDLER: HandlerRules = { rules: 'none', causes: undefined };
export const UNREADABLE: HandlerRules = { rules: 'unreadable', causes: undefined };

/** An attempt that failed, and what ended it, if more than its exit code proves that. */
export interface FailedCompletion {
  readonly completion: Completion;
  readonly cause: FailureCause | undefined;
  /** The timeout at which it was ended. */
  readonly timeout?: Timeout | undefined;
}

/** How a job is retried. */
export interface PlannedRetry {
  readonly maxRetries: number;
  readonly recoveryScript: string | undefined;
  readonly raise: Retried['raise'];
  readonly isRefunded: boolean;
  readonly pauseSeconds: number;
}

/** The completion is what is reported of the attempt: with the words of a rule, or as one that waits for a decision. */
export type Decision =
  | { readonly kind: 'again'; readonly completion: Completion; readonly again: PlannedRetry }
  | { readonly kind: 'end'; readonly completion: Completion };

/** What the workflow says beside the handler. */
export interface Terms {
  readonly usesPendingFailed: boolean;
  /** The requirements of jobs that name none: they set no limit that could be raised. */
  readonly unlimited: number | undefined;
}

/** More than any number of attempts: the rule itself says when to stop. */
export const NO_LIMIT = 1_000_000_000;

/** What happens after a failed attempt. A rule about its cause precedes the rules about exit codes. */
export function decideRetry(
  job: ClaimedJob,
  failed: FailedCompletion,
  { rules, causes }: HandlerRules,
  terms: Terms,
): Decision {
  const { completion } = failed;
  const pauseSeconds = backoffSeconds(causes?.backoff, job.attempt_id);
  const found = byCause(job, failed, causes, terms.unlimited);
  if (found !== undefined) {
    // What is known of the end precedes what the handler makes of it.
    const cause = completion.cause ? `${completion.cause}; ${found.words}` : found.words;
    const explained = { ...completion, cause };
    if (found.kind !== 'again') return { kind: 'end', completion: { ...explained, handler_limit: found.limit } };
    const { maxRetries = NO_LIMIT, raise, isRefunded } = found;
    const again = { maxRetries, recoveryScript: undefined, raise, isRefunded, pauseSeconds };
    return { kind: 'again', completion: explained, again };
  }
  const outcome = { status: completion.status as Verdict['status'], returnCode: completion.return_code };
  const verdict = retryVerdictOf(outcome, countedAttempt(job), rules, terms.usesPendingFailed);
  if (verdict.kind === 'again') {
    const { maxRetries, recoveryScript } = verdict.rule;
    const again = { maxRetries, recoveryScript, raise: undefined, isRefunded: false, pauseSeconds };
    return { kind: 'again', completion, again };
  }
  return {
    kind: 'end',
    completion: verdict.kind === 'undecided' ? { ...completion, status: 'pending_failed' } : completion,
  };
}

/** The decision of the rules about causes, if one of them is about this cause. */
function byCause(
  job: ClaimedJob,
  { completion, cause, timeout }: FailedCompletion,
  rules: CauseRules | undefined,
  unlimited: number | undefined,
): CauseVerdict | undefined {
  if (cause === undefined) return undefined;
  if (cause !== 'node' && timeout === undefined && job.resource_requirements_id === unlimited) return undefined;
  return verdictByCause(rules, {
    cause,
    timeout,
    attempt: countedAttempt(job),
    need: job.need,
    seconds: completion.exec_time_minutes * 60,
    peakMemoryBytes: completion.peak_memory_bytes ?? undefined,
  });
}

/** Attempts that were lost with their runner do not count. */
const countedAttempt = ({ attempt_id: attempt, refunded_attempts: refunded }: ClaimedJob) => attempt - (refunded ?? 0);
