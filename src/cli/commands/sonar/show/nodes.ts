import type { CardFacts, NodeFacts } from '../../../../telemetry/questions/nodes.ts';
import { command } from '../../../command/command.ts';
import type { Column } from '../../../output/table.ts';
import { percentText } from '../../../output/words.ts';
import { countColumn, kb, right, time } from '../../../samples/columns.ts';
import { nodeOption, ask, print, windowOptions } from './window.ts';

const nodeColumns: readonly Column<NodeFacts>[] = [
  { title: 'Node', value: ({ node }) => node, importance: 9 },
  countColumn('Cores', ({ cores }) => cores),
  kb('Memory', ({ memoryKb }) => memoryKb),
  countColumn('Cards', ({ cards }) => cards),
  { title: 'States', value: ({ states }) => states.join(' ') },
  { title: 'Partitions', value: ({ partitions }) => partitions.join(' '), cut: 'end' },
  { title: 'CPU Model', value: ({ model }) => model, cut: 'end', importance: 3 },
  { title: 'System', value: ({ system }) => system, cut: 'end', importance: 2 },
  time('Last Sample', ({ sampled }) => sampled, 7),
];

export const showNodes = command('sonar show nodes', {
  says: 'Show what nodes are, their states, and when they were last heard from.',
  options: [...windowOptions, nodeOption],
  offline: true,
  async run({ output }, _args, options) {
    const { nodeFactsOf } = await import('../../../../telemetry/questions/nodes.ts');
    print(output, 'nodes', await ask(options, nodeFactsOf), nodeColumns);
  },
});

const cardColumns: readonly Column<CardFacts>[] = [
  { title: 'Node', value: ({ node }) => node, importance: 9 },
  { title: 'Index', value: ({ index }) => index, align: right },
  { title: 'Model', value: ({ model }) => model, cut: 'end' },
  { title: 'UUID', value: ({ uuid }) => uuid, cut: 'middle', importance: 3 },
  kb('Memory', ({ memoryKb }) => memoryKb),
  kb('Used', ({ usedMemoryKb }) => usedMemoryKb),
  {
    title: 'GPU',
    value: ({ utilPercent }) => utilPercent,
    text: ({ utilPercent, time }) => (time === undefined ? '' : percentText(Number(utilPercent))),
    align: right,
  },
  {
    title: 'Temperature',
    value: ({ temperature }) => temperature,
    text: ({ temperature, time }) => (time === undefined ? '' : `${temperature} °C`),
    align: right,
  },
  {
    title: 'Power',
    value: ({ powerWatts }) => powerWatts,
    text: ({ powerWatts, time }) => (time === undefined ? '' : `${powerWatts} W`),
    align: right,
  },
  { title: 'State', value: ({ performanceState: state }) => (state === undefined ? '' : `P${state}`) },
  { title: 'Failing', value: ({ failing }) => (failing === 0 ? '' : failing) },
];

export const showCards = command('sonar show cards', {
  says: 'Show the GPUs of nodes and their newest state.',
  options: [...windowOptions, nodeOption],
  offline: true,
  async run({ output }, _args, options) {
    const { cardsOf } = await import('../../../../telemetry/questions/nodes.ts');
    print(output, 'cards', await ask(options, cardsOf), cardColumns);
  },
});
