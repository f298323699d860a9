import { createWriteStream, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { unchangedCompat } from '../../src/core/contract/sonar/compat.ts';
import { encodeEnvelope } from '../../src/core/contract/sonar/encode.ts';
import type { SampleEnvelope } from '../../src/core/contract/sonar/envelope.ts';
import type { SampleJob } from '../../src/core/contract/sonar/sample.ts';
import { formatTimestamp } from '../../src/core/contract/sonar/timestamp.ts';

/**
 * Simulated samples of a cluster: random walks, with users, commands and jobs distributed by Zipf.
 *
 * `day`: jobs are scattered over all nodes, and a process in fifty ends between samples. `jobs`: every four nodes have one job,
 * whose processes stay.
 */
export interface Simulation {
  readonly shape: 'day' | 'jobs';
  readonly nodes: number;
  readonly samples: number;
  readonly processes: number;
  /** Unix time of the first sample; there is one in five minutes. */
  readonly start: number;
}

export const START = 1_772_323_200;
export const EVERY_SECONDS = 300;
export const CLUSTER = 'bench.test';
export const NODES_OF_A_JOB = 4;

/** The same in every run. */
let state = 1;
const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
/** 1 is the most frequent, 2 half as frequent. */
export const zipf = (most: number): number => Math.min(most, Math.floor(Math.exp(random() * Math.log(most))));

interface Walker {
  readonly job: number;
  readonly user: string;
  readonly cmd: string;
  readonly pid: number;
  cpuTime: number;
  rss: number;
  read: number;
}

const newWalker = (job: number): Walker => ({
  job,
  user: `user${zipf(500)}`,
  cmd: `cmd${zipf(300)}`,
  pid: 1000 + Math.floor(random() * 4_000_000),
  cpuTime: 0,
  rss: Math.floor(random() * 4e6),
  read: Math.floor(random() * 1e6),
});

const jobOf = (shape: Simulation['shape'], node: number): number =>
  shape === 'day' ? zipf(20_000) : 1 + Math.floor(node / NODES_OF_A_JOB);

function sampleOf(shape: Simulation['shape'], node: number, time: number, walkers: Walker[]): SampleEnvelope {
  const jobs = new Map<number, SampleJob & { processes: NonNullable<SampleJob['processes']>[number][] }>();
  for (const [index, walker] of walkers.entries()) {
    const each = shape === 'day' && random() < 0.02 ? (walkers[index] = newWalker(jobOf(shape, node))) : walker;
    const share = random() < 0.3 ? Math.round(random() * 1000) / 10 : 0;
    each.cpuTime += Math.round(share * 3);
    each.rss = Math.max(0, each.rss + (random() < 0.5 ? Math.round((random() - 0.5) * 4096) : 0));
    each.read += random() < 0.2 ? Math.floor(random() * 4096) : 0;
    let job = jobs.get(each.job);
    if (job === undefined) jobs.set(each.job, (job = { job: each.job, user: each.user, processes: [] }));
    job.processes.push({
      resident_memory: each.rss,
      virtual_memory: each.rss + 10_000,
      cmd: each.cmd,
      pid: each.pid,
      ppid: each.pid - 1,
      num_threads: 3,
      cpu_avg: share,
      cpu_util: share,
      cpu_time: each.cpuTime,
      data_read: each.read,
    });
  }
  const cpus = Array.from({ length: 64 }, (_, core) =>
    Math.floor(((time - START) / EVERY_SECONDS) * (core % 7) * 43 + random() * 300),
  );
  const system = { cpus, used_memory: Math.floor(random() * 1e8), load1: Math.round(random() * 6400) / 100 };
  return {
    meta: { producer: 'torc', version: '0.1.0' },
    data: {
      type: 'sample',
      attributes: {
        time: formatTimestamp(time),
        cluster: CLUSTER,
        node: `c${node}.bench.test`,
        system,
        jobs: [...jobs.values()],
      },
    },
  };
}

/** Envelopes as lines, sample by sample. */
export function* linesOf({ shape, nodes, samples, processes, start }: Simulation): Generator<string> {
  const walkers = Array.from({ length: nodes }, (_, node) =>
    Array.from({ length: processes }, () => newWalker(jobOf(shape, node))),
  );
  for (let tick = 0; tick < samples; tick++)
    for (let node = 0; node < nodes; node++)
      yield encodeEnvelope(sampleOf(shape, node, start + tick * EVERY_SECONDS, walkers[node] ?? []), unchangedCompat);
}

/** Writes the envelopes to a file, and some of them, chosen at random, to another. */
export async function writeSimulation(
  simulation: Simulation,
  { file, picked, pickedRows }: { readonly file: string; readonly picked: string; readonly pickedRows: number },
): Promise<void> {
  const share = pickedRows / (simulation.nodes * simulation.samples * simulation.processes);
  const chosen: string[] = [];
  const out = createWriteStream(file);
  let portion: string[] = [];
  const flush = async () => {
    if (!out.write(portion.join(''))) await once(out, 'drain');
    portion = [];
  };
  for (const line of linesOf(simulation)) {
    portion.push(`${line}\n`);
    if (Math.random() < share) chosen.push(line);
    if (portion.length === 100) await flush();
  }
  await flush();
  out.end();
  await once(out, 'close');
  writeFileSync(picked, JSON.stringify(chosen));
}
