/**
 * What an exit code is worth after a signal that ends processes.
 *
 * Whoever ends an allocation signals its processes one after another, in any order. The child of a script may die first; the
 * script then goes on, and may end with 0 before the signal reaches it. So a 0 proves that work is done only if nothing had
 * asked the job to end, or if its first process handles the signal: then the exit code is the job's own answer.
 *
 * Slurm sends SIGCONT to all processes of an allocation before it sends SIGTERM to the first of them. That order tells whether
 * an end came before or after the request.
 */

/** A signal that reached a job while it ran. */
export interface SeenSignal {
  /** `TERM`, `CONT`. */
  readonly name: string;
  /** Whether the first process of the job handles or ignores it (SIGTERM, for a CONT); undefined if it was gone by then. */
  readonly isHandled: boolean | undefined;
  /** On the clock of the end. */
  readonly atSeconds: number;
}

/** A job was asked to end before it ended. */
export interface Asked {
  /** Its first process handles the signal, so its exit code counts. */
  readonly isHandled: boolean;
  /** False: it was only continued, as Slurm does before it signals an allocation, and when it resumes one. */
  readonly isCertain: boolean;
}

/** SIGTERM follows SIGCONT within milliseconds, on a busy node within seconds. Too long, and results wait after each resume. */
export const CONTINUED_SECONDS = 5;

const CONT = 'CONT';

/** Whether these signals asked a job to end that ended then; undefined if none did. */
export function askedBy(signals: readonly SeenSignal[], endedAtSeconds: number): Asked | undefined {
  const isCertain = signals.some(({ name }) => name !== CONT);
  const isRecent = ({ atSeconds }: SeenSignal) => endedAtSeconds - atSeconds <= CONTINUED_SECONDS;
  if (!isCertain && !signals.some(isRecent)) return undefined;
  const known = signals.findLast(({ isHandled }) => isHandled !== undefined);
  return { isHandled: known?.isHandled === true, isCertain };
}

/** Whether an exit code of 0 proves that the work is done. */
export const provesSuccess = (asked: Asked | undefined): boolean => asked === undefined || asked.isHandled;
