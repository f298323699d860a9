import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { HelperFailed, type Outcome, runToEnd } from '../exec.ts';
import { failureOf } from './failure.ts';
import { type GpuCard, type GpuReading, NO_GPUS } from './gpu.ts';
import {
  lostState,
  parseCards,
  parseSlices,
  parseUses,
  QUERY,
  type QueryMember,
  unknownMember,
} from './nvidia-text.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A driver that hangs holds up a sample no longer than this. */
const AT_MOST_MS = 5_000;

/** Reads the NVIDIA cards of this node, for repeated reads. */
export interface NvidiaReader {
  read(): Promise<GpuReading>;
}

/**
 * Reads NVIDIA cards with `nvidia-smi`. Where the program is missing there are none. Never rejects: what it could not
 * do is a problem of the reading.
 */
export function createNvidiaReader(environment: Environment, atMostMs = AT_MOST_MS): NvidiaReader {
  let members: readonly QueryMember[] = QUERY;
  let known: readonly GpuCard[] = [];
  let isMissing = false;

  const run = (args: readonly string[]): Promise<Outcome> => runToEnd('nvidia-smi', args, { atMostMs, environment });

  /** Asks once more for each member that this version does not know. */
  const query = async (): Promise<Outcome> => {
    for (;;) {
      const outcome = await run([`--query-gpu=${members.join(',')}`, '--format=csv,noheader,nounits']);
      const unknown = outcome.code === 0 ? undefined : unknownMember(outcome.stdout + outcome.stderr);
      if (unknown === undefined || !members.includes(unknown)) return outcome;
      members = members.filter((member) => member !== unknown);
    }
  };

  return {
    async read() {
      if (isMissing) return NO_GPUS;
      try {
        const csv = '--format=csv,noheader,nounits';
        const [asked, apps, pmon] = await Promise.all([
          query(),
          run(['--query-compute-apps=gpu_uuid,pid,used_memory', csv]),
          run(['pmon', '-c', '1', '-s', 'u']),
        ]);
        const found = parseCards(asked.stdout, members, hostname());
        if (isWithoutCards(asked) && known.length === 0) return NO_GPUS;
        const slices = found.hasSlices ? parseSlices((await run(['-L'])).stdout) : new Map<string, string>();
        const present = new Set(found.cards.map(({ uuid }) => uuid));
        const lost = known.filter(({ uuid }) => !present.has(uuid));
        known = [...found.cards, ...lost];
        const problems = [failureOf('nvidia-smi', asked), failureOf('nvidia-smi --query-compute-apps', apps)];
        return {
          cards: known,
          states: [...found.states, ...lost.map(lostState)],
          uses: parseUses(found, apps.stdout, pmon.stdout, slices),
          problems: problems.filter((problem) => problem !== undefined),
        };
      } catch (error) {
        if (!(error instanceof HelperFailed)) throw error;
        isMissing = error.isMissing;
        return isMissing ? NO_GPUS : { ...NO_GPUS, problems: [error.message] };
      }
    },
  };
}

/** Login nodes often have the program and no card. */
const isWithoutCards = ({ stdout, stderr }: Outcome): boolean =>
  /No devices were found|communicate with the NVIDIA driver/i.test(stdout + stderr) &&
  !existsSync('/proc/driver/nvidia/gpus');
