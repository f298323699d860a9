import { formatTimestamp } from '../../../../core/contract/sonar/timestamp.ts';
import type { NodeFacts } from '../../../../telemetry/questions/nodes.ts';
import { command } from '../../../command.ts';
import type { Column } from '../../../output/table.ts';
import { nodeOption, ask, timeText, kbText, right, print, windowOptions } from './window.ts';

const nodeColumns: readonly Column<NodeFacts>[] = [
  { title: 'Node', value: ({ node }) => node, importance: 9 },
  {
    title: 'Cores',
    value: ({ cores }) => cores,
    text: ({ cores }) => (cores === 0 ? '' : String(cores)),
    align: right,
  },
  { title: 'Memory', value: ({ memoryKb }) => memoryKb, text: ({ memoryKb }) => kbText(memoryKb), align: right },
  {
    title: 'Cards',
    value: ({ cards }) => cards,
    text: ({ cards }) => (cards === 0 ? '' : String(cards)),
    align: right,
  },
  { title: 'States', value: ({ states }) => states.join(' ') },
  { title: 'Partitions', value: ({ partitions }) => partitions.join(' '), cut: 'end' },
  { title: 'CPU Model', value: ({ model }) => model, cut: 'end', importance: 3 },
  { title: 'System', value: ({ system }) => system, cut: 'end', importance: 2 },
  {
    title: 'Last Sample',
    value: ({ sampled }) => (sampled === undefined ? '' : formatTimestamp(sampled)),
    text: ({ sampled }) => timeText(sampled),
    importance: 7,
  },
];

export const showNodes = command({
  words: 'sonar show nodes',
  says: 'Show what nodes are, their states, and when they were last heard from.',
  options: [...windowOptions, nodeOption],
  offline: true,
  async run({ output }, _args, options) {
    const { nodesOf } = await import('../../../../telemetry/questions/nodes.ts');
    print(output, 'nodes', await ask(options, nodesOf), nodeColumns);
  },
});
