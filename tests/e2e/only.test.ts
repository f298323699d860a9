import { existsSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type RunningServer, startServer, temporaryFolder, torc } from '../support/programs.ts';

/** Two chains of two jobs, a job that fails and one behind it, and one on its own. */
const FLOW = `name: chains
jobs:
  - { name: 'sort_{i}', command: 'sort raw_{i} > sorted_{i}', input_files: ['raw_{i}'], output_files: ['sorted_{i}'], parameters: { i: '1:2' } }
  - { name: 'count_{i}', command: 'wc -l < sorted_{i} > counted_{i}', input_files: ['sorted_{i}'], output_files: ['counted_{i}'], parameters: { i: '1:2' } }
  - { name: broken, command: 'test -e fixed' }
  - { name: behind, command: 'true', depends_on: [broken] }
  - { name: alone, command: 'true' }
files:
  - { name: 'raw_{i}', path: 'raw_{i}', parameters: { i: '1:2' } }
  - { name: 'sorted_{i}', path: 'sorted_{i}', parameters: { i: '1:2' } }
  - { name: 'counted_{i}', path: 'counted_{i}', parameters: { i: '1:2' } }
`;

let folder: string;
let server: RunningServer;
const at = (name: string) => join(folder, name);
const call = (...words: string[]) => torc(['--url', server.url, ...words], { cwd: folder });
const later = (name: string) => utimesSync(at(name), Date.now() / 1000 + 10, Date.now() / 1000 + 10);
const statuses = async () => {
  const { items } = await server.client.listJobs({ query: { workflow_id: 1 } });
  return Object.fromEntries(items.map(({ name, status }) => [name, status]));
};
const attempts = async () => {
  const { items } = await server.client.listResults({ query: { workflow_id: 1, all_runs: true } });
  return Object.fromEntries([...Map.groupBy(items, (each) => each.job_name)].map(([name, all]) => [name, all.length]));
};

beforeEach(async () => {
  folder = temporaryFolder();
  server = await startServer(folder);
  for (const name of ['raw_1', 'raw_2']) writeFileSync(at(name), 'b\na\n');
  writeFileSync(at('flow.yaml'), FLOW);
});

