/**
 * How many short jobs a second, beside what the machine can launch at all?
 *
 * `node bench/many-jobs.ts [jobs] [rounds]`: 10,000 `true` on two slots, through `torc` (create, initialise and run apart), `xargs -P2`,
 * GNU parallel with a job log and HyperQueue, where these are installed. Every result of ours is on disk when it counts.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { layOutPackage, workplace } from './support/package.ts';
import { machine, startServer, timed, which } from './support/processes.ts';

const jobs = Number(process.argv[2] ?? 10_000);
const rounds = Number(process.argv[3] ?? 3);
const SLOTS = 2;

const folder = layOutPackage();
const node = process.execPath;
const torc = join(folder, 'bin/torc.mjs');
console.log(`${jobs} × true on ${SLOTS} slots; ${machine()}`);

const figures: Record<string, number[]> = {};
const note = (name: string, value: number, unit: string, digits = 0) => {
  (figures[name] ??= []).push(value);
  console.log(`  ${name.padEnd(34)} ${value.toFixed(digits)} ${unit}`);
};

for (let round = 1; round <= rounds; round += 1) {
  console.log(`round ${round}`);
  const cwd = workplace('many-jobs');

  const floor = await timed('bash', ['-c', `seq ${jobs} | xargs -P${SLOTS} -n1 bash -c true`], { cwd });
  const floorRate = jobs / floor.seconds;
  note('xargs', floorRate, 'jobs/s');

  for (const launcher of ['posix_spawn', 'child_process']) {
    const place = join(cwd, launcher);
    mkdirSync(place);
    writeFileSync(
      join(place, 'flow.yaml'),
      `name: many\njobs: [{name: "j{i}", command: "true", parameters: {i: "1:${jobs}"}}]\n`,
    );
    const server = await startServer(folder, place);
    const env = { ...process.env, TORC_API_URL: server.url, TORC_LAUNCHER: launcher };
    const created = await timed(node, [torc, 'create', 'flow.yaml'], { cwd: place, env });
    const initialized = await timed(node, [torc, 'workflows', 'init', '1', '--no-prompts'], { cwd: place, env });
    const before = server.use();
    const ran = await timed(node, [torc, 'run', '1', '--num-cpus', String(SLOTS)], { cwd: place, env });
    const after = server.use();
    if (!ran.stderr.includes(`${jobs.toLocaleString('en-US')} jobs completed`)) throw new Error(ran.stderr);
    const seconds = Number(
      /"?duration_seconds"?:\s*([\d.]+)/.exec(
        await (await fetch(`${server.url}/compute_nodes?workflow_id=1`)).text(),
      )?.[1],
    );
    const tag = `torc ${launcher}`;
    note(`${tag}: create`, created.seconds, 's', 2);
    note(`${tag}: initialise`, initialized.seconds, 's', 2);
    note(`${tag}: run`, jobs / seconds, 'jobs/s');
    note(`${tag}: run, of xargs`, jobs / seconds / floorRate, '', 3);
    note(`${tag}: with start and summary`, jobs / ran.seconds / floorRate, 'of xargs', 3);
    note(`${tag}: runner CPU a job`, (ran.cpuSeconds / jobs) * 1000, 'ms', 3);
    note(`${tag}: server CPU a job`, ((after.cpuSeconds - before.cpuSeconds) / jobs) * 1000, 'ms', 3);
    note(`${tag}: runner memory`, ran.peakMegabytes, 'MB');
    note(`${tag}: server memory`, after.peakMegabytes, 'MB');
    await server.stop();
    if (jobs > 20_000) break;
  }

  if (jobs <= 20_000 && which('parallel') !== undefined) {
    const parallel = await timed('bash', ['-c', `seq ${jobs} | parallel -j${SLOTS} --joblog log true`], { cwd });
    note('GNU parallel --joblog', jobs / parallel.seconds, 'jobs/s');
  }
  if (jobs <= 20_000 && which('hq') !== undefined) {
    const hq = `export HQ_SERVER_DIR=$PWD/hq; hq server start > hq-server.log 2>&1 & sleep 1; hq worker start --cpus ${SLOTS} > hq-worker.log 2>&1 & sleep 1`;
    const script = `${hq}; start=$(date +%s.%N); hq submit --array 1-${jobs} --stdout none --stderr none bash -c true > /dev/null; hq job wait last > /dev/null; end=$(date +%s.%N); echo "$start $end"; hq server stop; wait`;
    const ran = await timed('bash', ['-c', script], { cwd });
    const [start, end] = (
      ran.stdout
        .trim()
        .split('\n')
        .find((line) => /^[\d.]+ [\d.]+$/.test(line)) ?? ''
    )
      .split(' ')
      .map(Number);
    note('HyperQueue', jobs / ((end ?? 0) - (start ?? 0)), 'jobs/s');
  }
}

console.log('medians');
for (const [name, values] of Object.entries(figures)) {
  const sorted = [...values].sort((left, right) => left - right);
  console.log(
    `  ${name.padEnd(34)} ${(sorted[Math.floor(sorted.length / 2)] as number).toFixed(3)}  (${(sorted[0] as number).toFixed(3)} to ${(sorted.at(-1) as number).toFixed(3)})`,
  );
}
