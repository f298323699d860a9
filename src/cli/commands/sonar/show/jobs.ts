import { suggest } from '../../../../core/workflow-file/problems/suggest.ts';
import type { JobUseInWindow } from '../../../../telemetry/questions/jobs.ts';
import type { PartitionQueue } from '../../../../telemetry/questions/queue.ts';
import { command } from '../../../command/command.ts';
import { integerOption, option } from '../../../command/option.ts';
import { percent } from '../../../output/columns.ts';
import type { Column } from '../../../output/table.ts';
import { countColumn, kb, right, seconds, time } from '../../../samples/columns.ts';
import { nodeOption, ask, print, windowOptions } from './window.ts';

const jobColumns: readonly Column<JobUseInWindow>[] = [
  { title: 'Job', value: ({ job }) => String(job), importance: 9 },
  { title: 'User', value: ({ user }) => user, importance: 8 },
  { title: 'State', value: ({ state }) => state },
  { title: 'Command', value: ({ commands }) => commands[0] ?? '', cut: 'end' },
  { title: 'Nodes', value: ({ nodes }) => nodes.join(' '), cut: 'end', importance: 4 },
  time('First', ({ first }) => first, 3),
  time('Last', ({ last }) => last, 4),
  seconds('CPU Time', ({ cpuSeconds }) => cpuSeconds),
  percent('CPU', ({ cpuPercent }) => cpuPercent),
  kb('Peak Memory', ({ peakMemoryKb }) => peakMemoryKb),
  countColumn('Cards', ({ cards }) => cards.length),
  percent('GPU', ({ gpuPercent, cards }) => (cards.length === 0 ? undefined : gpuPercent)),
];

const usersOf = (jobs: readonly JobUseInWindow[]) => [...new Set(jobs.map(({ user }) => user))];

export const showJobs = command('sonar show jobs', {
  says: 'Show what jobs used, ordered by CPU time.',
  example: '--user ada --from 7d',
  more:
    'A job of Slurm is one on all its nodes. Any other job is a process group of one node; a gap of three hours ends it. ' +
    'CPU is the average in percent of one core.',
  options: [
    ...windowOptions,
    nodeOption,
    option('-u, --user <name>', 'only of this user'),
    option('-l, --limit <n>', 'jobs to show', { default: 50, read: integerOption(1) }),
  ],
  offline: true,
  async run({ output }, _args, options) {
    const { jobsOf } = await import('../../../../telemetry/questions/jobs.ts');
    const jobs = await ask(options, jobsOf);
    const chosen = jobs.filter(({ user }) => options.user === undefined || user === options.user);
    print(output, 'jobs', chosen.slice(0, options.limit), jobColumns);
    const near = chosen.length > 0 || options.user === undefined ? undefined : suggest(options.user, usersOf(jobs));
    if (near !== undefined) output.notice(`Did you mean the user ${near}?`);
    if (chosen.length > options.limit) output.notice(`${chosen.length - options.limit} more jobs; --limit shows them`);
  },
});

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
