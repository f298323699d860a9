import { STDIO_FOLDER } from '../../core/contract/files/job.ts';
import type { ClaimedJob } from '../../core/contract/exchange.ts';
import type { Attempts } from '../attempt/attempt.ts';
import type { LaunchError } from '../launch/launcher.ts';
import type { Log } from '../facts/log.ts';
import type { RunFacts } from '../step/request.ts';
import { OutputFolderError } from '../launch/output-folders.ts';
import type { PendingJobs } from './pending-jobs.ts';
import type { StartPause } from './start-pause.ts';
import { reportUnstartable } from './unstartable.ts';

/** Pause before a launch is repeated that failed because of missing processes or memory. */
const RETRY_LAUNCH_MS = 100;

export interface FailedStartOptions {
  readonly facts: RunFacts;
  readonly pending: Pick<PendingJobs, 'putBack'>;
  readonly startPause: Pick<StartPause, 'begin'>;
  readonly attempts: Attempts;
  readonly log: Log;
  /** The job has failed; its result is final when the promise resolves, undefined means at once. */
  readonly onReported: (job: ClaimedJob, reported: Promise<void> | undefined) => void;
  /** Jobs cannot be started here at all, for this reason. */
  readonly onUnable: (reason: string) => void;
}

/** What happens after a launch that failed; the returned function says whether other jobs can be started now. */
export function createFailedStart(options: FailedStartOptions) {
  const { facts, pending, startPause, attempts, log, onReported, onUnable } = options;
  return (job: ClaimedJob, startedAtMs: number, error: LaunchError): boolean => {
    switch (afterFailedStart(error)) {
      case 'try-again':
        log.write('warn', 'Job not started, trying again', { job_id: job.id, error: error.message });
        pending.putBack(job);
        startPause.begin(RETRY_LAUNCH_MS, 'launch');
        return false;
      case 'fail-job':
        onReported(job, reportUnstartable(job, error, startedAtMs, { facts, attempts, log }));
        return true;
      case 'stop-runner':
        pending.putBack(job);
        onUnable(
          `job ${job.id} (${job.name}) could not be started: ${error.message}, output folder ${facts.outputDir}/${STDIO_FOLDER}`,
        );
        return false;
    }
  };
}

/** Its command is too long, or a link stands in the place of its output. */
const OF_JOB: ReadonlySet<string> = new Set(['E2BIG', 'ELOOP']);

/** Missing processes or memory pass; some errors are the job's own; with all others no job can start here. */
export function afterFailedStart(error: LaunchError): 'try-again' | 'fail-job' | 'stop-runner' {
  if (error.isPassing) return 'try-again';
  return OF_JOB.has(error.code) || error instanceof OutputFolderError ? 'fail-job' : 'stop-runner';
}
