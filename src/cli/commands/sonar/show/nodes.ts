import type { NodeFacts } from '../../../../telemetry/questions/nodes.ts';
import { command } from '../../../command/command.ts';
import type { Column } from '../../../output/table.ts';
import { countColumn, kb, time } from '../../../samples/columns.ts';
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
