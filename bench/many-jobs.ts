/**
 * How many short jobs a second, beside what the machine can launch at all?
 *
 * `node bench/many-jobs.ts [jobs] [rounds]`: 10,000 jobs on two slots through `torc` (create, initialize and run apart),
 * `xargs -P2`, GNU parallel with a job log and HyperQueue, where these are installed. Every result of ours is on disk
 * when it counts. The jobs are `bash -c true`, and then `true` alone, which needs no shell.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argumentsOf } from './support/arguments.ts';
import { createFigures } from './support/figures.ts';
import { layOutPackage, workplace } from './support/package.ts';
import { machine, startServer, timed, which } from './support/processes.ts';

const { jobs, rounds } = argumentsOf({ jobs: 10_000, rounds: 3 });
const SLOTS = 2;
/** The others are slow, and their rate does not hang on the number. */
const OTHERS_JOBS = Math.min(jobs, 5_000);
const FLOOR_JOBS = Math.min(jobs, 10_000) / 2;

const folder = layOutPackage();
const torc = join(folder, 'bin/torc');
const { note, print } = createFigures();

/** The same job for each of them. */
interface Kind {
  readonly name: string;
  readonly command: string;
  readonly words: readonly string[];
}
const BY_BASH: Kind = { name: 'by bash', command: 'true;', words: ['bash', '-c', 'true'] };
const ALONE: Kind = { name: 'alone', command: 'true', words: ['true'] };

/** What xargs launches a second; measured before and after each of ours, for the machine's speed changes by the minute. */
const floorRate = async (cwd: string, { words }: Kind) => {
  // It appends a word to each, which neither of them reads.
  const script = `seq ${FLOOR_JOBS} | xargs -P${SLOTS} -n1 ${words.join(' ')}`;
  return FLOOR_JOBS / (await timed('bash', ['-c', script], { cwd })).seconds;
};

const runOurs = async (cwd: string, launcher: 'posix_spawn' | 'child_process', kind: Kind, goal: number) => {
  const title = launcher === 'posix_spawn' ? kind.name : launcher;
  const place = join(cwd, title);
  mkdirSync(place);
  writeFileSync(
    join(place, 'flow.yaml'),
    `name: many\njobs: [{name: "j{i}", command: "${kind.command}", parameters: {i: "1:${jobs}"}}]\n`,
  );
  const server = await startServer(folder, place);
  const env = { ...process.env, TORC_API_URL: server.url, TORC_LAUNCHER: launcher };
  const created = await timed(torc, ['create', 'flow.yaml'], { cwd: place, env });
  const initialized = await timed(torc, ['workflows', 'init', '1', '--no-prompts'], { cwd: place, env });
  const floorBefore = await floorRate(cwd, kind);
  const before = server.use();
  const ran = await timed(torc, ['run', '1', '--num-cpus', String(SLOTS)], { cwd: place, env });
  const after = server.use();
  const floorAfter = await floorRate(cwd, kind);
  await server.stop();
  if (!ran.stderr.includes(`${jobs.toLocaleString('en-US')} jobs completed`)) throw new Error(ran.stderr);

  // child_process is there for machines without the library of posix_spawn: nothing is promised of its CPU.
  const cpuGoal = (atMost: number) => (launcher === 'posix_spawn' ? { atMost } : undefined);
  // From the runner's start to its end, the program's own start included.
  const rate = jobs / ran.seconds;
  const floor = 2 / (1 / floorBefore + 1 / floorAfter);
  note(`${title}: create`, created.seconds, 's');
  note(`${title}: initialize`, initialized.seconds, 's');
  note(`${title}: run`, rate, 'jobs/s');
  note(`${title}: xargs around it`, floor, 'jobs/s');
  note(`${title}: run, of xargs`, rate / floor, '', { atLeast: goal });
  note(`${title}: runner CPU a job`, (ran.cpuSeconds / jobs) * 1000, 'ms', cpuGoal(0.22));
  note(`${title}: runner CPU a job, first thread`, (ran.firstThreadSeconds / jobs) * 1000, 'ms');
  note(`${title}: server CPU a job`, ((after.cpuSeconds - before.cpuSeconds) / jobs) * 1000, 'ms', cpuGoal(0.08));
  note(
    `${title}: server CPU a job, first thread`,
    ((after.firstThreadSeconds - before.firstThreadSeconds) / jobs) * 1000,
    'ms',
  );
  note(`${title}: runner memory`, ran.peakMegabytes, 'MB', { atMost: 100 });
  note(`${title}: server memory`, after.peakMegabytes, 'MB', { atMost: 300 });
  return rate;
};

console.log(`${jobs} jobs on ${SLOTS} slots; ${machine()}`);
for (let round = 1; round <= rounds; round += 1) {
  console.log(`round ${round}`);
  const cwd = workplace('many-jobs');
  const rate = await runOurs(cwd, 'posix_spawn', BY_BASH, 0.9);
  const rateAlone = await runOurs(cwd, 'posix_spawn', ALONE, 0.8);
  if (jobs <= 20_000) await runOurs(cwd, 'child_process', BY_BASH, 0.45);

  if (which('parallel') !== undefined) {
    const script = `seq ${OTHERS_JOBS} | parallel -j${SLOTS} --joblog log true`;
    const parallel = await timed('bash', ['-c', script], { cwd });
    note('GNU parallel --joblog, which starts a shell', OTHERS_JOBS / parallel.seconds, 'jobs/s');
    note('ours, of GNU parallel', (rate * parallel.seconds) / OTHERS_JOBS, 'times');
  }
  for (const [{ name, words }, own] of [
    [BY_BASH, rate],
    [ALONE, rateAlone],
  ] as const) {
    const script = join(import.meta.dirname, 'support/hyperqueue-rate.py');
    const hyperQueue = await timed('python3', [script, String(OTHERS_JOBS), String(SLOTS), ...words], { cwd });
    const reported = /jobs a second: ([\d.]+)/.exec(hyperQueue.stdout)?.[1];
    if (reported === undefined) {
      console.log('  HyperQueue left out: python3 has no package hyperqueue here');
      break;
    }
    note(`HyperQueue, ${name}`, Number(reported), 'jobs/s');
    note(`ours, of HyperQueue, ${name}`, own / Number(reported), 'times', { atLeast: 2.5 });
  }
}
print();
