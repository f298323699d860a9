/**
 * What do the programs that watch a node take of it?
 *
 * `node bench/sonar-programs.ts [processes] [rounds]`: CPU time of `torc sonar sample --load`, with all that it starts, beside
 * the start of the runtime; and the memory of `torc sonar daemon` after ten samples, and after a day of one a minute while processes
 * come and go. The clock of the daemon runs 1,200 times as fast.
 */
import { spawn } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { argumentsOf } from './support/arguments.ts';
import { createFigures } from './support/figures.ts';
import { layOutPackage, workplace } from './support/package.ts';
import { machine, timed } from './support/processes.ts';

const { processes, rounds } = argumentsOf({ processes: 200, rounds: 15 });
const SAMPLES_OF_A_DAY = 1_440;
const FASTER = 1_200;
const LOOK_MS = 50;

const { note, print } = createFigures();
console.log(`${processes} processes beside those of the machine; ${machine()}`);
const folder = layOutPackage();
const cwd = workplace('sonar-programs');
const torc = join(folder, 'bin/torc');

const workers = spawn('python3', [join(import.meta.dirname, 'support/waking-processes.py'), String(processes)], {
  stdio: ['pipe', 'pipe', 'inherit'],
  detached: true,
});
const answers = createInterface({ input: workers.stdout })[Symbol.asyncIterator]();

/** CPU milliseconds of a command and of what it starts. */
async function cpuMsOf(command: string): Promise<number> {
  const { stdout } = await timed('bash', ['-c', `${command} >/dev/null; times`], { cwd });
  const [, children = ''] = stdout.trim().split('\n');
  return [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, m, s]) => sum + (Number(m) * 60 + Number(s)) * 1000,
    0,
  );
}

/** Megabytes of the daemon after so many samples. */
async function* memoryAfter(...counts: number[]): AsyncGenerator<number> {
  const configuration = `[global]\ncluster = bench\nrole = node\n[directory]\ndata-directory = data\n[sample]\ncadence = 1m\nload = true\nexclude-system-jobs = false\n`;
  writeFileSync(join(cwd, 'sonar.ini'), configuration);
  const clock = `--import=${join(import.meta.dirname, 'support/fast-clock.mjs')}`;
  const env = { ...process.env, NODE_OPTIONS: clock, FAST_CLOCK: String(FASTER) };
  const daemon = spawn(torc, ['sonar', 'daemon', 'sonar.ini'], { cwd, env, stdio: 'ignore' });
  try {
    for (const count of counts) {
      while (samplesTaken() < count) {
        if (daemon.exitCode !== null) throw new Error('the daemon has ended');
        workers.stdin.write(`${Math.round(processes / 10)} ${Math.round(processes / 50)}\n`);
        await answers.next();
        await pause(LOOK_MS);
      }
      yield Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${daemon.pid}/status`, 'utf8'))?.[1]) / 1024;
    }
  } finally {
    daemon.kill('SIGTERM');
  }
}

const samplesTaken = () =>
  globSync(join(cwd, 'data/*/*/*/0+sample-*')).reduce((sum, path) => sum + linesOf(readFileSync(path)), 0);

function linesOf(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines += 1;
  return lines;
}

try {
  await answers.next();
  await cpuMsOf(`${torc} sonar sample --load`);
  for (let round = 1; round <= rounds; round += 1) {
    const runtime = await cpuMsOf(`${process.execPath} -e 0`);
    const sample = await cpuMsOf(`${torc} sonar sample --load`);
    note('node -e 0', runtime, 'ms');
    note('torc sonar sample --load', sample, 'ms', { atMost: 200 });
    note('torc sonar sample --load, of node -e 0', sample / runtime, '');
  }
  const [early, late] = await Array.fromAsync(memoryAfter(10, SAMPLES_OF_A_DAY));
  note('torc sonar daemon after 10 samples', early ?? Number.NaN, 'MB', { atMost: 80 });
  note('torc sonar daemon after a day of samples', late ?? Number.NaN, 'MB', { atMost: 80 });
} finally {
  if (workers.pid !== undefined) process.kill(-workers.pid, 'SIGKILL');
}
print();
