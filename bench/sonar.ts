/**
 * Telemetry in the embedded store: how fast is it stored, in how much memory and how many bytes, and how soon are profiles read?
 *
 * `node bench/sonar.ts [day] [NODES] [SAMPLES]`: a part of a simulated day, by default 20 nodes with 288 samples of 40 processes;
 * `day 1000` is all of it, 11.5 million rows. `node bench/sonar.ts jobs [JOBS] [DAYS]`: jobs of four nodes with 64 processes each over
 * days, by default 6 jobs over 1 day; `jobs 60 7` are 31 million rows, 516,000 of each job.
 *
 * Each part runs in a process of its own. Rows chosen at random are compared with what was sent, before and after the close of
 * the days. Profiles are asked for in a new process, while another one stores 5,000 rows a second.
 */
import { spawn } from 'node:child_process';
import { globSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { amountOf, argumentsOf } from './support/arguments.ts';
import { createFigures } from './support/figures.ts';
import { workplace } from './support/package.ts';
import { EVERY_SECONDS, NODES_OF_A_JOB, type Simulation, START, zipf } from './support/simulated-telemetry.ts';

const DAY = 86_400;
const SAMPLES_A_DAY = DAY / EVERY_SECONDS;
const [first = 'day', ...others] = argumentsOf({}, 'words').words;
const isKnown = first === 'day' || first === 'jobs';
const [one, other] = (isKnown ? others : [first, ...others]).map(amountOf);
const shape = first === 'jobs' ? 'jobs' : 'day';
const days = shape === 'jobs' ? (other ?? 1) : 1;
const simulation: Simulation =
  shape === 'jobs'
    ? { shape, nodes: NODES_OF_A_JOB * (one ?? 6), samples: days * SAMPLES_A_DAY, processes: 64, start: START }
    : { shape, nodes: one ?? 20, samples: other ?? SAMPLES_A_DAY, processes: 40, start: START };
const rows = simulation.nodes * simulation.samples * simulation.processes;

const folder = workplace('sonar');
const store = join(folder, 'sonar.db');
const files = { file: join(folder, 'samples.json'), picked: join(folder, 'picked.json'), pickedRows: 10_000 };
const { note, print } = createFigures();

type Result = Readonly<Record<string, number>> & { readonly times?: readonly number[] };

function start(task: string, given: object) {
  const program = join(import.meta.dirname, 'support', 'sonar-process.ts');
  const child = spawn(process.execPath, [program, task, JSON.stringify({ store, simulation, ...files, ...given })], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<Result>((resolve, reject) => {
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
    child.on('close', (code) =>
      code === 0 ? resolve(JSON.parse(text) as Result) : reject(new Error(`${task} ended with ${code}`)),
    );
  });
  return { stop: () => child.stdin.end(), ended };
}
const run = (task: string, given: object = {}): Promise<Result> => start(task, given).ended;

/** Rows that were stored while profiles were asked for. */
let fed = 0;

/** The archive too. */
const bytes = (): number =>
  [store, ...globSync(join(`${store}-archive`, '**/*.parquet'))].reduce((sum, each) => sum + statSync(each).size, 0);

async function compare(when: string): Promise<void> {
  const { rows: compared, envelopes, differing } = await run('verify');
  note(`rows compared, ${when}`, compared ?? 0, '');
  if (differing !== 0) throw new Error(`${differing} of ${envelopes} envelopes differ from what was sent, ${when}`);
}

/** 50 random jobs, while samples of a later day are stored. */
async function profiles(when: string): Promise<void> {
  const jobs = Array.from({ length: 50 }, () =>
    shape === 'day' ? zipf(20_000) : 1 + Math.floor((Math.random() * simulation.nodes) / NODES_OF_A_JOB),
  );
  const window = { from: START, until: START + days * DAY };
  const feeding = start('feed', {
    simulation: { ...simulation, start: START + (days + 3) * DAY, samples: 1000 },
    rowsPerSecond: 5000,
  });
  const asking = await run('profiles', { jobs, window });
  feeding.stop();
  const { rowsPerSecond = 0, rows: more = 0 } = await feeding.ended;
  fed += more;
  note(`profile of a job, ${when}, median of 50`, asking.times?.[24] ?? 0, 'ms');
  note(`profile of a job, ${when}, p95 of 50`, asking.times?.[47] ?? 0, 'ms', { atMost: 200 });
  note(`greatest memory of 50 profiles, ${when}`, asking['memoryMb'] ?? 0, 'MB');
  note(`stored meanwhile, ${when}`, rowsPerSecond, 'rows/s');
}

try {
  console.log(`${rows} rows in ${folder}`);
  const made = await run('simulate');
  note('JSON', (made['bytes'] ?? 0) / 1e6, 'MB');
  const stored = await run('ingest');
  if (stored['stored'] !== simulation.nodes * simulation.samples)
    throw new Error(`stored ${stored['stored']} envelopes`);
  note('ingest, CPU', stored['cpuSeconds'] ?? 0, 's');
  note('ingest, wall', stored['seconds'] ?? 0, 's');
  // 11.5 million rows in 10 minutes.
  note('ingest, rows a second of CPU', rows / (stored['cpuSeconds'] ?? 1), 'rows/s', { atLeast: 19_200 });
  note('ingest, greatest memory', stored['memoryMb'] ?? 0, 'MB', { atMost: 512 });
  note('bytes a row, hot', bytes() / rows, 'bytes');
  await compare('hot');
  await profiles('hot');
  const closed = await run('close');
  note('close, CPU', closed['cpuSeconds'] ?? 0, 's');
  note('close, wall', closed['seconds'] ?? 0, 's');
  note('close, greatest memory', closed['memoryMb'] ?? 0, 'MB', { atMost: 512 });
  note('bytes a row, closed', bytes() / (rows + fed), 'bytes', { atMost: 20 });
  await compare('closed');
  await profiles('closed');
  print();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