describe('run --only', () => {
  it('a run with --only creates the workflow of a file, runs a named job with what it needs, and leaves all others as they are', async () => {
    const { stderr, code } = await call('run', 'flow.yaml', '--only', 'count_2', '--fail');
    expect(code).toBe(0);
    expect(stderr).toContain('2 jobs completed');
    expect(stderr).toContain('5 others were left as they are');
    expect(await attempts()).toEqual({ sort_2: 1, count_2: 1 });
    const before = { sort_1: 'ready', count_1: 'blocked', broken: 'ready', behind: 'blocked', alone: 'ready' };
    expect(await statuses()).toEqual({ ...before, sort_2: 'completed', count_2: 'completed' });
    // A file to make, and the file again, whose workflow there is now.
    expect((await call('run', '1', '--only', './counted_1')).stderr).toContain('2 jobs completed');
    expect((await call('run', 'flow.yaml', '--only', 'count_*')).stderr).toContain('nothing to run: 4 up to date');
    expect(await attempts()).toEqual({ sort_1: 1, sort_2: 1, count_1: 1, count_2: 1 });
    // A run without the option runs the rest.
    await call('run', '1');
    expect(await attempts()).toEqual({ sort_1: 1, sort_2: 1, count_1: 1, count_2: 1, broken: 1, alone: 1 });
  });

  it('a run with --only runs what is out of date among its jobs, and neither what depends on them nor what is out of date elsewhere', async () => {
    await call('run', 'flow.yaml');
    for (const name of ['raw_1', 'raw_2']) writeFileSync(at(name), 'c\nb\na\n');
    for (const name of ['raw_1', 'raw_2']) later(name);
    const { stderr } = await call('run', '1', '--only', 'sort_1');
    expect(stderr).toContain('input raw_1 is newer than at the last run');
    expect(await attempts()).toEqual({ sort_1: 2, sort_2: 1, count_1: 1, count_2: 1, broken: 1, alone: 1 });
    expect(await statuses()).toMatchObject({ sort_1: 'completed', count_1: 'completed', behind: 'canceled' });
    // Nothing is lost by that: the next update finds the rest.
    await call('run', '1', '--update');
    expect(await attempts()).toEqual({ sort_1: 2, sort_2: 2, count_1: 2, count_2: 2, broken: 1, alone: 1 });
    expect((await call('run', '1', '--update')).stderr).toContain('nothing to run');
  });

  it('a run with --only makes a file that is gone, with what it takes to make it', async () => {
    await call('run', 'flow.yaml');
    for (const name of ['sorted_1', 'counted_1', 'counted_2']) rmSync(at(name));
    await call('run', '1', '--only', 'counted_1');
    expect(await attempts()).toEqual({ sort_1: 2, sort_2: 1, count_1: 2, count_2: 1, broken: 1, alone: 1 });
    expect([existsSync(at('counted_1')), existsSync(at('counted_2'))]).toEqual([true, false]);
  });

  it('a run with --only runs again what failed or was canceled among its jobs; its exit code and its counts are those of its jobs', async () => {
    await call('run', 'flow.yaml');
    const failed = await call('run', '1', '--only', 'behind', '--fail');
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('0 jobs completed, 1 failed, 1 stopped (canceled)');
    expect(failed.stderr).toMatch(/To run the failed jobs again: torc .*run 1 --only behind --fail/u);
    // Another job that failed does not concern these.
    expect((await call('run', '1', '--only', 'count_1', '--fail')).code).toBe(0);
    writeFileSync(at('fixed'), '');
    expect((await call('run', '1', '--only', 'behind', '--fail')).code).toBe(0);
    expect(await attempts()).toEqual({ sort_1: 1, sort_2: 1, count_1: 1, count_2: 1, broken: 3, behind: 1, alone: 1 });
  });

  it('a run with --only runs jobs of a workflow that was canceled, in a new run, and the others stay canceled', async () => {
    await call('run', 'flow.yaml', '--only', 'sort_1');
    await server.client.cancelWorkflow({ params: { id: 1 } });
    expect((await call('run', '1', '--only', 'count_1')).stderr).toContain('2 jobs completed');
    expect(await attempts()).toEqual({ sort_1: 1, count_1: 1 });
    expect((await server.client.getWorkflow({ params: { id: 1 } })).run_id).toBe(2);
  });

  it('a change of the file waits for a later run where it concerns other jobs, and is not lost', async () => {
    await call('run', 'flow.yaml');
    writeFileSync(at('flow.yaml'), FLOW.replaceAll("'sort raw", "'sort -r raw").replace('name: alone', 'name: lonely'));
    await call('run', 'flow.yaml', '--only', 'count_1');
    expect(await attempts()).toEqual({ sort_1: 2, sort_2: 1, count_1: 2, count_2: 1, broken: 1, alone: 1 });
    expect(await statuses()).toMatchObject({ sort_2: 'ready', count_2: 'blocked', lonely: 'ready' });
    await call('run', '1');
    expect(await attempts()).toMatchObject({ sort_1: 2, sort_2: 2, count_1: 2, count_2: 2, lonely: 1 });
  });

  it.each([
    [['flow.yaml', '--only', 'nope'], 1, '--only: no job is named "nope"'],
    [['flow.yaml', '--only', 'raw_1'], 1, 'or makes a file of this path'],
    [['flow.yaml', '--only', 'sort_3', '--dry-run'], 1, 'jobs that begin alike: sort_1, sort_2'],
    [['flow.yaml', '--only', 'alone', '--resume'], 2, '--only runs what failed or was interrupted'],
  ])('%j is refused before anything is created', async (words, expected, text) => {
    const { stderr, code } = await call('run', ...words);
    expect([code, stderr]).toEqual([expected, expect.stringContaining(text)]);
    expect((await server.client.listWorkflows({ query: {} })).items).toEqual([]);
  });

  it('a job that only waits for a chosen one ran before it, so a later update runs it again, once', async () => {
    writeFileSync(
      at('flow.yaml'),
      `name: order
jobs:
  - { name: first, command: 'date > made', input_files: [raw_1] }
  - { name: second, command: 'test -e made', depends_on: [first] }
  - { name: third, command: 'true', depends_on: [second] }
files: [{ name: raw_1, path: raw_1 }]
`,
    );
    await call('run', 'flow.yaml');
    later('raw_1');
    await call('run', '1', '--only', 'first');
    expect(await attempts()).toEqual({ first: 2, second: 1, third: 1 });
    // Named, and not run, without being asked for.
    expect((await call('run', '1')).stderr).toContain('first ran again after it');
    const { stderr } = await call('run', '1', '--update');
    expect(stderr).toContain('waits for second, which would run');
    expect(await attempts()).toEqual({ first: 2, second: 2, third: 2 });
    expect((await call('run', '1', '--update')).stderr).toContain('nothing to run: 3 up to date');
  });

  it('a dry run names the chosen jobs and changes nothing', async () => {
    const ofFile = await call('run', 'flow.yaml', '--only', 'count_1', '--dry-run');
    expect(ofFile.stdout).toContain('2 of its 7 jobs would run:\n  sort_1\n  count_1\n');
    await call('run', 'flow.yaml', '--only', 'alone');
    const { stdout } = await call('-f', 'json', 'run', '1', '--only', 'behind', '--dry-run');
    const { reruns } = JSON.parse(stdout) as { reruns: { job_name: string }[] };
    expect(reruns.map(({ job_name: name }) => name)).toEqual(['broken', 'behind']);
    expect(await attempts()).toEqual({ alone: 1 });
  });

  it('two runs of different jobs, and one of all, share a workflow: each job runs once', async () => {
    await call('run', 'flow.yaml', '--only', 'alone');
    const runs = [['--only', 'count_1'], ['--only', 'count_2'], []].map((words) => call('run', '1', ...words));
    expect((await Promise.all(runs)).map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(await attempts()).toEqual({ sort_1: 1, sort_2: 1, count_1: 1, count_2: 1, broken: 1, alone: 1 });
  });
});
