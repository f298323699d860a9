import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkEnvelope } from '../../src/core/contract/sonar/check.ts';
import type { SampleEnvelope } from '../../src/core/contract/sonar/envelope.ts';
import { refusalsOf } from '../sonar/strict-reader.ts';
import { temporaryFolder, torc } from '../support/programs.ts';

const linesIn = (paths: readonly string[]): unknown[] =>
  paths.flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown),
  );

interface Link {
  readonly kind: string;
  readonly job?: number;
  readonly pid: number;
  readonly workflow: number;
  readonly workflow_job: number;
  readonly run: number;
  readonly attempt: number;
  readonly cpu_seconds?: number;
  readonly peak_bytes?: number;
  readonly slurm_job?: number;
  readonly step?: string;
}

/** Burns a second of CPU time, in two processes that stay in the session of the job. */
const burn = "bash -c 'ulimit -t 1; while :; do :; done'; true";
const three = `
  - {name: burner, command: "${burn}; sleep 5"}
  - {name: tree, command: "for i in 1 2 3 4 5 6 7; do sleep 12 & done; wait"}
  - {name: short, command: "true"}`;

async function run(monitor: string, jobs: string, more: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'flow.yaml'), `name: flow\nresource_monitor: ${monitor}\njobs:${jobs}\n`);
  const environment = { SLURM_JOB_ID: undefined, SLURM_CLUSTER_NAME: 'c.org', ...more };
  const { code, stderr } = await torc(['-s', 'run', 'flow.yaml', '-o', 'out'], { cwd: folder, environment });
  expect([code, stderr]).toEqual([0, stderr]);
  return {
    folder,
    samples: linesIn(globSync(join(folder, 'out/sonar/c.org/*/*/*/0+sample-*.json'))) as SampleEnvelope[],
    links: linesIn(globSync(join(folder, 'out/sonar/c.org/*/*/*/0+link-*.links'))) as Link[],
  };
}

it('a runner writes samples of the processes of its jobs, and beside them to which attempt each belongs', async () => {
  const { folder, samples, links } = await run('{sonar: true}', three);
  expect(samples.length).toBeGreaterThan(0);
  expect(samples.flatMap((record) => [...refusalsOf(record), ...checkEnvelope(record).problems])).toEqual([]);
  const processes = samples.flatMap(({ data }) =>
    (data.attributes.jobs ?? []).flatMap(({ job, processes: each = [] }) =>
      each.map((process) => ({ job, ...process })),
    ),
  );
  const ends = links.filter(({ kind }) => kind === 'end');
  const linked = links.filter(({ kind }) => kind === 'process');
  // Three attempts, the one that was too short for a sample as well.
  expect(ends).toHaveLength(3);
  expect(new Set(links.map(({ workflow, run: id, attempt }) => `${workflow} ${id} ${attempt}`)).size).toBe(1);
  // No process is reported without its attempt, and none in two.
  expect(processes.map(({ pid }) => pid).filter((pid) => !linked.some((link) => link.pid === pid))).toEqual([]);
  const byJob = Map.groupBy(linked, (link) => link.workflow_job);
  const sleeps = (pids: readonly number[]) =>
    new Set(processes.filter(({ pid, cmd }) => cmd === 'sleep' && pids.includes(Number(pid))).map(({ pid }) => pid))
      .size;
  const counts = [...byJob.values()].map((each) => sleeps(each.map(({ pid }) => pid)));
  expect(Math.max(0, ...counts)).toBe(7);
  // The first process of each job, which its parent waited for, has the total of the attempt.
  const totals = ends.map(({ cpu_seconds: seconds = 0 }) => seconds).toSorted((left, right) => right - left);
  expect(totals[0]).toBeGreaterThan(0.5);

  // The same, asked by the name of the job.
  const profile = async (job: string, ...more: string[]) =>
    torc(['-s', '-f', 'json', 'jobs', 'profile', job, '-o', 'out', ...more], { cwd: folder });
  const burner = JSON.parse((await profile('burner')).stdout) as { cpu_seconds: number; items: object[] };
  expect(burner.cpu_seconds).toBe(totals[0]);
  expect(burner.items.length).toBeGreaterThan(0);
  const tree = JSON.parse((await profile('tree', '--processes')).stdout) as { items: { cmd: string; depth: number }[] };
  expect(tree.items.filter(({ cmd, depth }) => cmd === 'sleep' && depth === 1)).toHaveLength(7);
  // It ended before a sample: its total is known all the same.
  const short = JSON.parse((await profile('short')).stdout) as { cpu_seconds: number; items: object[] };
  expect([short.items, short.cpu_seconds]).toEqual([[], expect.any(Number)]);
  const text = await torc(['-s', 'jobs', 'profile', 'short', '-o', 'out'], { cwd: folder });
  expect(text.stdout).toContain('of CPU time');
  expect(text.stdout).toContain('it ended before the first one');
  expect((await profile('nosuch')).code).toBe(1);

  // In a store, the job of the samples is known by the id of the workflow job, too.
  const stored = await torc(['sonar', 'ingest', 'out/sonar', '--add-clusters', '-f', 'json'], { cwd: folder });
  expect(JSON.parse(stored.stdout)).toMatchObject({ links: linked.length, quarantined: 0 });
  const [id, own] = [...byJob].find(([, each]) => sleeps(each.map(({ pid }) => pid)) === 7) ?? [0, []];
  const asked = await torc(['sonar', 'show', 'profile', String(own[0]?.job), '-f', 'json'], { cwd: folder });
  expect(JSON.parse(asked.stdout)).toMatchObject({ attempts: [{ workflow_job: id, attempt: own[0]?.attempt }] });
});

it.each([
  ['the batch script', { SLURM_TASK_PID: '77' }, 'batch'],
  ['a step of srun', { SLURM_TASK_PID: '77', SLURM_STEP_ID: '3' }, '3'],
])('a link names the step of the runner where no control group names one: %s', async (_, variables, step) => {
  const later = String(Math.floor(Date.now() / 1000) + 3600);
  const allocation = { SLURM_JOB_ID: '7', SLURM_JOB_END_TIME: later, ...variables };
  const { links } = await run('{sonar: true}', '\n  - {name: one, command: sleep 4}', allocation);
  const linked = links.filter(({ kind }) => kind === 'process');
  expect(linked.length).toBeGreaterThan(0);
  expect(linked.map((each) => [each.job, each.slurm_job, each.step])).toEqual(linked.map(() => [7, 7, step]));
});

it('the profile of a job without samples says what its workflow needs', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'flow.yaml'), 'name: flow\njobs: [{name: one, command: "true"}]\n');
  await torc(['-s', 'run', 'flow.yaml'], { cwd: folder });
  const { code, stdout, stderr } = await torc(['-s', 'jobs', 'profile', 'one'], { cwd: folder });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('the workflow needs resource_monitor: {sonar: true}');
});

it('a runner writes no Sonar records unless its workflow requests them', async () => {
  const { samples, links } = await run('{jobs: {enabled: true}}', '\n  - {name: one, command: sleep 1}');
  expect([samples, links]).toEqual([[], []]);
});
