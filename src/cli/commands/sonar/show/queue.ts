import type { PartitionQueue } from '../../../../telemetry/questions/queue.ts';
import { command } from '../../../command.ts';
import type { Column } from '../../../output/table.ts';
import { secondsText } from '../../../output/words.ts';
import { windowOptions, ask, right, print } from './window.ts';

const queueColumns: readonly Column<PartitionQueue>[] = [
  { title: 'Partition', value: ({ partition }) => partition, importance: 9 },
  { title: 'Pending', value: ({ pending }) => pending, align: right },
  { title: 'Held', value: ({ held }) => held, align: right },
  { title: 'Running', value: ({ running }) => running, align: right },
  {
    title: 'Oldest Pending',
    value: (queue) => queue.oldestPendingSeconds ?? '',
    text: (queue) => secondsText(queue.oldestPendingSeconds),
    align: right,
  },
  { title: 'Started', value: ({ started }) => started, align: right },
  {
    title: 'Median Wait',
    value: (queue) => queue.medianWaitSeconds ?? '',
    text: (queue) => secondsText(queue.medianWaitSeconds),
    align: right,
  },
  {
    title: 'Longest Wait',
    value: (queue) => queue.longestWaitSeconds ?? '',
    text: (queue) => secondsText(queue.longestWaitSeconds),
    align: right,
  },
  { title: 'Finished', value: ({ finished }) => finished, align: right },
  { title: 'Failed', value: ({ failed }) => failed, align: right },
];

export const showQueue = command({
  words: 'sonar show queue',
  says: 'Show what waits in the partitions of Slurm, and how long jobs waited.',
  options: windowOptions,
  offline: true,
  async run({ output }, _args, options) {
    const { queueOf } = await import('../../../../telemetry/questions/queue.ts');
    print(output, 'partitions', await ask(options, queueOf), queueColumns);
  },
});
