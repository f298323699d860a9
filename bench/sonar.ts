/**
 * A part of a simulated day of telemetry: how fast is it stored, in how much memory, and in how many bytes?
 *
 * `node bench/sonar.ts [nodes] [samples]`: 20 nodes with 288 samples of 40 processes each, by default 230,400 rows, from one
 * file into a new store. The values are random walks; users, commands and jobs are distributed by Zipf. Jobs are asked for in new
 * processes, before and after the close of the day, and the store is compared with the file, envelope by envelope.
 */
import { execFileSync } from 'node:child_process';
import { createReadStream, createWriteStream, globSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { once } from 'node:events';
import { unchangedCompat } from '../src/core/contract/sonar/compat.ts';
import { encodeEnvelope } from '../src/core/contract/sonar/encode.ts';
import type { SampleEnvelope } from '../src/core/contract/sonar/envelope.ts';
import type { SampleJob } from '../src/core/contract/sonar/sample.ts';
import { formatTimestamp } from '../src/core/contract/sonar/timestamp.ts';
import { ingestFiles } from '../src/telemetry/store/ingest-files.ts';
import { EmbeddedStore } from '../src/telemetry/store/embedded-store.ts';
import { openStore } from '../src/telemetry/store/open-store.ts';
import { createFigures } from './support/figures.ts';
import { workplace } from './support/package.ts';

const nodes = Number(process.argv[2] ?? 20);
const samples = Number(process.argv[3] ?? 288);
const PROCESSES = 40;
const START = 1_772_323_200;

/** The same day in every run. */
let state = 1;
const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
/** 1 is the most frequent, 2 half as frequent. */
const zipf = (most: number): number => Math.min(most, Math.floor(Math.exp(random() * Math.log(most))));

interface Walker {
  readonly job: number;
  readonly user: string;
  readonly cmd: string;
  readonly pid: number;
  cpuTime: number;
  rss: number;
  read: number;
}

const newWalker = (): Walker => {
  const job = zipf(20_000);
  return {
    job,
    user: `user${zipf(500)}`,
    cmd: `cmd${zipf(300)}`,
    pid: 1000 + Math.floor(random() * 4_000_000),
    cpuTime: 0,
    rss: Math.floor(random() * 4e6),
    read: Math.floor(random() * 1e6),
  };
};

function sampleOf(node: number, tick: number, walkers: Walker[]): SampleEnvelope {
  const jobs = new Map<number, SampleJob & { processes: NonNullable<SampleJob['processes']>[number][] }>();
  for (const [index, walker] of walkers.entries()) {
    // A process in fifty ends between samples, and another takes its place.
    const each = random() < 0.02 ? (walkers[index] = newWalker()) : walker;
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
  const cpus = Array.from({ length: 64 }, (_, core) => Math.floor(tick * (core % 7) * 43 + random() * 300));
  const name = `c${node}.bench.test`;
  const system = { cpus, used_memory: Math.floor(random() * 1e8), load1: Math.round(random() * 6400) / 100 };
  const time = formatTimestamp(START + tick * 300);
  return {
    meta: { producer: 'torc', version: '0.1.0' },
    data: { type: 'sample', attributes: { time, cluster: 'bench.test', node: name, system, jobs: [...jobs.values()] } },
  };
}

const folder = workplace('sonar');
const file = join(folder, 'day.json');
const out = createWriteStream(file);
const walkers = Array.from({ length: nodes }, () => Array.from({ length: PROCESSES }, newWalker));
for (let tick = 0; tick < samples; tick++)
  for (let node = 0; node < nodes; node++)
    if (!out.write(`${encodeEnvelope(sampleOf(node, tick, walkers[node] ?? []), unchangedCompat)}\n`))
      await once(out, 'drain');
out.end();
await once(out, 'close');

const { note, print } = createFigures();
const rows = nodes * samples * PROCESSES;
const path = join(folder, 'sonar.db');
const store = await openStore(path);
const before = process.cpuUsage();
const counts = await ingestFiles(store, [{ path: file, bytes: statSync(file).size }], {
  addsClusters: true,
  now: () => START,
  onProgress: () => {},
});
const { user, system } = process.cpuUsage(before);
const cpuSeconds = (user + system) / 1e6;
await store.close();
const bytes = statSync(path).size;
note('rows', rows, '');
note('JSON', Math.round(statSync(file).size / 1e6), 'MB');
note('CPU', cpuSeconds, 's');
note('rows a second of CPU', Math.round(rows / cpuSeconds), 'rows/s', { atLeast: 19_000 });
note('bytes a row, hot', bytes / rows, 'bytes');
note('greatest memory', Math.round(process.resourceUsage().maxRSS / 1024), 'MB', { atMost: 512 });
if (counts.stored !== nodes * samples) throw new Error(`stored ${counts.stored} of ${nodes * samples}`);

/** How long a new process takes for the profiles of random jobs, without its own start. */
function profiles(): number {
  const jobs = Array.from({ length: 50 }, () => zipf(20_000));
  const program = `
    import { openStore } from '${import.meta.dirname}/../src/telemetry/store/open-store.ts';
    import { profileOf } from '${import.meta.dirname}/../src/telemetry/questions/profile.ts';
    const store = await openStore(${JSON.stringify(path)}, { isReadOnly: true });
    const times = [];
    for (const job of ${JSON.stringify(jobs)}) {
      const begin = performance.now();
      await profileOf(store.rows, { from: ${START}, until: ${START + 86_400} }, { job });
      times.push(performance.now() - begin);
    }
    console.log(times.sort((one, other) => one - other)[47]);`;
  const ask = join(folder, 'ask.mjs');
  writeFileSync(ask, program);
  return Number(execFileSync(process.execPath, [ask], { stdio: ['ignore', 'pipe', 'inherit'] }));
}

note('profile of a job, hot, p95 of 50', profiles(), 'ms', { atMost: 200 });
const closing = new EmbeddedStore(path);
const beginOfClose = performance.now();
for await (const { day } of closing.closeDays({ before: START + 2 * 86_400, now: START })) console.log(`closed ${day}`);
note('close of the day', (performance.now() - beginOfClose) / 1000, 's');
await closing.close();
const archive = globSync(join(`${path}-archive`, '**/*.parquet')).reduce((sum, each) => sum + statSync(each).size, 0);
note('bytes a row, closed', (statSync(path).size + archive) / rows, 'bytes', { atMost: 20 });
note('profile of a job, closed, p95 of 50', profiles(), 'ms', { atMost: 200 });

const again = await openStore(path, { isReadOnly: true });
const lines = createInterface({ input: createReadStream(file) })[Symbol.asyncIterator]();
for await (const { envelope } of again.envelopes()) {
  const { value } = (await lines.next()) as { value: string };
  if (encodeEnvelope(envelope, unchangedCompat) !== value) throw new Error('an envelope differs from the file');
}
print();
console.log(`${nodes * samples} envelopes are equal to the file`);
await again.close();
