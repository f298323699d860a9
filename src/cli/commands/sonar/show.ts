import type { Uint } from '../../../core/contract/sonar/kinds.ts';
import { exactUint, GREATEST_UINT } from '../../../core/contract/sonar/extended-uint.ts';
import { formatTimestamp } from '../../../core/contract/sonar/timestamp.ts';
import { sizeText } from '../../../core/quantity/size-text.ts';
import { asData } from '../../../telemetry/questions/answers.ts';
import type { JobUse } from '../../../telemetry/questions/jobs.ts';
import type { LoadStep } from '../../../telemetry/questions/load.ts';
import type { CardFacts, NodeFacts } from '../../../telemetry/questions/nodes.ts';
import type { ProcessUse, ProfileStep } from '../../../telemetry/questions/profile.ts';
import type { Questions, Window } from '../../../telemetry/questions/queries.ts';
import type { PartitionQueue } from '../../../telemetry/questions/queue.ts';
import { type ReportLine, reportKinds, type ReportKind } from '../../../telemetry/questions/report.ts';
import type { UptimeSpan } from '../../../telemetry/questions/uptime.ts';
import { type Command, command } from '../../command.ts';
import { Failure, UsageError } from '../../failure.ts';
import { integer, optionsOf } from '../../option.ts';
import type { Output } from '../../output/output.ts';
import type { Column } from '../../output/table.ts';
import { percentText, secondsText } from '../../output/words.ts';
import { readTime } from './read-time.ts';
import { storeOption, withStore } from './store.ts';

const clusterOption = { flags: '--cluster <name>', says: 'only of this cluster' } as const;
const nodeOption = { flags: '--node <name>', says: 'only of this node; its first label is enough' } as const;
const windowOptions = optionsOf([
  storeOption,
  clusterOption,
  {
    flags: '--from <time>',
    says: 'from this time on, such as 2026-03-01 or 2h (default: 1d)',
    read: readTime('--from'),
  },
  { flags: '--to <time>', says: 'before this time (default: now)', read: readTime('--to') },
]);

