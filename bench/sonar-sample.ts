/**
 * What does a Sonar sample of a node cost?
 *
 * `node bench/sonar-sample.ts [processes] [rounds]`: a sample with every field, of 1,000 processes of which 10 % ran since the
 * last one, and of which all did, with 5 % of them started or ended in between; beside `ps` and process-exporter with the fields that they have. CPU
 * time for 1,000 processes, not time on the clock: the daemon shares the machine with jobs.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { NO_GPUS } from '../src/cluster/gpu/gpu.ts';
import { createUserNames } from '../src/cluster/host/user-names.ts';
import { encodeEnvelope } from '../src/core/contract/sonar/encode.ts';
import { NO_FILTERS } from '../src/telemetry/produce/sample/filters.ts';
import { createSampler } from '../src/telemetry/produce/sample/this-node.ts';
import { argumentsOf } from './support/arguments.ts';
import { createFigures } from './support/figures.ts';
import { machine, timed } from './support/processes.ts';
import { startProcessExporter } from './support/process-exporter.ts';

const { processes, rounds } = argumentsOf({ processes: 1_000, rounds: 3 });
/** One sample is shorter than the clock of the kernel ticks, so many are timed together. */
const SAMPLES = 10;

const { note, print } = createFigures();
console.log(`${processes} processes; ${machine()}`);

const workers = spawn('python3', [join(import.meta.dirname, 'support/waking-processes.py'), String(processes)], {
  stdio: ['pipe', 'pipe', 'inherit'],
  detached: true,
});
// By lines: the end of one may come apart from it, and would be taken for the next answer.
const answers = createInterface({ input: workers.stdout })[Symbol.asyncIterator]();
const letRun = async (count: number) => {
  workers.stdin.write(`${count} ${Math.round(processes / 20)}\n`);
  await answers.next();
};

const sampler = createSampler({
  origin: { cluster: 'bench', node: 'bench' },
  load: true,
  rollUp: false,
  filters: NO_FILTERS,
  epochOf: () => 1,
  userNames: createUserNames(),
  readGpus: async () => NO_GPUS,
});

/** CPU milliseconds of a sample for each 1,000 processes, while this share of them ran since the one before. */
async function costOf(share: number): Promise<number> {
  let [spent, seen] = [0, 0];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    await letRun(Math.round(processes * share));
    const before = process.cpuUsage();
    const { envelope } = await sampler.take();
    encodeEnvelope(envelope);
    const { user, system } = process.cpuUsage(before);
    spent += (user + system) / 1000;
    const { jobs = [] } = (envelope.data?.attributes ?? {}) as { jobs?: readonly { processes: readonly unknown[] }[] };
    seen += jobs.reduce((sum, job) => sum + job.processes.length, 0);
  }
  if (seen < SAMPLES * processes) throw new Error(`only ${seen / SAMPLES} processes were found`);
  return (spent / seen) * 1000;
}

/** CPU milliseconds of a scrape for each 1,000 processes, while all ran since the one before. */
async function costOfScrape(): Promise<number> {
  if (exporter === undefined) return Number.NaN;
  let seen = 0;
  const before = exporter.cpuMs();
  for (let scrape = 0; scrape < SAMPLES; scrape += 1) {
    await letRun(processes);
    seen += await exporter.scrape();
  }
  if (seen < SAMPLES * processes) throw new Error(`process-exporter reported only ${seen / SAMPLES} processes`);
  return ((exporter.cpuMs() - before) / seen) * 1000;
}

const exporter = await startProcessExporter();
if (exporter === undefined) console.log('process-exporter is not installed (Debian: prometheus-process-exporter)');
try {
  await answers.next();
  // The first samples know no process yet, and the code is not compiled.
  await costOf(1);
  for (let round = 1; round <= rounds; round += 1) {
    console.log(`round ${round}`);
    const [tenth, all] = [await costOf(0.1), await costOf(1)];
    note('a sample, a tenth ran', tenth, 'ms', { atMost: 10 });
    note('a sample, all ran', all, 'ms', { atMost: 20 });
    const { stdout } = await timed(
      'bash',
      [
        '-c',
        `for i in $(seq ${SAMPLES}); do ps -eo pid,ppid,pgid,user,nlwp,rss,sz,time,comm,cgroup >/dev/null; done; times`,
      ],
      { cwd: '/' },
    );
    const [, children = ''] = stdout.trim().split('\n');
    const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(([, m, s]) => Number(m) * 60 + Number(s));
    const ps = (seconds.reduce((sum, each) => sum + each, 0) * 1e6) / SAMPLES / processes;
    note('ps, with the fields that it has', ps, 'ms');
    note('a sample, all ran, of ps', all / ps, '', { atMost: 1 });
    const scrape = await costOfScrape();
    if (Number.isNaN(scrape)) continue;
    note('a scrape of process-exporter, all ran', scrape, 'ms');
    note('a sample, all ran, of a scrape', all / scrape, '', { atMost: 1 });
  }
} finally {
  sampler.close();
  exporter?.stop();
  if (workers.pid !== undefined) process.kill(-workers.pid, 'SIGKILL');
}
print();
