import type { PartitionQueue } from '../../../../telemetry/questions/queue.ts';
import { command } from '../../../command/command.ts';
import type { Column } from '../../../output/table.ts';
import { right, seconds } from '../../../samples/columns.ts';
import { windowOptions, ask, print } from './window.ts';

const queueColumns: readonly Column<PartitionQueue>[] = [
  { title: 'Partition', value: ({ partition }) => partition, importance: 9 },
  { title: 'Pending', value: ({ pending }) => pending, align: right },
  { title: 'Held', value: ({ held }) => held, align: right },
  { title: 'Running', value: ({ running }) => running, align: right },
  seconds('Oldest Pending', (queue) => queue.oldestPendingSeconds),
  { title: 'Started', value: ({ started }) => started, align: right },
  seconds('Median Wait', (queue) => queue.medianWaitSeconds),
  seconds('Longest Wait', (queue) => queue.longestWaitSeconds),
  { title: 'Finished', value: ({ finished }) => finished, align: right },
  { title: 'Failed', value: ({ failed }) => failed, align: right },
];

export const showQueue = command('sonar show queue', {
  says: 'Show what waits in the partitions of Slurm, and how long jobs waited.',
  options: windowOptions,
  offline: true,
  async run({ output }, _args, options) {
    const { queueOf } = await import('../../../../telemetry/questions/queue.ts');
    print(output, 'partitions', await ask(options, queueOf), queueColumns);
  },
});
