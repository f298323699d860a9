import { createReadStream, existsSync, globSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { basename, dirname, join } from 'node:path';
import { sumOf } from '../../core/contract/sonar/amounts.ts';
import type { SampleJob, SampleProcess } from '../../core/contract/sonar/sample.ts';
import { parseTimestamp } from '../../core/contract/sonar/timestamp.ts';
import type { ProcessRow } from '../store/rows/samples.ts';
import { recordsOfFiles } from '../format/files.ts';

/** An attempt at a job of a workflow. */
export interface AttemptKey {
  readonly workflow: number;
  readonly workflowJob: number;
  readonly run: number;
  readonly attempt: number;
}

/** What the samples of a runner say about an attempt (ADR 46). */
export interface AttemptSamples {
  /** Its processes in the order of time; job and epoch are 1, whatever process groups they have. */
  readonly rows: readonly ProcessRow[];
  /** The total that the parent of its first process got from the kernel; absent while it runs. */
  readonly total?: { readonly cpuSeconds: number | undefined; readonly peakBytes: number | undefined };
}

/** A line of a file of links; other members are not read. */
interface Link {
  readonly kind: string;
  readonly time: number;
  readonly pid: number;
  readonly workflow: number;
  readonly workflow_job: number;
  readonly run: number;
  readonly attempt: number;
  readonly cpu_seconds?: number;
  readonly peak_bytes?: number;
}

const LINKS = '*/[0-9][0-9][0-9][0-9]/[0-9][0-9]/[0-9][0-9]/0+link-*.links';

/**
 * The samples of an attempt among those that runners wrote to a folder, `<output>/sonar`.
 *
 * A line that cannot be read is passed over: the runner may be writing it. Throws: errors of the file system.
 */
export async function samplesOfAttempt(folder: string, key: AttemptKey): Promise<AttemptSamples> {
  let total: AttemptSamples['total'];
  const places = new Map<string, Place>();
  // In the order of days: the processes of a day may go on in the samples of the next one.
  for (const file of globSync(LINKS, { cwd: folder }).toSorted(byDay)) {
    const place = places.get(nodeOf(file)) ?? { pids: new Map<number, number>(), rows: [] };
    places.set(nodeOf(file), place);
    for (const link of await linksIn(join(folder, file), key)) {
      if (link.kind === 'process' && !place.pids.has(link.pid)) place.pids.set(link.pid, link.time);
      if (link.kind !== 'end') continue;
      total = { cpuSeconds: link.cpu_seconds, peakBytes: link.peak_bytes };
      place.until = link.time;
    }
    const samples = join(folder, dirname(file), basename(file).replace(/^0\+link-(.*)\.links$/, '0+sample-$1.json'));
    if (place.pids.size > 0 && existsSync(samples)) await readSamples(samples, place);
  }
  const rows = [...places.values()].flatMap((place) =>
    place.rows.filter(({ time }) => time <= (place.until ?? Infinity)),
  );
  return { rows: rows.toSorted((one, other) => one.time - other.time), ...(total && { total }) };
}

/** A node, and what is known of the attempt there. */
interface Place {
  /** By the id of a process: when it was first seen. Ids are used again later. */
  readonly pids: Map<number, number>;
  /** When the attempt ended. */
  until?: number;
  readonly rows: ProcessRow[];
}

const byDay = (one: string, other: string) =>
  dirname(one) + basename(one) < dirname(other) + basename(other) ? -1 : 1;

/** A node of one cluster may have the name of a node of another one. */
const nodeOf = (file: string): string =>
  `${file.split('/')[0] ?? ''}/${/^0\+link-(.*)\.links$/.exec(basename(file))?.[1] ?? ''}`;

async function linksIn(path: string, { workflow, workflowJob, run, attempt }: AttemptKey): Promise<Link[]> {
  const found: Link[] = [];
  const mark = `"workflow_job":${workflowJob},`;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    if (!line.includes(mark)) continue;
    let link: Link;
    try {
      link = JSON.parse(line) as Link;
    } catch {
      continue;
    }
    const isMeant =
      link.workflow === workflow && link.workflow_job === workflowJob && link.run === run && link.attempt === attempt;
    if (isMeant) found.push(link);
  }
  return found;
}

async function readSamples(path: string, { pids, rows }: Place): Promise<void> {
  for await (const records of recordsOfFiles(path)) {
    for (const { envelope, number } of records) {
      if (envelope?.data?.type !== 'sample') continue;
      const { time: text, cluster = '', node, jobs } = envelope.data.attributes;
      const time = parseTimestamp(text)?.seconds ?? 0;
      const about = { envelope: number, time, cluster, node };
      for (const job of jobs ?? []) {
        for (const process of job.processes ?? []) {
          const from = pids.get(Number(process.pid ?? 0));
          if (from !== undefined && time >= from) rows.push({ ...about, ...rowOf(job, process, rows.length) });
        }
      }
    }
  }
}

type AboutProcess = Omit<ProcessRow, 'envelope' | 'time' | 'cluster' | 'node'>;

function rowOf({ user }: SampleJob, process: SampleProcess, ord: number): AboutProcess {
  const gpus = process.gpus ?? [];
  return {
    user,
    job: 1,
    epoch: 1,
    slot: 0,
    ord,
    pid: process.pid ?? 0,
    ppid: process.ppid ?? 0,
    cmd: process.cmd ?? '',
    rssKb: process.resident_memory ?? 0,
    cpuTime: process.cpu_time ?? 0,
    cpuAvg: process.cpu_avg ?? 0,
    processes: 1 + Math.max(0, Number(process.rolledup ?? 0)),
    gpuUtil: gpus.reduce((sum, each) => sum + (each.gpu_util ?? 0), 0),
    gpuMemoryKb: sumOf(gpus, (each) => each.gpu_memory ?? 0),
    cards: gpus.map(({ uuid }) => uuid).join(' '),
  };
}
