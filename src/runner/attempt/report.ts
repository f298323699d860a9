import { unlink } from 'node:fs/promises';
import { countRepeated, type Repeated } from '../../core/attempt/repeated.ts';
import type { ClaimedJob, Completion, Retried } from '../../core/contract/exchange.ts';
import { filesOf, stdioOf } from '../../core/contract/files/job.ts';
import { andThen } from '../facts/and-then.ts';
import type { Tally } from '../facts/options.ts';
import type { CurrentRun } from '../ledger/current-run.ts';
import type { Crate } from './crate/crate.ts';
import type { JudgedAttempt } from './result.ts';
import { protectOutputs } from './protect.ts';
import type { PlannedRetry } from './retry/decide.ts';
import type { Retry } from './retry/retry.ts';

export interface ReportOptions {
  readonly run: CurrentRun;
  /** May retry attempts; without it every end is final. */
  readonly retry?: Retry | undefined;
  /** Records provenance; absent unless the workflow requests it. */
  readonly crate?: Crate | undefined;
  readonly onJobEnded?: ((job: ClaimedJob) => void) | undefined;
  /** A job is over for this runner: it completed, or it will not complete here. */
  readonly onOver: (jobId: number, isCompleted: boolean) => void;
}

export type AttemptReports = ReturnType<typeof createAttemptReports>;

/** Records the results of attempts in ledger and outbox. */
export function createAttemptReports({ run, retry, crate, onJobEnded, onOver }: ReportOptions) {
  const { ledger, outbox, log } = run;
  const tally: Tally = { completed: 0, failed: 0, terminated: 0 };
  const repeated = new Map<string, number>();

  /** The result is final. */
  const reportEnd = (job: ClaimedJob, completion: Completion) => {
    ledger.end(completion);
    outbox.completed(completion);
    const { status } = completion;
    onOver(job.id, status === 'completed');
    tally[status === 'completed' || status === 'terminated' ? status : 'failed'] += 1;
    onJobEnded?.(job);
    if (status !== 'completed') return;
    deleteOutput(run, job);
    crate?.completed(job, completion);
  };

  /** In the ledger at once; the server learns of it when the next attempt is prepared. That may run elsewhere: so the job is over here. */
  const reportRetry = (by: Retry, job: ClaimedJob, completion: Completion, how: PlannedRetry): void | Promise<void> => {
    const retried = retriedOf(completion, how);
    ledger.retry(retried);
    const prepared = by.prepare(job, completion, how);
    if (prepared !== undefined) ledger.flush();
    return andThen(prepared, () => {
      outbox.retried(retried);
      countRepeated(repeated, completion);
      onOver(job.id, false);
    });
  };

  return {
    tally: tally as Readonly<Tally>,
    repeated: repeated as Repeated,
    /**
     * Reports the result of an attempt, or its retry by a failure handler. The promise resolves when the attempt is settled; undefined
     * means at once, which is nearly always the case.
     */
    report({ job, completion, failure, timeout, isCanceled }: JudgedAttempt): void | Promise<void> {
      log.write('info', 'Job completed', {
        workflow_id: run.workflowId,
        job_id: job.id,
        run_id: run.runId,
        attempt_id: job.attempt_id,
        return_code: completion.return_code,
        status: completion.status,
        exec_time_s: (completion.exec_time_minutes * 60).toFixed(3),
      });
      protectOutputs(job, completion.status, log);
      // A canceled job must not run again.
      if (retry === undefined || completion.status === 'completed' || isCanceled) return reportEnd(job, completion);
      return andThen(retry.decide(job, { completion, cause: failure, timeout }), (decided) =>
        decided.kind === 'again'
          ? reportRetry(retry, job, decided.completion, decided.again)
          : reportEnd(job, decided.completion),
      );
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

/** Deletes the output of a job that completed, if its workflow says so. */
function deleteOutput(run: CurrentRun, job: ClaimedJob): void {
  if (!stdioOf(run.execution, job.name).delete_on_success) return;
  const { stdout, stderr } = filesOf(run, job);
  for (const path of new Set([stdout, stderr])) if (path !== undefined) void unlink(path).catch(() => {});
}
