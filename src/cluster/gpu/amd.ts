import { hostname } from 'node:os';
import { HelperFailed, type Outcome, runToEnd } from '../exec.ts';
import { parseRocmCards, parseRocmUses } from './amd-text.ts';
import { failureOf } from './failure.ts';
import { type GpuReading, NO_GPUS } from './gpu.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The tool is a script that loads a library: slower than that of the other manufacturer. */
const AT_MOST_MS = 5_000;

const CARDS = [
  '--showuniqueid',
  '--showbus',
  '--showproductname',
  '--showdriverversion',
  '--showvbios',
  '--showmeminfo',
  'vram',
  '--showuse',
  '--showmemuse',
  '--showtemp',
  '--showpower',
  '--showmaxpower',
  '--showclocks',
  '--showfan',
  '--json',
];

/** Reads the AMD cards of this node, for repeated reads. */
export interface AmdReader {
  read(): Promise<GpuReading>;
}

/** Reads AMD cards with `rocm-smi`. Where the program is missing there are none. Never rejects. */
export function createAmdReader(environment: Environment, atMostMs = AT_MOST_MS): AmdReader {
  const run = (args: readonly string[]): Promise<Outcome> => runToEnd('rocm-smi', args, { atMostMs, environment });
  let isMissing = false;
  return {
    async read() {
      if (isMissing) return NO_GPUS;
      try {
        const [asked, pids, pidGpus] = await Promise.all([
          run(CARDS),
          run(['--showpids', '--json']),
          run(['--showpidgpus', '--json']),
        ]);
        const { cards, states } = parseRocmCards(asked.stdout, hostname());
        const problem = failureOf('rocm-smi', asked);
        const uses = parseRocmUses(cards, pids.stdout, pidGpus.stdout);
        return { cards, states, uses, problems: problem === undefined ? [] : [problem] };
      } catch (error) {
        if (!(error instanceof HelperFailed)) throw error;
        isMissing = error.isMissing;
        return isMissing ? NO_GPUS : { ...NO_GPUS, problems: [error.message] };
      }
    },
  };
}
