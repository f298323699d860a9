import { type Outcome, runToEnd } from '../exec.ts';
import { HelperFailed } from '../helper-failed.ts';
import { type GpuReading, NO_GPUS } from './gpu.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A driver that hangs holds up a sample no longer than this. Tools that are scripts, or wait for an interval, take a second or two. */
const AT_MOST_MS = 5_000;

/** Reads the cards of one manufacturer on this node, for repeated reads. */
interface CardReader {
  read(): Promise<GpuReading>;
}

/** Runs the tool of a manufacturer with these arguments. */
export type RunTool = (...args: readonly string[]) => Promise<Outcome>;

/** Makes a reader of cards. */
export type CreateCardReader = (environment: Environment, atMostMs?: number) => CardReader;

/**
 * Readers that use this program. Where it is missing there are no cards, and it is not run again. They never reject: what one could
 * not do is a problem of the reading.
 */
export const readsWith =
  (program: string, readWith: (run: RunTool) => () => Promise<GpuReading>): CreateCardReader =>
  (environment, atMostMs = AT_MOST_MS) => {
    const read = readWith((...args) => runToEnd(program, args, { atMostMs, environment }));
    let isMissing = false;
    return {
      async read() {
        if (isMissing) return NO_GPUS;
        try {
          return await read();
        } catch (error) {
          if (!(error instanceof HelperFailed)) throw error;
          isMissing = error.isMissing;
          return isMissing ? NO_GPUS : { ...NO_GPUS, problems: [error.message] };
        }
      },
    };
  };

/** What went wrong with runs of a tool, in its own words. */
export const problemsOf = (program: string, ...outcomes: readonly Outcome[]): string[] =>
  outcomes.flatMap((outcome) => failureOf(program, outcome) ?? []);

function failureOf(program: string, { code, signal, isLate, stderr, stdout }: Outcome): string | undefined {
  if (isLate) return `${program} did not end within its time limit`;
  if (code === 0) return undefined;
  // Rows of a table of cards are no words: nvidia-smi prints both, and ends with 14 or 15 for one card of several.
  const said = `${stderr}\n${stdout}`.split('\n').map((line) => line.trim());
  const words = said.find((line) => line !== '' && !/^\d+,|^MIG-|^GPU-/.test(line)) ?? '';
  return `${program} ended with ${signal ?? `exit code ${code}`}${words === '' ? '' : `: ${words}`}`;
}
