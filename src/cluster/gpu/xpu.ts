import { hostname } from 'node:os';
import { HelperFailed, type Outcome, runToEnd } from '../exec.ts';
import { failureOf } from './failure.ts';
import { type GpuReading, NO_GPUS } from './gpu.ts';
import { METRICS, parseXpuCards, parseXpuStates, parseXpuUses, PROPERTIES } from './xpu-text.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A dump waits for its interval of a second. */
const AT_MOST_MS = 5_000;

/** Reads the Intel cards (XPU) of this node, for repeated reads. */
export interface XpuReader {
  read(): Promise<GpuReading>;
}

/** Reads Intel cards with `xpu-smi`. Where the program is missing there are none. Never rejects. */
export function createXpuReader(environment: Environment, atMostMs = AT_MOST_MS): XpuReader {
  const run = (...args: readonly string[]): Promise<Outcome> => runToEnd('xpu-smi', args, { atMostMs, environment });
  let isMissing = false;
  return {
    async read() {
      if (isMissing) return NO_GPUS;
      try {
        const found = await run('discovery', '--dump', PROPERTIES);
        const cards = parseXpuCards(found.stdout, hostname());
        if (cards.length === 0) return { ...NO_GPUS, problems: problemsOf(found) };
        const ids = cards.map(({ index }) => index).join(',');
        const [dump, ps] = await Promise.all([run('dump', '-d', ids, '-m', METRICS, '-i', '1', '-n', '1'), run('ps')]);
        return {
          cards,
          states: parseXpuStates(cards, dump.stdout),
          uses: parseXpuUses(cards, ps.stdout),
          problems: problemsOf(found, dump, ps),
        };
      } catch (error) {
        if (!(error instanceof HelperFailed)) throw error;
        isMissing = error.isMissing;
        return isMissing ? NO_GPUS : { ...NO_GPUS, problems: [error.message] };
      }
    },
  };
}

const problemsOf = (...outcomes: readonly Outcome[]): string[] =>
  outcomes.flatMap((outcome) => failureOf('xpu-smi', outcome) ?? []);
