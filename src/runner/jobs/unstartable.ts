import { closeSync, openSync, writeSync } from 'node:fs';
import { OPEN_FLAGS } from '../../cluster/trust.ts';
import { exitCodesOf, judge, NOT_EXECUTABLE } from '../../core/attempt/judge.ts';
import type { ClaimedJob } from '../../core/contract/exchange.ts';
import { filesOf } from '../../core/contract/files/job.ts';
import type { Attempts } from '../attempt/attempt.ts';
import type { Log } from '../facts/log.ts';
import type { RunFacts } from '../step/request.ts';

interface Parts {
  readonly facts: RunFacts;
  readonly attempts: Attempts;
  readonly log: Log;
}

/**
 * Reports a job as failed that no runner can start here: its command is too long, or its output has no folder.
 *
 * The reason stands where its standard error would. Undefined if the result is final at once.
 */
export function reportUnstartable(
  job: ClaimedJob,
  { message }: Error,
  atMs: number,
  { facts, attempts, log }: Parts,
): Promise<void> | undefined {
  sayWhy(filesOf(facts, job).stderr, message);
  log.write('error', 'Job cannot be started', { job_id: job.id, job_name: job.name, error: message });
  const verdict = judge({ exitCode: NOT_EXECUTABLE }, exitCodesOf(facts.execution));
  const fields = { cause_code: verdict.cause, cause: message };
  return attempts.report(job, verdict, { atMs, seconds: 0 }, fields);
}

/** Writes a reason where the standard error of a job would be; that it failed is known without it. */
export function sayWhy(stderr: string | undefined, message: string): void {
  if (stderr === undefined) return;
  try {
    const fd = openSync(stderr, OPEN_FLAGS.replace);
    try {
      writeSync(fd, `torc: ${message}\n`);
    } finally {
      closeSync(fd);
    }
  } catch {
    // The log contains it too.
  }
}
