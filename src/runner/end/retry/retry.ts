import type { Client } from '../../../client/client.ts';
import type { ClaimedJob, Completion, Retried } from '../../../core/contract/exchange.ts';
import type { FailureHandler } from '../../../core/contract/scheduling.ts';
import type { Ledger } from '../../report/ledger.ts';
import type { Log } from '../../log.ts';
import type { Outbox } from '../../report/outbox.ts';
import type { WorkflowFacts } from '../../setup/workflow-facts.ts';
import type { Outcome } from '../outcome.ts';
import type { Shells } from '../../launch/shell.ts';
import { jobVariables, type RunFacts } from '../../step/request.ts';
import {
  backoffSeconds,
  type CauseRules,
  type CauseVerdict,
  type FailureCause,
  readCauses,
  verdictByCause,
} from '../../../core/lifecycle/cause-rules.ts';
import { readRules, type Rules, verdictOf } from './rules.ts';

export interface RetryOptions {
  readonly client: Client;
  readonly reads: Pick<WorkflowFacts, 'failureHandlers' | 'defaultRequirements'>;
  readonly facts: RunFacts;
  readonly usesPendingFailed: boolean;
  readonly ledger: Ledger;
  readonly outbox: Outbox;
  readonly shells: Shells;
  readonly log: Log;
}

/** Applies the failure handlers of a workflow to failed attempts. */
export interface Retry {
  /**
   * Handles a failed attempt: its job is retried, or its end is reported, perhaps as one that waits for a decision.
   * The returned promise resolves when that is final; undefined if it already is.
   */
  take(
    job: ClaimedJob,
    failed: { readonly completion: Completion; readonly cause: FailureCause | undefined },
    tell: (completion: Completion) => void,
  ): Promise<void> | undefined;
}

/** A failure handler as read. */
interface Handler {
  readonly rules: Rules;
  readonly causes: CauseRules | undefined;
}

/** How a job is retried. */
interface Again {
  readonly maxRetries: number;
  readonly recoveryScript: string | undefined;
  readonly raise: Retried['raise'];
  readonly isRefunded: boolean;
  readonly pauseSeconds: number;
}

/** More than any number of attempts: the rule itself says when to stop. */
const NO_LIMIT = 1_000_000_000;

/**
 * Reads the failure handlers of the workflow once: the server cannot change them. A handler that is created later is
 * read when its first job fails.
 *
 * The retry is written into the ledger at once, reported to the server when the recovery script has ended, and stored
 * there together with the result of the failed attempt. Until then the job counts as running here, so no runner starts
 * the next attempt while the script still prepares it.
 */
