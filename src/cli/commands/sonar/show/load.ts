import { rounded } from '../../../../core/contract/sonar/amounts.ts';
import type { LoadStep } from '../../../../telemetry/store/figures/load.ts';
import { command } from '../../../command/command.ts';
import { percent } from '../../../output/columns.ts';
import type { Column } from '../../../output/table.ts';
import { countColumn, kb, right, time } from '../../../samples/columns.ts';
import { nodeOption, ask, print, windowOptions } from './window.ts';
import { buckets } from '../../../samples/intervals.ts';
import { option } from '../../../command/option.ts';

// Nothing is known of the first interval of a node, or of one after a boot: that is not 0 and is shown as unknown.

export const loadColumns: readonly Column<LoadStep>[] = [
  { title: 'Node', value: ({ node }) => node, importance: 9 },
  time('Time', ({ time: begin }) => begin, 9),
  percent('CPU', ({ cpuPercent }) => cpuPercent),
  percent('CPU of Node', (step) => step.cpuOfNodePercent),
  { title: 'Load', value: ({ load1 }) => load1.toFixed(2), align: right },
  kb('Memory', ({ usedMemoryKb }) => rounded(usedMemoryKb)),
  percent('Memory of Node', (step) => step.memoryOfNodePercent),
  countColumn('Cards', ({ cards }) => cards),
  percent('GPU', ({ gpuPercent }) => gpuPercent),
];

export const showLoad = command('sonar show load', {
  says: 'Show the use of nodes over time.',
  example: '--node c1 --every 30m',
  more: '– means unknown: CPU needs two samples of a node, and the memory of the node needs a sysinfo of it.',
  options: [
    ...windowOptions,
    nodeOption,
    option('--every <interval>', 'length of the intervals', { default: '1h', choices: Object.keys(buckets) }),
  ],
  offline: true,
  async run({ output }, _args, options) {
    const { loadOf } = await import('../../../../telemetry/store/figures/load.ts');
    print(
      output,
      'intervals',
      await ask(options, (questions, window) => loadOf(questions, window, buckets[options.every] ?? 3600)),
      loadColumns,
    );
  },
});