interface WindowValues {
  readonly store: string;
  readonly cluster?: string | undefined;
  readonly node?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

const DAY = 86_400;

/** Asks the store a question about a window. */
async function ask<Answer>(
  { store, cluster, node, from, to }: WindowValues,
  question: (questions: Questions, window: Window) => Answer | Promise<Answer>,
  ago = DAY,
): Promise<Answer> {
  const { Questions: Asked } = await import('../../../telemetry/questions/queries.ts');
  // The clock of a node may be ahead of ours.
  const until = to ?? Math.floor(Date.now() / 1000) + 60;
  const window = { cluster, node, from: from ?? until - ago, until };
  if (window.from >= until) throw new UsageError('--from: expected a time before --to');
  return withStore(store, { isReadOnly: true }, (opened) => {
    const questions = new Asked(opened.database);
    if (cluster !== undefined && questions.clusters(cluster).length === 0)
      throw new Failure(`the store has no cluster ${cluster}; torc sonar clusters list names those that it has`);
    return question(questions, window);
  });
}

const timeText = (time: number | undefined): string =>
  time === undefined ? '' : formatTimestamp(time).slice(0, 16).replace('T', ' ');
const kbText = (kb: number): string => (kb === 0 ? '' : sizeText(kb * 1024));
const right = 'right' as const;

function print<Row extends object>(
  output: Output,
  things: string,
  items: readonly Row[],
  columns: readonly Column<Row>[],
  title?: string,
): void {
  const clusters = new Set(items.map((item) => (item as { readonly cluster?: string }).cluster ?? ''));
  const cluster: Column<Row> = {
    title: 'Cluster',
    value: (item) => (item as { readonly cluster?: string }).cluster ?? '',
    importance: 6,
  };
  output.list({
    items,
    // One cluster is the usual case.
    columns: clusters.size > 1 ? [cluster, ...columns] : columns,
    things,
    empty: `No ${things} in this time; --from asks for an earlier one`,
    ...(title === undefined ? {} : { title }),
    json: { items: items.map(asData) },
  });
}

const exact = (value: Uint): string => String(value);

const jobColumns: readonly Column<JobUse>[] = [
  { title: 'Job', value: ({ job }) => exact(job), importance: 9 },
  { title: 'User', value: ({ user }) => user, importance: 8 },
  { title: 'State', value: ({ state }) => state },
  { title: 'Command', value: ({ commands }) => commands[0] ?? '', cut: 'end' },
  { title: 'Nodes', value: ({ nodes }) => nodes.join(' '), cut: 'end', importance: 4 },
  { title: 'First', value: ({ first }) => formatTimestamp(first), text: ({ first }) => timeText(first), importance: 3 },
  { title: 'Last', value: ({ last }) => formatTimestamp(last), text: ({ last }) => timeText(last), importance: 4 },
  {
    title: 'CPU Time',
    value: ({ cpuSeconds }) => cpuSeconds,
    text: ({ cpuSeconds }) => secondsText(cpuSeconds),
    align: right,
  },
  {
    title: 'CPU',
    value: ({ cpuPercent }) => cpuPercent.toFixed(1),
    text: ({ cpuPercent }) => percentText(cpuPercent),
    align: right,
  },
  {
    title: 'Peak Memory',
    value: ({ peakMemoryKb }) => peakMemoryKb,
    text: ({ peakMemoryKb }) => kbText(peakMemoryKb),
    align: right,
  },
  {
    title: 'Cards',
    value: ({ cards }) => cards.length,
    text: ({ cards }) => (cards.length === 0 ? '' : String(cards.length)),
    align: right,
  },
  {
    title: 'GPU',
    value: ({ gpuPercent }) => gpuPercent.toFixed(1),
    text: ({ gpuPercent, cards }) => (cards.length === 0 ? '' : percentText(gpuPercent)),
    align: right,
  },
];

const showJobs = command({
  words: 'sonar show jobs',
  says: 'Show what jobs used in a time, by CPU time.',
  more:
    'A job of Slurm is one on all its nodes. Any other job is a process group of one node; a gap of three hours ends it. ' +
    'CPU is the average in percent of one core.',
  options: [
    ...windowOptions,
    nodeOption,
    { flags: '-u, --user <name>', says: 'only of this user' },
    { flags: '-l, --limit <n>', says: 'jobs to show', default: 50, read: integer('--limit', 1) },
  ],
  offline: true,
  async run({ output }, _args, options) {
    const { jobsOf } = await import('../../../telemetry/questions/jobs.ts');
    const jobs = await ask(options, jobsOf);
    const chosen = jobs.filter(({ user }) => options.user === undefined || user === options.user);
    print(output, 'jobs', chosen.slice(0, options.limit), jobColumns);
    if (chosen.length > options.limit) output.notice(`${chosen.length - options.limit} more jobs; --limit shows them`);
  },
});

const buckets: Readonly<Record<string, number>> = {
  '5m': 300,
  '30m': 1800,
  '1h': 3600,
  '12h': 43_200,
  '1d': DAY,
  '1w': 7 * DAY,
};

const loadColumns: readonly Column<LoadStep>[] = [
  { title: 'Node', value: ({ node }) => node, importance: 9 },
  { title: 'Time', value: ({ time }) => formatTimestamp(time), text: ({ time }) => timeText(time), importance: 9 },
  {
    title: 'CPU',
    value: ({ cpuPercent }) => cpuPercent.toFixed(1),
    text: ({ cpuPercent }) => percentText(cpuPercent),
    align: right,
  },
  {
    title: 'CPU of Node',
    value: (step) => step.cpuOfNodePercent.toFixed(1),
    text: (step) => percentText(step.cpuOfNodePercent),
    align: right,
  },
  { title: 'Load', value: ({ load1 }) => load1.toFixed(2), align: right },
  {
    title: 'Memory',
    value: ({ usedMemoryKb }) => Math.round(usedMemoryKb),
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

const showLoad = command({
  words: 'sonar show load',
  says: 'Show the use of nodes over time.',
  more: 'Memory of the node is known where a sysinfo of it is stored.',
  options: [
    ...windowOptions,
    nodeOption,
    { flags: '--every <interval>', says: 'length of the intervals', default: '1h', choices: Object.keys(buckets) },
  ],
  offline: true,
  async run({ output }, _args, options) {
    const { loadOf } = await import('../../../telemetry/questions/load.ts');
    print(
      output,
      'intervals',
      await ask(options, (questions, window) => loadOf(questions, window, buckets[options.every] ?? 3600)),
      loadColumns,
    );
  },
});

const stepColumns: readonly Column<ProfileStep>[] = [
  {
    title: 'Time',
    value: ({ time }) => formatTimestamp(time),
    text: ({ time }) => formatTimestamp(time).slice(0, 19).replace('T', ' '),
    importance: 9,
  },
  { title: 'Node', value: ({ node }) => node },
  { title: 'Processes', value: ({ processes }) => processes, align: right },
  {
    title: 'CPU',
    value: ({ cpuPercent }) => cpuPercent.toFixed(1),
    text: ({ cpuPercent }) => percentText(cpuPercent),
    align: right,
    importance: 8,
  },
  {
    title: 'Memory',
    value: ({ memoryKb }) => memoryKb,
    text: ({ memoryKb }) => kbText(memoryKb),
    align: right,
    importance: 8,
  },
  {
    title: 'GPU',
    value: ({ gpuPercent }) => gpuPercent.toFixed(1),
    text: ({ gpuPercent }) => (gpuPercent === 0 ? '' : percentText(gpuPercent)),
    align: right,
  },
  {
    title: 'GPU Memory',
    value: ({ gpuMemoryKb }) => gpuMemoryKb,
    text: ({ gpuMemoryKb }) => kbText(gpuMemoryKb),
    align: right,
  },
];

const processColumns: readonly Column<ProcessUse>[] = [
  { title: 'Process', value: ({ cmd }) => cmd, text: ({ cmd, depth }) => `${'  '.repeat(depth)}${cmd}`, importance: 9 },
  { title: 'Pid', value: ({ pid }) => pid, align: right },
  { title: 'Parent', value: ({ ppid }) => ppid, align: right },
  { title: 'Node', value: ({ node }) => node },
  {
    title: 'CPU Time',
    value: ({ cpuSeconds }) => cpuSeconds,
    text: ({ cpuSeconds }) => secondsText(cpuSeconds),
    align: right,
  },
  {
    title: 'Peak Memory',
    value: ({ peakMemoryKb }) => peakMemoryKb,
    text: ({ peakMemoryKb }) => kbText(peakMemoryKb),
    align: right,
  },
  { title: 'First', value: ({ first }) => formatTimestamp(first), text: ({ first }) => timeText(first) },
  { title: 'Last', value: ({ last }) => formatTimestamp(last), text: ({ last }) => timeText(last) },
];

function readJobId(text: string): Uint {
  if (!/^\d{1,20}$/.test(text) || BigInt(text) === 0n || BigInt(text) > GREATEST_UINT)
    throw new UsageError(`expected the id of a job: an integer above 0, found "${text}"`);
  return exactUint(BigInt(text));
}

const showProfile = command({
  words: 'sonar show profile <job>',
  says: 'Show what one job did over time.',
  options: [
    ...windowOptions,
    nodeOption,
    { flags: '--epoch <n>', says: 'epoch of a job that is not of Slurm (default: any)', read: readEpoch },
    { flags: '--every <interval>', says: 'average over intervals of this length', choices: Object.keys(buckets) },
    { flags: '--processes', says: 'its processes as a tree instead, with the CPU time of each' },
  ],
  offline: true,
  async run({ output }, [job], options) {
    const { profileOf } = await import('../../../telemetry/questions/profile.ts');
    const key = { job: readJobId(job), epoch: options.epoch };
    const bucket = options.every === undefined ? 0 : (buckets[options.every] ?? 0);
    const ago = options.to === undefined && options.from === undefined ? 366 * DAY : DAY;
    const profile = await ask(options, (questions, window) => profileOf(questions, window, key, bucket), ago);
    if (profile.steps.length === 0) throw new Failure(`no samples of job ${job}; torc sonar show jobs lists jobs`);
    if (options.processes === true) {
      const imbalance = profile.nodeImbalancePercent;
      const title = imbalance >= 1 ? `Imbalance of nodes: ${percentText(imbalance)}` : undefined;
      print(output, 'processes', profile.processes, processColumns, title);
    } else print(output, 'samples', profile.steps, stepColumns);
  },
});

function readEpoch(text: string): Uint {
  if (!/^\d{1,20}$/.test(text) || BigInt(text) > GREATEST_UINT)
    throw new UsageError(`--epoch: expected an integer, found "${text}"`);
  return exactUint(BigInt(text));
}

const uptimeColumns: readonly Column<UptimeSpan>[] = [
  { title: 'Node', value: ({ node }) => node, importance: 9 },
  { title: 'State', value: ({ state }) => state, importance: 9 },
  { title: 'From', value: ({ from }) => formatTimestamp(from), text: ({ from }) => timeText(from) },
  { title: 'To', value: ({ until }) => formatTimestamp(until), text: ({ until }) => timeText(until) },
  {
    title: 'Length',
    value: ({ from, until }) => until - from,
    text: ({ from, until }) => secondsText(until - from),
    align: right,
  },
  { title: 'Samples', value: ({ samples }) => samples, align: right },
  { title: 'Booted', value: ({ isBooted }) => (isBooted ? 'yes' : '') },
];

const showUptime = command({
  words: 'sonar show uptime',
  says: 'Show when nodes sent samples and when they were silent.',
  options: [
    ...windowOptions,
    nodeOption,
    {
      flags: '--interval <seconds>',
      says: 'how often nodes send (default: the median of each node, at least 300)',
      read: integer('--interval', 1),
    },
  ],
  offline: true,
  async run({ output }, _args, options) {
    const { uptimeOf } = await import('../../../telemetry/questions/uptime.ts');
    print(
      output,
      'spans',
      await ask(options, (questions, window) => uptimeOf(questions, window, options.interval)),
      uptimeColumns,
    );
  },
});

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

const showNodes = command({
  words: 'sonar show nodes',
  says: 'Show what nodes are, their states, and when they were last heard from.',
  options: [...windowOptions, nodeOption],
  offline: true,
  async run({ output }, _args, options) {
    const { nodesOf } = await import('../../../telemetry/questions/nodes.ts');
    print(output, 'nodes', await ask(options, nodesOf), nodeColumns);
  },
});

const cardColumns: readonly Column<CardFacts>[] = [
  { title: 'Node', value: ({ node }) => node, importance: 9 },
  { title: 'Index', value: ({ index }) => index, align: right },
  { title: 'Model', value: ({ model }) => model, cut: 'end' },
  { title: 'UUID', value: ({ uuid }) => uuid, cut: 'middle', importance: 3 },
  { title: 'Memory', value: ({ memoryKb }) => memoryKb, text: ({ memoryKb }) => kbText(memoryKb), align: right },
  {
    title: 'Used',
    value: ({ usedMemoryKb }) => usedMemoryKb,
    text: ({ usedMemoryKb }) => kbText(usedMemoryKb),
    align: right,
  },
  {
    title: 'GPU',
    value: ({ utilPercent }) => utilPercent,
    text: ({ utilPercent, time }) => (time === undefined ? '' : percentText(utilPercent)),
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

const showCards = command({
  words: 'sonar show cards',
  says: 'Show the GPUs of nodes and their newest state.',
  options: [...windowOptions, nodeOption],
  offline: true,
  async run({ output }, _args, options) {
    const { cardsOf } = await import('../../../telemetry/questions/nodes.ts');
    print(output, 'cards', await ask(options, cardsOf), cardColumns);
  },
});

const queueColumns: readonly Column<PartitionQueue>[] = [
  { title: 'Partition', value: ({ partition }) => partition, importance: 9 },
  { title: 'Pending', value: ({ pending }) => pending, align: right },
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

const showQueue = command({
  words: 'sonar show queue',
  says: 'Show what waits in the partitions of Slurm, and how long jobs waited.',
  options: windowOptions,
  offline: true,
  async run({ output }, _args, options) {
    const { queueOf } = await import('../../../telemetry/questions/queue.ts');
    print(output, 'partitions', await ask(options, queueOf), queueColumns);
  },
});

const reportColumns: readonly Column<ReportLine>[] = [
  { title: 'Subject', value: ({ subject }) => subject, importance: 9 },
  { title: 'User', value: ({ user = '' }) => user },
  { title: 'Node', value: ({ node = '' }) => node, cut: 'end', importance: 4 },
  { title: 'Jobs', value: ({ jobs = '' }) => jobs, align: right },
  { title: 'CPU Hours', value: ({ cpuHours }) => cpuHours?.toFixed(2) ?? '', align: right },
  { title: 'GPU Hours', value: ({ gpuHours }) => gpuHours?.toFixed(2) ?? '', align: right },
  {
    title: 'Memory',
    value: ({ memoryKb = '' }) => memoryKb,
    text: ({ memoryKb = 0 }) => kbText(memoryKb),
    align: right,
  },
  {
    title: 'GPU Memory',
    value: ({ gpuMemoryKb = '' }) => gpuMemoryKb,
    text: ({ gpuMemoryKb = 0 }) => kbText(gpuMemoryKb),
    align: right,
  },
  {
    title: 'First Seen',
    value: ({ first }) => formatTimestamp(first),
    text: ({ first }) => timeText(first),
    importance: 4,
  },
  { title: 'Last Seen', value: ({ last }) => formatTimestamp(last), text: ({ last }) => timeText(last) },
  { title: 'Reason', value: ({ reason }) => reason, importance: 8 },
];

const showReport = command({
  words: 'sonar show report <kind>',
  says: `Show who uses what, and what should not be there: ${reportKinds.join(', ')}.`,
  more:
    'hogs: jobs that take 10 % of the cores of nodes with cards and use no card. idle-gpu: jobs that had a card for 30 minutes and used ' +
    'less than 5 % of it. zombies: processes that ended and were not waited for, and memory of cards whose process is gone. ' +
    'greedy: finished jobs of Slurm that used less than a quarter of their CPUs or memory.',
  options: [...windowOptions, nodeOption],
  offline: true,
  async run({ output }, [kind], options) {
    if (!(reportKinds as readonly string[]).includes(kind))
      throw new UsageError(`expected one of ${reportKinds.join(', ')}, found "${kind}"`);
    const { reportOf } = await import('../../../telemetry/questions/report.ts');
    const lines = await ask(options, (questions, window) => reportOf(questions, window, kind as ReportKind));
    const hasValue = ({ value }: Column<ReportLine>) => lines.some((line) => value(line) !== '');
    print(output, 'lines', lines, output.format === 'table' ? reportColumns.filter(hasValue) : reportColumns);
  },
});

export const showCommands: readonly Command[] = [
  showJobs,
  showLoad,
  showProfile,
  showUptime,
  showNodes,
  showCards,
  showQueue,
  showReport,
];
