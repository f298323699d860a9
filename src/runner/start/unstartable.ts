import { writeFileSync } from 'node:fs';
import type { ClaimedJob } from '../../core/contract/exchange.ts';
import { filesOf } from '../../core/contract/files/job.ts';
import type { Attempts } from '../end/attempt.ts';
import type { Log } from '../log.ts';
import type { RunFacts } from '../step/request.ts';

/** The exit code of a shell that cannot execute a command. */
const CANNOT_EXECUTE = 126;

interface Parts {
  readonly facts: RunFacts;
  readonly attempts: Attempts;
  readonly log: Log;
}

/**
 * Reports a job as failed that cannot be started here, whoever tries: its command is too long, or its output has no folder.
 *
 * The reason stands where its standard error would. Undefined if the result is final at once.
 */
export function reportUnstartable(
  job: ClaimedJob,
  { message }: Error,
  atMs: number,
  { facts, attempts, log }: Parts,
): Promise<void> | undefined {
  const { stderr } = filesOf(facts, job);
  try {
    if (stderr !== undefined) writeFileSync(stderr, `torc: ${message}\n`);
  } catch {
    // The log contains it too.
  }
  log.write('error', 'Job cannot be started', { job_id: job.id, job_name: job.name, error: message });
  return attempts.report(job, { status: 'failed', returnCode: CANNOT_EXECUTE }, { atMs, seconds: 0 }, {});
}
