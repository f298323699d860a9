import { hostname } from 'node:os';
import { HelperFailed, runToEnd } from '../exec.ts';
import { failureOf } from './failure.ts';
import { type GpuReading, NO_GPUS } from './gpu.ts';
import { HABANA_QUERY, parseHabanaCards } from './habana-text.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const AT_MOST_MS = 5_000;

/** Reads the Habana cards of this node, for repeated reads. */
export interface HabanaReader {
  read(): Promise<GpuReading>;
}

/** Reads Habana cards (Gaudi) with `hl-smi`. Where the program is missing there are none. Never rejects. */
export function createHabanaReader(environment: Environment, atMostMs = AT_MOST_MS): HabanaReader {
  let isMissing = false;
  return {
    async read() {
      if (isMissing) return NO_GPUS;
      try {
        const args = ['-Q', HABANA_QUERY.join(','), '-f', 'csv,noheader,nounits'];
        const asked = await runToEnd('hl-smi', args, { atMostMs, environment });
        const problem = failureOf('hl-smi', asked);
        return {
          ...parseHabanaCards(asked.stdout, hostname()),
          uses: [],
          problems: problem === undefined ? [] : [problem],
        };
      } catch (error) {
        if (!(error instanceof HelperFailed)) throw error;
        isMissing = error.isMissing;
        return isMissing ? NO_GPUS : { ...NO_GPUS, problems: [error.message] };
      }
    },
  };
}
