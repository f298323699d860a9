import { hostname } from 'node:os';
import { NO_GPUS } from './gpu.ts';
import { problemsOf, readsWith } from './program.ts';
import { METRICS, parseXpuCards, parseXpuStates, parseXpuUses, PROPERTIES } from './xpu-text.ts';

/** Reads Intel cards (XPU) with `xpu-smi`. */
export const createXpuReader = readsWith('xpu-smi', (run) => async () => {
  const found = await run('discovery', '--dump', PROPERTIES);
  const cards = parseXpuCards(found.stdout, hostname());
  if (cards.length === 0) return { ...NO_GPUS, problems: problemsOf('xpu-smi', found) };
  const ids = cards.map(({ index }) => index).join(',');
  const [dump, ps] = await Promise.all([run('dump', '-d', ids, '-m', METRICS, '-i', '1', '-n', '1'), run('ps')]);
  return {
    cards,
    states: parseXpuStates(cards, dump.stdout),
    uses: parseXpuUses(cards, ps.stdout),
    problems: problemsOf('xpu-smi', found, dump, ps),
  };
});
