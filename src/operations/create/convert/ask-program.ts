import { type Outcome, runToEnd } from '../../../cluster/exec.ts';
import { HelperFailed } from '../../../cluster/helper-failed.ts';
import { Refusal } from '../../../core/contract/refusals.ts';

interface OwnProgram {
  readonly program: string;
  /** Its name in a sentence. */
  readonly called: string;
  /** What it reads, with an article. */
  readonly reads: string;
  readonly atMostMs: number;
  /** The most that it may print; 64 MiB without it. */
  readonly atMostBytes?: number | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Its standard input; empty without it. */
  readonly input?: string | undefined;
  /** The reason in what it printed, where it refuses the file. */
  readonly reasonOf: (outcome: Outcome) => string;
}

/**
 * Runs the program of the user that reads a file of `path`, and returns what it printed.
 *
 * Throws: `CONVERSION_REFUSED` with the words of the program if it refuses the file, is not there, or is too slow.
 */
export async function askProgram(
  path: string,
  { program, called, reads, atMostMs, atMostBytes, environment, input, reasonOf }: OwnProgram,
  args: readonly string[],
  isDone: (outcome: Outcome) => boolean = ({ code, isLate }) => code === 0 && !isLate,
): Promise<Outcome> {
  const outcome = await runToEnd(program, args, { atMostMs, atMostBytes, environment, input }).catch(
    (cause: unknown) => {
      if (!(cause instanceof HelperFailed)) throw cause;
      const why = cause.isMissing ? `there is no ${program} on PATH` : cause.message;
      throw new Refusal('CONVERSION_REFUSED', `${reads} is converted with your own ${called}: ${why}`, {}, { cause });
    },
  );
  if (isDone(outcome) && !outcome.isTooMuch) return outcome;
  throw new Refusal('CONVERSION_REFUSED', `${path}: ${called} ${endOf(outcome)}`);

  function endOf({ isLate, isTooMuch }: Outcome): string {
    if (isTooMuch) return 'printed more than can be read, and was stopped: name fewer targets';
    if (isLate) return `refuses it: it was stopped after ${atMostMs / 1000} s`;
    return `refuses it: ${reasonOf(outcome)}`;
  }
}
