import { ENDING_SIGNALS, signalNumber } from './signal.ts';

/**
 * What an exit code is worth after a signal that ends processes.
 *
 * What ends an allocation signals its processes one after another, in any order. The child of a script may die first; the
 * script then goes on, and may end with 0 before the signal reaches it. So a 0 proves that work is done only if nothing had
 * asked the job to end, or if its first process handles the signal: then the exit code is the job's own answer.
 *
 * Slurm sends SIGCONT to all processes of an allocation before it sends SIGTERM to the first of them. That order proves whether
 * an end came before or after the request.
 */

/** A signal that reached a job while it ran. */
export interface SeenSignal {
  /** `TERM`, `CONT`. */
  readonly name: string;
  /** The signals that the first process of the job handled or ignored then, bit 0 for signal 1; undefined if it was gone. */
  readonly handled: bigint | undefined;
  /** On the clock of the end. */
  readonly atSeconds: number;
}

/** A job was asked to end before it ended. */
export interface AskedToEnd {
  /** Its first process handles the signal, so its exit code counts. */
  readonly isHandled: boolean;
  /** False: it was only continued, as Slurm does before it signals an allocation, and when it resumes one. */
  readonly isCertain: boolean;
}

/** SIGTERM follows SIGCONT within milliseconds, on a busy node within seconds. Too long, and results wait after each resume. */
export const CONTINUED_SECONDS = 5;

/**
 * Where a signal to an allocation reaches all its processes, it may reach the youngest first: an end with 0 is held so long for the signal
 * to its runner. Too short, and a script whose child was killed counts as successful (seen once at a load of 15); each success there ends so
 * much later.
 */
export const AFTER_ALL_MS = 50;

/** The others stop or continue a process, or say something to it: they ask nothing to end. */
const asksToEnd: ReadonlySet<string> = new Set(ENDING_SIGNALS);

/** Whether these signals asked a job to end that ended then; undefined if none did. */
export function askerOf(signals: readonly SeenSignal[], endedAtSeconds: number): AskedToEnd | undefined {
  const asking = signals.flatMap(({ name }) => (asksToEnd.has(name) ? [name] : []));
  const isCertain = asking.length > 0;
  const isContinued = ({ name, atSeconds }: SeenSignal) =>
    name === 'CONT' && endedAtSeconds - atSeconds <= CONTINUED_SECONDS;
  if (!isCertain && !signals.some(isContinued)) return undefined;
  const handled = signals.findLast((each) => each.handled !== undefined)?.handled ?? 0n;
  // SIGTERM follows SIGCONT.
  return { isHandled: (isCertain ? asking : ['TERM']).every((name) => isIn(handled, name)), isCertain };
}

function isIn(mask: bigint, name: string): boolean {
  const number = signalNumber(name);
  return number !== undefined && (mask >> BigInt(number - 1)) % 2n === 1n;
}

/** Whether an exit code of 0 proves that the work is done. */
export const provesSuccess = (asked: AskedToEnd | undefined): boolean => asked === undefined || asked.isHandled;