export async function createRetry(options: RetryOptions): Promise<Retry> {
  const { client, reads, facts, usesPendingFailed, ledger, outbox, shells, log } = options;
  const { workflowId } = facts;

  const handlerOf = ({ id, name, rules }: FailureHandler): Handler => {
    try {
      return { rules: readRules(rules), causes: readCauses(rules) };
    } catch (error) {
      log.write('warn', 'A failure handler cannot be read; its jobs stay failed', {
        failure_handler_id: id,
        name,
        reason: (error as Error).message,
      });
      return UNREADABLE;
    }
  };

  const fetchHandler = async (id: number): Promise<Handler> => {
    try {
      const handler = handlerOf(await client.getFailureHandler({ params: { id } }));
      known.set(id, handler);
      return handler;
    } catch (error) {
      log.write('warn', 'A failure handler cannot be fetched; the job stays failed', {
        failure_handler_id: id,
        reason: (error as Error).message,
      });
      return UNREADABLE;
    }
  };

  const handlers = await reads.failureHandlers();
  const known = new Map<number, Handler>(handlers.map((each) => [each.id as number, handlerOf(each)]));
  /** The requirements of jobs that name none: they set no limit that could be raised. */
  const unlimited = [...known.values()].some(({ causes }) => causes !== undefined)
    ? await reads.defaultRequirements()
    : undefined;

  const recover = async (job: ClaimedJob, returnCode: number, script: string): Promise<void> => {
    const output = recoveryLogOf(facts, job);
    const about = { workflow_id: workflowId, job_id: job.id, attempt_id: job.attempt_id, output };
    const end = await shells.run({
      script,
      cwd: process.cwd(),
      variables: [...jobVariables(facts, job), ['TORC_RETURN_CODE', String(returnCode)]],
      output,
    });
    if (end === undefined) log.write('info', 'Recovery script finished', about);
    else log.write('warn', 'Recovery script failed; the job is retried nevertheless', { ...about, reason: end });
  };

  const again = (
    job: ClaimedJob,
    completion: Completion,
    { maxRetries, recoveryScript: script, raise, isRefunded, pauseSeconds }: Again,
  ): Promise<void> | undefined => {
    const retried: Retried = {
      ...completion,
      max_retries: maxRetries,
      ...(raise ? { raise } : {}),
      ...(isRefunded ? { is_refunded: true } : {}),
    };
    ledger.retry(retried);
    log.write('info', 'Job retry scheduled', {
      workflow_id: workflowId,
      job_id: job.id,
      job_name: job.name,
      run_id: facts.runId,
      attempt_id: job.attempt_id,
      return_code: completion.return_code,
      ...(maxRetries === NO_LIMIT ? {} : { max_retries: maxRetries }),
      ...(completion.cause ? { cause: completion.cause } : {}),
      ...(pauseSeconds > 0 ? { pause_s: pauseSeconds } : {}),
    });
    const hasScript = script !== undefined && script.trim() !== '';
    if (!hasScript && pauseSeconds === 0) {
      outbox.retried(retried);
      return undefined;
    }
    ledger.flush();
    const prepare = async () => {
      if (hasScript) await recover(job, completion.return_code, script);
      await shells.pause(pauseSeconds * 1000);
      outbox.retried(retried);
    };
    return prepare();
  };

  /** The decision of the rules about causes, if one of them is about this cause. */
  const byCause = (
    job: ClaimedJob,
    { completion, cause }: { readonly completion: Completion; readonly cause: FailureCause | undefined },
    rules: CauseRules | undefined,
  ): CauseVerdict | undefined => {
    if (cause === undefined) return undefined;
    if (cause !== 'node' && job.resource_requirements_id === unlimited) return undefined;
    return verdictByCause(rules, {
      cause,
      attempt: countedAttempt(job),
      need: job.need,
      seconds: completion.exec_time_minutes * 60,
      peakMemoryBytes: completion.peak_memory_bytes ?? undefined,
    });
  };

  return {
    take(job, failed, tell) {
      const { completion } = failed;
      const handlerId = job.failure_handler_id ?? 0;
      const judge = ({ rules, causes }: Handler): Promise<void> | undefined => {
        const attempt = countedAttempt(job);
        const pauseSeconds = backoffSeconds(causes?.backoff, job.attempt_id);
        const found = byCause(job, failed, causes);
        if (found !== undefined) {
          const explained = { ...completion, cause: found.words };
          if (found.kind === 'again')
            return again(job, explained, {
              maxRetries: found.maxRetries ?? NO_LIMIT,
              recoveryScript: undefined,
              raise: found.raise,
              isRefunded: found.isRefunded,
              pauseSeconds,
            });
          tell(explained);
          return undefined;
        }
        const outcome = { status: completion.status as Outcome['status'], returnCode: completion.return_code };
        const verdict = verdictOf(outcome, attempt, rules, usesPendingFailed);
        if (verdict.kind === 'again')
          return again(job, completion, { ...verdict.rule, raise: undefined, isRefunded: false, pauseSeconds });
        tell(verdict.kind === 'undecided' ? { ...completion, status: 'pending_failed' } : completion);
        return undefined;
      };
      const handler = handlerId === 0 ? NO_HANDLER : known.get(handlerId);
      return handler === undefined ? fetchHandler(handlerId).then(judge) : judge(handler);
    },
  };
}

const NO_HANDLER: Handler = { rules: 'none', causes: undefined };
const UNREADABLE: Handler = { rules: 'unreadable', causes: undefined };

/** Attempts that were lost with their runner do not count. */
const countedAttempt = ({ attempt_id: attempt, refunded_attempts: refunded }: ClaimedJob) => attempt - (refunded ?? 0);

/** The output of the recovery script after an attempt. */
const recoveryLogOf = (
  { workflowId, runId, outputDir }: RunFacts,
  { id, attempt_id: attempt }: Pick<ClaimedJob, 'id' | 'attempt_id'>,
): string => `${outputDir}/recovery_wf${workflowId}_j${id}_r${runId}_a${attempt}.log`;
