import { hostname } from 'node:os';
import { jsonIn, parseRocmCards, parseRocmUses } from './amd-text.ts';
import { problemsOf, readsWith } from './program.ts';

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

export const createAmdReader = readsWith('rocm-smi', (run) => async () => {
  const [asked, pids, pidGpus] = await Promise.all([
    run(...CARDS),
    run('--showpids', '--json'),
    run('--showpidgpus', '--json'),
  ]);
  const { cards, states } = parseRocmCards(asked.stdout, hostname());
  const uses = parseRocmUses(cards, pids.stdout, pidGpus.stdout);
  const isUnread = asked.code === 0 && asked.stdout.trim() !== '' && jsonIn(asked.stdout) === undefined;
  const unread = isUnread ? [`rocm-smi printed no JSON: ${asked.stdout.trim().split('\n', 1)[0]}`] : [];
  return { cards, states, uses, problems: [...problemsOf('rocm-smi', asked), ...unread] };
});
