/** From the first start to the last end of the jobs of a workflow, in Unix seconds by the clocks of their nodes. */
interface Span {
  readonly first_s: number | null;
  readonly last_s: number | null;
}

/** What the server knows of time: the age of the workflow, and by how much its own clock was set since the server began. */
interface Times {
  readonly ageMs: number;
  readonly clockSetMs: number;
}

/** Clocks of nodes are minutes apart, and hours after a wrong time zone: a walltime that is wrong by so much is shown. */
const SLACK_SECONDS = 12 * 3600;

/**
 * The seconds from the first start to the last end; undefined where that cannot be: because the workflow is not as old, or because
 * the clock was set meanwhile by as much.
 *
 * A clock that is wrong all the time changes no difference, so single times prove nothing. Where all of the ends are
 * older than the workflow, it was imported with them. What happened before the server began is not known: a clock that was set
 * then, and forward, is not noticed.
 */
export function possibleWalltime({ first_s: first, last_s: last }: Span, { ageMs, clockSetMs }: Times, nowMs: number) {
  if (first === null || last === null) return undefined;
  const seconds = Math.max(0, Math.round((last - first) * 1000) / 1000);
  const setSeconds = Math.abs(clockSetMs) / 1000;
  if (setSeconds > SLACK_SECONDS && seconds > setSeconds - SLACK_SECONDS) return undefined;
  const isImported = last * 1000 < nowMs - ageMs;
  const isOlder = seconds > Math.max(0, ageMs) / 1000 + SLACK_SECONDS;
  return isOlder && !isImported ? undefined : seconds;
}
