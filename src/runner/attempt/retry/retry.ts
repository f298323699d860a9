import type { Client } from '../../../client/client.ts';
import type { ClaimedJob, Completion } from '../../../core/contract/exchange.ts';
import type { WorkflowFacts } from '../../facts/workflow-facts.ts';
import { andThen } from '../../facts/and-then.ts';
import type { Shells } from '../../launch/shell.ts';
import type { CurrentRun } from '../../ledger/current-run.ts';
import { jobVariables } from '../../step/request.ts';
import { type Decision, decideRetry, type FailedCompletion, NO_LIMIT, type PlannedRetry } from './decide.ts';
import { createHandlers } from './handlers.ts';

export interface RetryOptions {
  readonly client: Client;
  readonly reads: Pick<WorkflowFacts, 'failureHandlers' | 'defaultRequirements'>;
  readonly run: CurrentRun;
  readonly usesPendingFailed: boolean;
  readonly shells: Shells;
}

export type Retry = Awaited<ReturnType<typeof createRetry>>;

/**
 * Applies the failure handlers of a workflow to failed attempts. It reads them once: the server cannot change them. A handler
 * that is created later is read when its first job fails.
 *
 * The retry is reported to the server when the recovery script has ended, and stored
 * there together with the result of the failed attempt. Until then the job counts as running here, so no runner starts
 * the next attempt while the script still prepares it.
 */
export async function createRetry(options: RetryOptions) {
  const { client, reads, run, usesPendingFailed, shells } = options;
  const handlers = createHandlers({ client, present: await reads.failureHandlers(), log: run.log });
  const unlimited = handlers.haveCauses ? await reads.defaultRequirements() : undefined;
  return {
    /** Whether the job of a failed attempt is retried, or its result is final, perhaps as one that waits for a decision. */
    decide: (job: ClaimedJob, failed: FailedCompletion): Decision | Promise<Decision> =>
      andThen(handlers.of(job.failure_handler_id), (handler) =>
        decideRetry(job, failed, handler, { usesPendingFailed, unlimited }),
      ),
    /** Runs the recovery script, and waits for the pause before the next attempt; undefined if there is neither. */
    prepare(job: ClaimedJob, completion: Completion, how: PlannedRetry): Promise<void> | undefined {
      const { recoveryScript: script = '', pauseSeconds } = how;
      run.log.write('info', 'Job retry scheduled', wordsOf(run, job, completion, how));
      const hasScript = script.trim() !== '';
      if (!hasScript && pauseSeconds === 0) return undefined;
      const prepare = async () => {
        if (hasScript) await recover(run, shells, job, completion.return_code, script);
        await shells.pause(pauseSeconds * 1000);
      };
      return prepare();
    },
  };
}

/** What the log says of a retry. */
const wordsOf = (
  run: CurrentRun,
  job: ClaimedJob,
  completion: Completion,
  { maxRetries, pauseSeconds }: PlannedRetry,
) => ({
  workflow_id: run.workflowId,
  job_id: job.id,
  job_name: job.name,
  run_id: run.runId,
  attempt_id: job.attempt_id,
  return_code: completion.return_code,
  ...(maxRetries === NO_LIMIT ? {} : { max_retries: maxRetries }),
  ...(completion.cause ? { cause: completion.cause } : {}),
  ...(pauseSeconds > 0 ? { pause_s: pauseSeconds } : {}),
});

/** Runs the recovery script; the job is retried whatever its end. */
async function recover(
  run: CurrentRun,
  shells: Shells,
  job: ClaimedJob,
  returnCode: number,
  script: string,
): Promise<void> {
  const output = recoveryLogOf(run, job);
  const about = { workflow_id: run.workflowId, job_id: job.id, attempt_id: job.attempt_id, output };
  const end = await shells.run({
    script,
    cwd: process.cwd(),
    variables: [...jobVariables(run, job), ['TORC_RETURN_CODE', String(returnCode)]],
    output,
  });
  if (end === undefined) run.log.write('info', 'Recovery script finished', about);
  else run.log.write('warn', 'Recovery script failed; the job is retried nevertheless', { ...about, reason: end });
}

/** The output of the recovery script after an attempt. */
const recoveryLogOf = (
  { workflowId, runId, outputDir }: CurrentRun,
  { id, attempt_id: attempt }: Pick<ClaimedJob, 'id' | 'attempt_id'>,
): string => `${outputDir}/recovery_wf${workflowId}_j${id}_r${runId}_a${attempt}.log`;
