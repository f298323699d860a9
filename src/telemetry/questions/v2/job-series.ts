import { AmountMean, greater, minus } from '../../../core/contract/sonar/amounts.ts';
import { cpuUtilPercent } from '../../../core/contract/sonar/conventions.ts';
import { exactUint } from '../../../core/contract/sonar/extended-uint.ts';
import type { Uint } from '../../../core/contract/sonar/kinds.ts';
import { amountsOf } from './tres.ts';
import { type Merged, mergedValues } from '../../store/rows/merged-job.ts';
import type { SampleSum } from '../../store/rows/samples.ts';
import type { JobKey, AskedWindow } from '../../store/rows/rows.ts';
import { storedJson } from '../../store/rows/cells.ts';
import { type V2Request, intervalOf, Points, secondsIn } from './request.ts';
import { mainRow } from './jobs.ts';
import { wantedNodes } from './names.ts';
import { eachOf, lazily, memoryOfNodes } from './node-series.ts';
import { processCardSeries, processSeries } from './series.ts';

/** An unknown node is an error; an interval without data is not. */
async function start(asked: V2Request) {
  const { window, resolutionSeconds } = intervalOf(asked);
  const wanted = asked.parameters['nodename'] ?? '';
  const [node] = wanted === '' ? [] : await wantedNodes(asked, window.until, wanted);
  return { window: { ...window, node }, resolution: resolutionSeconds, points: new Points() };
}

/** CPU, memory and cards of one job, or of all Slurm jobs, on each of their nodes. */
export async function processesOfJobs(asked: V2Request, key: JobKey | undefined, epoch: Uint) {
  const { window, resolution, points } = await start(asked);
  const memory = await memoryOfNodes(asked, window);
  const jobs = lazily(() => ({
    job: 0 as Uint,
    nodes: lazily((node) => ({
      processes: processSeries(resolution, points, memory.get(node) ?? 0),
      cards: lazily(() => processCardSeries(resolution, points)),
    })),
  }));
  const at = (each: { readonly job: Uint; readonly node: string }) => {
    const found = jobs.at(String(each.job));
    found.job = each.job;
    return found.nodes.at(each.node);
  };
  // Job 0 is no job: its entries have nothing to do with one another.
  const isWanted = (each: { readonly job: Uint; readonly epoch: Uint }) => each.epoch === epoch && each.job !== 0;
  await eachOf(asked.store.rows.sampleSums(window, 'job', key), (sum) => {
    if (isWanted(sum)) at(sum).processes.add(sum.time, sum);
  });
  await eachOf(asked.store.rows.processCards(window, key), (use) => {
    if (isWanted(use)) at(use).cards.at(use.uuid).add(use.time, use);
  });
  return inOrder(jobs.entries()).map(({ job, nodes }) => ({
    job,
    epoch,
    nodes: Object.fromEntries(
      nodes.entries().map(([node, { processes, cards }]) => [
        node,
        {
          cpu_memory: processes.end(),
          gpus: Object.fromEntries(cards.entries().map(([uuid, series]) => [uuid, series.end()])),
        },
      ]),
    ),
  }));
}

/** Whichever entry of a sample a store gives first. */
const inOrder = <Job extends { readonly job: Uint }>(jobs: readonly (readonly [string, Job])[]): Job[] =>
  jobs.map(([, job]) => job).toSorted((one, other) => Number(minus(one.job, other.job)));

/** What the processes of one job, or of all Slurm jobs, use of cards. */
export async function cardsOfJobs(asked: V2Request, key: JobKey | undefined, epoch: Uint) {
  const { window, resolution, points } = await start(asked);
  const jobs = lazily(() => ({
    job: 0 as Uint,
    nodes: lazily(() => lazily(() => processCardSeries(resolution, points))),
  }));
  await eachOf(asked.store.rows.processCards(window, key), (use) => {
    if (use.epoch !== epoch) return;
    const found = jobs.at(String(use.job));
    found.job = use.job;
    found.nodes.at(use.node).at(use.uuid).add(use.time, use);
  });
  return inOrder(jobs.entries()).map(({ job, nodes }) => ({
    job,
    epoch,
    nodes: Object.fromEntries(
      nodes
        .entries()
        .map(([node, cards]) => [
          node,
          { gpus: Object.fromEntries(cards.entries().map(([uuid, series]) => [uuid, series.end()])) },
        ]),
    ),
  }));
}

/** The processes of a job on each node: their series, and which is the parent of which. */
export async function treeOf(asked: V2Request, key: JobKey & { readonly epoch: Uint }) {
  const { window, resolution, points } = await start(asked);
  const memory = await memoryOfNodes(asked, window);
  const nodes = lazily((node) => ({
    first: Infinity,
    last: 0,
    processes: lazily(() => ({
      ppid: 0 as Uint,
      user: '',
      cmd: '',
      series: processSeries(resolution, points, memory.get(node) ?? 0),
    })),
  }));
  await eachOf(asked.store.rows.sampleSums(window, 'process', key), (sum) => {
    const node = nodes.at(sum.node);
    node.first = Math.min(node.first, sum.time);
    node.last = Math.max(node.last, sum.time);
    // Processes that were rolled up have pid 0: they are one.
    const process = node.processes.at(String(sum.pid));
    process.ppid = sum.ppid;
    process.user = sum.user;
    process.cmd = sum.cmd;
    process.series.add(sum.time, sum);
  });
  return {
    job: key.job,
    epoch: key.epoch,
    nodes: Object.fromEntries(
      nodes.entries().map(([node, { first, last, processes }]) => {
        const found = processes
          .entries()
          .map(([pid, { series, ...process }]) => ({ pid, ...process, data: series.end() }))
          .toSorted((one, other) => Number(minus(idOf(one.pid), idOf(other.pid))));
        return [
          node,
          {
            processes: Object.fromEntries(found.map(({ pid, ...process }) => [pid, process])),
            ...relationsOf(
              found.map(({ pid, ppid }) => ({ pid, ppid: String(ppid) })),
              { first, last },
            ),
          },
        ];
      }),
    ),
  };
}

