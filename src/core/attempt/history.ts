import type { JobStatus } from '../job/job-statuses.ts';
import type { AttemptOfJob } from '../contract/view.ts';
import { timeText } from '../quantity/time-text.ts';
import { didOf, sentenceOf, type StoredEnd } from './cause.ts';

/** Attempts that a person reads, the last ones; programs get more, those before without the name of their host. */
export const MOST_ATTEMPTS = 20;
/** The most attempts in `GET /jobs/{id}/known`, the newest ones: a job that fails at once and is repeated may have millions. */
export const MOST_RESULTS = 1_000;

/** An attempt that ended, as its result records it. */
export interface RecordedAttempt extends StoredEnd {
  readonly run: number;
  readonly attempt: number;
  readonly seconds: number;
  readonly endedAt: string;
  readonly nodeId: number;
  readonly hostname: string | undefined;
}

/** What is known of a job and its attempts. */
export interface KnownAttempts {
  readonly status: JobStatus;
  /** The attempt that it is in, and the run of its workflow. */
  readonly attempt: number;
  readonly run: number;
  readonly startedAt: string | undefined;
  readonly runningOn: string | undefined;
  readonly recorded: readonly RecordedAttempt[];
}

/** An attempt number that a client set is no reason to list a million of them. */
const MOST_WITHOUT_RESULT = 100;

/** Why nothing is recorded of an attempt: a lost runner leaves a result, where it had reported the start. */
const NO_RESULT = 'the job was reset while it ran, or was lost with its runner before its start was known';

/**
 * The attempts of a job over all runs of its workflow, in order.
 *
 * A new run does not begin at attempt 1 again: the number grows where an attempt is repeated within a run, and where a job is reset
 * while it runs. So a number without a result in any run is an attempt that left none; its run is unknown.
 */
export function attemptsOf({ status, attempt, run, startedAt, runningOn, recorded }: KnownAttempts): AttemptOfJob[] {
  const listed = recorded
    .toSorted((one, other) => one.run - other.run || one.attempt - other.attempt)
    .map(endedAttempt);
  for (const number of withoutResult(attempt, recorded)) {
    const next = listed.findIndex((each) => each.attempt_id > number);
    const left = { kind: 'no_result', attempt_id: number, why: NO_RESULT } as const;
    listed.splice(next === -1 ? listed.length : next, 0, left);
  }
  if (status === 'running')
    listed.push({
      kind: 'runs',
      run_id: run,
      attempt_id: attempt,
      status,
      ...(startedAt === undefined ? {} : { started_at: startedAt }),
      ...(runningOn === undefined ? {} : { hostname: runningOn }),
    });
  return listed;
}

function endedAttempt(ended: RecordedAttempt): AttemptOfJob {
  const { run, attempt, status, returnCode, causeCode, seconds, endedAt, nodeId, hostname } = ended;
  const why = sentenceOf(ended);
  return {
    kind: 'ended',
    run_id: run,
    attempt_id: attempt,
    status,
    return_code: returnCode,
    ended_at: endedAt,
    seconds,
    compute_node_id: nodeId,
    ...(hostname === undefined ? {} : { hostname }),
    ...(causeCode ? { cause_code: causeCode } : {}),
    ...(why === undefined ? {} : { why }),
  };
}

/** The numbers before the present one that no result has. */
function withoutResult(attempt: number, recorded: readonly RecordedAttempt[]): number[] {
  const reported = new Set(recorded.map((each) => each.attempt));
  const first = Math.max(1, attempt - MOST_WITHOUT_RESULT);
  return Array.from({ length: Math.max(0, attempt - first) }, (_, at) => first + at).filter((n) => !reported.has(n));
}

/**
 * The last attempts for people: `attempt 1 failed with exit code 75 after 1.2s on n1, 2026-03-01T12:00:00Z`, and why in a line of its
 * own. The run is named where there are several.
 */
export function attemptLines(attempts: readonly AttemptOfJob[], atMost = Infinity): string[] {
  const hasRuns = new Set(attempts.flatMap(({ run_id: run }) => run ?? [])).size > 1;
  return attempts.slice(-atMost).flatMap((each) => {
    const run = hasRuns && typeof each.run_id === 'number' ? `run ${each.run_id}, ` : '';
    return [`${run}attempt ${each.attempt_id} ${wordsOf(each)}`, ...(each.why ? [`  ${each.why}`] : [])];
  });
}

function wordsOf({
  kind,
  status,
  return_code: code,
  seconds,
  hostname,
  ended_at: endedAt,
  started_at: startedAt,
}: AttemptOfJob) {
  const on = hostname ? ` on ${hostname}` : '';
  if (kind === 'no_result') return 'left no result';
  if (kind === 'runs') return `runs${on}${startedAt ? ` since ${wholeSeconds(startedAt)}` : ''}`;
  const did = status === 'completed' ? didOf(status) : `${didOf(status as JobStatus)} with exit code ${code}`;
  return `${did} after ${timeText(seconds ?? 0)}${on}, ${wholeSeconds(endedAt ?? '')}`;
}

const wholeSeconds = (moment: string): string => moment.replace(/\.\d+(?=Z|[+-]|$)/, '');
