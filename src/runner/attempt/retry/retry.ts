import type { Client } from '../../../client/client.ts';
import type { ClaimedJob, Completion, Retried } from '../../../core/contract/exchange.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Log } from '../../facts/log.ts';
import type { Outbox } from '../../ledger/outbox.ts';
import type { WorkflowFacts } from '../../facts/workflow-facts.ts';
import type { Shells } from '../../launch/shell.ts';
import { jobVariables, type RunFacts } from '../../step/request.ts';
import { type PlannedRetry, decideRetry, type FailedCompletion, type HandlerRules, NO_LIMIT } from './decide.ts';
import { createHandlers } from './handlers.ts';

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
  take(job: ClaimedJob, failed: FailedCompletion, report: (completion: Completion) => void): Promise<void> | undefined;
}

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
  const handlers = createHandlers({ client, present: await reads.failureHandlers(), log });
  const unlimited = handlers.haveCauses ? await reads.defaultRequirements() : undefined;

  const again = (job: ClaimedJob, completion: Completion, how: PlannedRetry): Promise<void> | undefined => {
    const { recoveryScript: script, pauseSeconds } = how;
    const retried = retriedOf(completion, how);
    ledger.retry(retried);
    log.write('info', 'Job retry scheduled', wordsOf(facts, job, completion, how));
    const hasScript = script !== undefined && script.trim() !== '';
    if (!hasScript && pauseSeconds === 0) {
      outbox.retried(retried);
      return undefined;
    }
    ledger.flush();
    const prepare = async () => {
      if (hasScript) await recover({ facts, shells, log }, job, completion.return_code, script);
      await shells.pause(pauseSeconds * 1000);
      outbox.retried(retried);
    };
    return prepare();
  };

  return {
    take(job, failed, report) {
      const judge = (handler: HandlerRules): Promise<void> | undefined => {
        const decision = decideRetry(job, failed, handler, { usesPendingFailed, unlimited });
        if (decision.kind === 'again') return again(job, decision.completion, decision.again);
        report(decision.completion);
        return undefined;
      };
      const handler = handlers.of(job.failure_handler_id);
      return handler instanceof Promise ? handler.then(judge) : judge(handler);
    },
  };
}

/** The report of an attempt after which its job is retried. */
const retriedOf = (completion: Completion, { maxRetries, raise, isRefunded }: PlannedRetry): Retried => ({
  ...completion,
  max_retries: maxRetries,
  ...(raise ? { raise } : {}),
  ...(isRefunded ? { is_refunded: true } : {}),
});

/** What the log says of a retry. */
const wordsOf = (
  facts: RunFacts,
  job: ClaimedJob,
  completion: Completion,
  { maxRetries, pauseSeconds }: PlannedRetry,
) => ({
  workflow_id: facts.workflowId,
  job_id: job.id,
  job_name: job.name,
  run_id: facts.runId,
  attempt_id: job.attempt_id,
  return_code: completion.return_code,
  ...(maxRetries === NO_LIMIT ? {} : { max_retries: maxRetries }),
  ...(completion.cause ? { cause: completion.cause } : {}),
  ...(pauseSeconds > 0 ? { pause_s: pauseSeconds } : {}),
});

/** Runs the recovery script; the job is retried whatever its end. */
async function recover(
  { facts, shells, log }: Pick<RetryOptions, 'facts' | 'shells' | 'log'>,
  job: ClaimedJob,
  returnCode: number,
  script: string,
): Promise<void> {
  const output = recoveryLogOf(facts, job);
  const about = { workflow_id: facts.workflowId, job_id: job.id, attempt_id: job.attempt_id, output };
  const end = await shells.run({
    script,
    cwd: process.cwd(),
    variables: [...jobVariables(facts, job), ['TORC_RETURN_CODE', String(returnCode)]],
    output,
  });
  if (end === undefined) log.write('info', 'Recovery script finished', about);
  else log.write('warn', 'Recovery script failed; the job is retried nevertheless', { ...about, reason: end });
}

/** The output of the recovery script after an attempt. */
const recoveryLogOf = (
  { workflowId, runId, outputDir }: RunFacts,
  { id, attempt_id: attempt }: Pick<ClaimedJob, 'id' | 'attempt_id'>,
): string => `${outputDir}/recovery_wf${workflowId}_j${id}_r${runId}_a${attempt}.log`;