/** As a number of JSON, with all digits. */
const idOf = (pid: string): Uint => exactUint(BigInt(pid));

function relationsOf(
  processes: readonly { readonly pid: string; readonly ppid: string }[],
  { first, last }: { readonly first: number; readonly last: number },
) {
  const parents = new Map(processes.map(({ pid, ppid }) => [pid, ppid]));
  const isChild = ({ pid, ppid }: (typeof processes)[number]) => ppid !== pid && ppid !== '0' && parents.has(ppid);
  const depthOf = (pid: string): number => {
    // Pids that were used again may make a circle.
    const seen = new Set<string>();
    for (let at = pid; parents.has(at) && at !== '0' && !seen.has(at); at = parents.get(at) ?? '') seen.add(at);
    return Math.max(0, seen.size - 1);
  };
  const roots = processes.filter((each) => !isChild(each)).map(({ pid }) => idOf(pid));
  return {
    relations: processes
      .filter(isChild)
      .map(({ pid, ppid }) => ({ relation_id: `${ppid}-${pid}`, source: idOf(ppid), target: idOf(pid) })),
    metadata: {
      total_processes: processes.length,
      start_time: first,
      end_time: last,
      root_pid: roots.reduce((least, pid) => (pid < least ? pid : least), roots[0] ?? 0),
      max_depth: processes.reduce((most, { pid }) => Math.max(most, depthOf(pid)), 0),
    },
  };
}

/** Mean and spread of what a job used on a node, over all its samples. */
export async function jobSeriesReport(asked: V2Request, job: Uint) {
  const { store, cluster, now, onlyUser } = asked;
  const row = await mainRow(asked, job, 0);
  const at = secondsIn(asked, 'time_in_s') ?? now;
  const values = mergedValues(storedJson(row.fields) as Merged);
  const window: AskedWindow = {
    cluster,
    from: row.start ?? row.submit ?? row.seen,
    until: Math.min(row.end ?? now, at) + 1,
    user: onlyUser,
  };
  const key = { job, epoch: 0 };
  const spreads = lazily(() => new Spread());
  const [nodes, cards] = [new Set<string>(), new Set<string>()];
  await eachOf(store.rows.sampleSums(window, 'job', key), (sum) => {
    nodes.add(sum.node);
    for (const [name, value] of Object.entries(MEASURES)) spreads.at(name).add(value(sum));
  });
  await eachOf(store.rows.processCards(window, key), ({ uuid }) => cards.add(uuid));
  const requested = values['requested_resources'] ?? values['sacct.AllocTRES'] ?? values['allocated_resources'];
  return {
    ...Object.fromEntries(Object.keys(MEASURES).map((name) => [name, spreads.at(name).figures])),
    requested_cpus: values['requested_cpus'] ?? 0,
    requested_memory_per_node: values['requested_memory_per_node'] ?? 0,
    requested_gpus: typeof requested === 'string' ? amountsOf(requested, 1).gpu : 0,
    used_gpu_uuids: [...cards],
    nodes: [...nodes].toSorted(),
    warnings: nodes.size === 0 ? ['there are no samples of this job'] : [],
  };
}

const MEASURES: Readonly<Record<string, (sum: SampleSum) => Uint>> = {
  cpu_avg: ({ cpuAvg }) => cpuAvg,
  cpu_util: ({ meta, cpuUtil }) => cpuUtilPercent(meta, cpuUtil),
  resident_memory: ({ rssKb }) => rssKb,
  virtual_memory: ({ vmKb }) => vmKb,
  num_threads: ({ threads }) => threads,
  data_read: ({ readKb }) => readKb,
  data_written: ({ writtenKb }) => writtenKb,
  data_cancelled: ({ cancelledKb }) => cancelledKb,
};

/** Least, greatest, mean and standard deviation of values that are seen once. Source: Welford, as in Knuth 4.2.2. */
class Spread {
  #count = 0;
  #mean = 0;
  #squares = 0;
  #least: Uint = Infinity;
  #most: Uint = -Infinity;
  readonly #exactMean = new AmountMean();

  add(amount: Uint): void {
    const value = Number(amount);
    this.#count++;
    const before = value - this.#mean;
    this.#mean += before / this.#count;
    this.#squares += before * (value - this.#mean);
    this.#least = amount < this.#least ? amount : this.#least;
    this.#most = greater(this.#most, amount);
    this.#exactMean.add(amount, 1);
  }

  get figures(): Readonly<Record<string, Uint>> {
    if (this.#count === 0) return {};
    const rounded = (value: Uint) => (typeof value === 'bigint' ? value : Math.round(value * 1000) / 1000);
    return {
      min: rounded(this.#least),
      max: rounded(this.#most),
      mean: rounded(this.#exactMean.value ?? 0),
      stddev: rounded(Math.sqrt(this.#squares / this.#count)),
    };
  }
}
