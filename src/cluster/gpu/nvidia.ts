import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Outcome } from '../exec.ts';
import { type GpuCard, NO_GPUS } from './gpu.ts';
import {
  lostState,
  parseCards,
  parseSlices,
  parseGpuUses,
  QUERY,
  type QueryMember,
  unknownMember,
} from './nvidia-text.ts';
import { problemsOf, readsWith } from './program.ts';

const CSV = '--format=csv,noheader,nounits';

export const createNvidiaReader = readsWith('nvidia-smi', (run) => {
  let members: readonly QueryMember[] = QUERY;
  let known: readonly GpuCard[] = [];

  /** Asks once more for each member that this version does not know. */
  const query = async (): Promise<Outcome> => {
    for (;;) {
      const outcome = await run(`--query-gpu=${members.join(',')}`, CSV);
      const unknown = outcome.code === 0 ? undefined : unknownMember(outcome.stdout + outcome.stderr);
      if (unknown === undefined || !members.includes(unknown)) return outcome;
      members = members.filter((member) => member !== unknown);
    }
  };

  return async () => {
    const [asked, apps, pmon] = await Promise.all([
      query(),
      run('--query-compute-apps=gpu_uuid,pid,used_memory', CSV),
      run('pmon', '-c', '1', '-s', 'u'),
    ]);
    const found = parseCards(asked.stdout, members, hostname());
    if (isWithoutCards(asked) && known.length === 0) return NO_GPUS;
    const slices = found.hasSlices ? parseSlices((await run('-L')).stdout) : new Map<string, string>();
    const present = new Set(found.cards.map(({ uuid }) => uuid));
    const lost = known.filter(({ uuid }) => !present.has(uuid));
    known = [...found.cards, ...lost];
    return {
      cards: known,
      states: [...found.states, ...lost.map(lostState)],
      uses: parseGpuUses(found, apps.stdout, pmon.stdout, slices),
      problems: [...problemsOf('nvidia-smi', asked), ...problemsOf('nvidia-smi --query-compute-apps', apps)],
    };
  };
});

/** Login nodes often have the program and no card. */
const isWithoutCards = ({ stdout, stderr }: Outcome): boolean =>
  /No devices were found|communicate with the NVIDIA driver/i.test(stdout + stderr) &&
  !existsSync('/proc/driver/nvidia/gpus');
