import { rounded } from '../../../../core/contract/sonar/amounts.ts';
import { formatTimestamp } from '../../../../core/contract/sonar/timestamp.ts';
import type { LoadStep } from '../../../../telemetry/questions/load.ts';
import { command } from '../../../command.ts';
import type { Column } from '../../../output/table.ts';
import { percentText } from '../../../output/words.ts';
import { nodeOption, ask, timeText, kbText, right, print, buckets, windowOptions } from './window.ts';

// Nothing is known of the first interval of a node, or of one after a boot: that is not 0 and is shown as unknown.

export const loadColumns: readonly Column<LoadStep>[] = [
  { title: 'Node', value: ({ node }) => node, importance: 9 },
  { title: 'Time', value: ({ time }) => formatTimestamp(time), text: ({ time }) => timeText(time), importance: 9 },
  {
    title: 'CPU',
    value: ({ cpuPercent }) => cpuPercent?.toFixed(1) ?? '',
    text: ({ cpuPercent }) => percentText(cpuPercent),
    align: right,
  },
  {
    title: 'CPU of Node',
    value: (step) => step.cpuOfNodePercent?.toFixed(1) ?? '',
    text: (step) => percentText(step.cpuOfNodePercent),
    align: right,
  },
  { title: 'Load', value: ({ load1 }) => load1.toFixed(2), align: right },
  {
    title: 'Memory',
    value: ({ usedMemoryKb }) => rounded(usedMemoryKb),
    text: ({ usedMemoryKb }) => kbText(usedMemoryKb),
    align: right,
  },
  {
    title: 'Memory of Node',
    value: (step) => step.memoryOfNodePercent?.toFixed(1) ?? '',
    text: (step) => percentText(step.memoryOfNodePercent),
    align: right,
  },
  {
    title: 'Cards',
    value: ({ cards }) => cards,
    text: ({ cards }) => (cards === 0 ? '' : String(cards)),
    align: right,
  },
  {
    title: 'GPU',
    value: ({ gpuPercent }) => gpuPercent?.toFixed(1) ?? '',
    text: ({ gpuPercent }) => percentText(gpuPercent),
    align: right,
  },
];

export const showLoad = command({
  words: 'sonar show load',
  says: 'Show the use of nodes over time.',
  more: '– means unknown: CPU needs two samples of a node, and the memory of the node needs a sysinfo of it.',
  options: [
    ...windowOptions,
    nodeOption,
    { flags: '--every <interval>', says: 'length of the intervals', default: '1h', choices: Object.keys(buckets) },
  ],
  offline: true,
  async run({ output }, _args, options) {
    const { loadOf } = await import('../../../../telemetry/questions/load.ts');
    print(
      output,
      'intervals',
      await ask(options, (questions, window) => loadOf(questions, window, buckets[options.every] ?? 3600)),
      loadColumns,
    );
  },
});
