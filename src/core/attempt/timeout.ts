import type { ClaimedJob } from '../contract/exchange.ts';
import type { ExecutionConfig } from '../contract/workflow.ts';
import { formatDuration, parseDuration } from '../quantity/duration.ts';
import { readAmount } from '../quantity/read-amount.ts';
import { timeText } from '../quantity/time-text.ts';

/** The longest time that a job may run, and where that was set. */
export interface Timeout {
  readonly seconds: number;
  /** As the workflow file has it: `timeout: PT2H`. */
  readonly setBy: string;
  /** It is the runtime that the job asks for: a larger request is a larger limit. */
  readonly isRequest: boolean;
}

type Settings = Pick<ExecutionConfig, 'timeout' | 'timeout_by'>;

/**
 * The timeout of a job: its own, then its requested runtime where the workflow makes that the limit, then that of the workflow.
 * Undefined for none, which is usual: then it costs a job the look at two fields.
 *
 * `requestedSeconds` is undefined for a job that names no requirements: the default ones limit nothing.
 */
export function timeoutOf(
  { timeout: own }: { readonly timeout?: string | null | undefined },
  { timeout: usual, timeout_by: by }: Settings,
  requestedSeconds: () => number | undefined,
): Timeout | undefined {
  if (own) return written(own, 'timeout');
  const requested = by === 'runtime' ? requestedSeconds() : undefined;
  if (requested !== undefined)
    return {
      seconds: requested,
      setBy: `runtime: ${formatDuration(requested)} and timeout_by: runtime`,
      isRequest: true,
    };
  return usual ? written(usual, 'execution_config.timeout') : undefined;
}

/** The same of a job that a runner has. */
export const timeoutOfClaimed = (
  job: Pick<ClaimedJob, 'timeout' | 'need' | 'resource_requirements_id'>,
  settings: Settings,
  defaultRequirementsId: number | undefined,
): Timeout | undefined =>
  timeoutOf(job, settings, () =>
    job.resource_requirements_id === defaultRequirementsId ? undefined : job.need.runtime_seconds,
  );

/** Why a job was asked to end at its timeout, as its result records it; one that then ended with 0 was not ended by it. */
export function timeoutWords({ seconds, setBy }: Timeout, wasEnded: boolean): string {
  const time = seconds < 60 ? `${seconds} s` : timeText(seconds);
  return wasEnded
    ? `it was ended after ${time}, its timeout (${setBy})`
    : `that was after ${time}, its timeout (${setBy})`;
}

function written(text: string, field: string): Timeout | undefined {
  const seconds = readAmount(text, parseDuration);
  return seconds === undefined || seconds === 0
    ? undefined
    : { seconds, setBy: `${field}: ${text.trim()}`, isRequest: false };
}

/**
 * A runner measures the time of a job from its begin to the report of its end, and a launcher in a long step on a clock of its own. Too
 * small, and a job that ended at its timeout gets more time from a recovery; too large, and one that lost its runner just before does not.
 */
const CLOCKS_SECONDS = 1;

/** Whether an attempt that ended for its time has used up a timeout that only a person raises. */
export const hasReached = (timeout: Timeout | undefined, seconds: number): boolean =>
  timeout !== undefined && !timeout.isRequest && seconds >= timeout.seconds - CLOCKS_SECONDS;
