import { existsSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type RunningServer, startServer, temporaryFolder, torc } from '../support/programs.ts';

/** Two chains whose middle files need not stay, a job without outputs, and one with a label. */
const FLOW = `name: chains
jobs:
  - { name: 'sort_{i}', command: 'sort raw > sorted_{i}', input_files: [raw], output_files: ['sorted_{i}'], parameters: { i: '1:2' } }
  - { name: 'count_{i}', command: 'wc -l < sorted_{i} > counted_{i}', input_files: ['sorted_{i}'], output_files: ['counted_{i}'], parameters: { i: '1:2' } }
  - { name: silent, command: 'true' }
  - { name: marked, command: 'echo x > marked', labels: [gpu], output_files: [marked] }
files:
  - { name: raw, path: raw }
  - { name: marked, path: marked }
  - { name: 'sorted_{i}', path: 'sorted_{i}', parameters: { i: '1:2' } }
  - { name: 'counted_{i}', path: 'counted_{i}', parameters: { i: '1:2' } }
`;

let folder: string;
let server: RunningServer;
const at = (name: string) => join(folder, name);
const call = (...words: string[]) => torc(['--url', server.url, ...words], { cwd: folder });
const results = async () => {
  const { items } = await server.client.listResults({ query: { workflow_id: 1, all_runs: true } });
  return items.map(({ job_name: name, cause_code: cause }) => `${name}: ${cause ?? 'ran'}`).toSorted();
};
const touch = async (...words: string[]) => {
  const { stdout } = await call('-f', 'json', 'run', ...words, '--touch');
  // What a creation prints is a line before it.
  return JSON.parse(stdout.slice(stdout.indexOf('{\n'))) as { taken_as_made: number; left: unknown[] };
};

beforeEach(async () => {
  folder = temporaryFolder();
  server = await startServer(folder);
  for (const name of ['raw', 'sorted_1', 'counted_1', 'counted_2', 'marked'])
    writeFileSync(at(name), 'of another program\n');
  writeFileSync(at('flow.yaml'), FLOW);
});

describe('run --touch', () => {
  it('a run with --touch takes jobs as made whose outputs are there, also where files between them are gone, and an update runs only the rest', async () => {
    const { stdout, code } = await call('run', 'flow.yaml', '--touch');
    expect(code).toBe(0);
    expect(stdout).toContain('5 jobs were taken as made: they count as completed and did not run.');
    expect(stdout).toMatch(/silent.*it declares no outputs/u);
    const taken = ['count_1', 'count_2', 'marked', 'sort_1', 'sort_2'].map((name) => `${name}: adopted`);
    expect(await results()).toEqual(taken);
    expect(existsSync(at('sorted_2'))).toBe(false);
    const { stderr } = await call('run', 'flow.yaml', '--update');
    expect(stderr).toContain('this run: 1 ran, 5 up to date');
    expect((await call('run', '1', '--update')).stderr).toContain('nothing to run: 6 up to date');
    expect(await results()).toEqual([...taken, 'silent: ran'].toSorted());
    expect((await call('results', 'list', '1')).stdout).toContain('it did not run: its outputs were there');
  });

  it('an input that changes afterwards makes its readers run', async () => {
    await call('run', 'flow.yaml', '--touch');
    writeFileSync(at('raw'), 'b\na\n');
    utimesSync(at('raw'), Date.now() / 1000 + 10, Date.now() / 1000 + 10);
    await call('run', '1', '--update');
    expect(await results()).toEqual(
      expect.arrayContaining(['sort_1: ran', 'sort_2: ran', 'count_1: ran', 'count_2: ran']),
    );
  });

  it('a job whose output is missing runs, with what it takes to make it and what is behind it; these are named', async () => {
    rmSync(at('counted_2'));
    expect(await touch('flow.yaml')).toMatchObject({
      taken_as_made: 3,
      left: [
        { job_name: 'sort_2', reason: { kind: 'missing', file: 'sorted_2' } },
        { job_name: 'count_2', reason: { kind: 'missing', file: 'counted_2' } },
        { job_name: 'silent', reason: { kind: 'no outputs' } },
      ],
    });
    expect(existsSync(at('counted_2'))).toBe(false);
    await call('run', '1');
    expect(await results()).toEqual([
      'count_1: adopted',
      'count_2: ran',
      'marked: adopted',
      'silent: ran',
      'sort_1: adopted',
      'sort_2: ran',
    ]);
  });

  it('a run with --touch accepts what is out of date and what failed, only among the jobs of --only, and runs nothing', async () => {
    writeFileSync(at('flow.yaml'), FLOW.replace('labels: [gpu], ', '').replace("'wc -l <", "'false <"));
    await call('run', 'flow.yaml');
    writeFileSync(at('raw'), 'newer\n');
    utimesSync(at('raw'), Date.now() / 1000 + 10, Date.now() / 1000 + 10);
    for (const name of ['counted_1', 'counted_2']) writeFileSync(at(name), 'made by hand\n');
    const before = await results();
    expect((await touch('1', '--dry-run')).taken_as_made).toBe(4);
    expect(await results()).toEqual(before);
    expect(await touch('1', '--only', 'count_1')).toMatchObject({ taken_as_made: 2, left: [] });
    expect(await results()).toEqual([...before, 'count_1: adopted', 'sort_1: adopted'].toSorted());
    const { stdout } = await call('-f', 'json', 'run', '1', '--dry-run');
    expect((JSON.parse(stdout) as { reruns: { job_name: string }[] }).reruns).toMatchObject([
      { job_name: 'sort_2' },
      { job_name: 'count_2' },
    ]);
  });

  it('a run with --touch is refused from another folder than that of the workflow, where every file looks missing', async () => {
    await call('run', 'flow.yaml', '--touch');
    const { code, stderr } = await torc(['--url', server.url, 'run', '1', '--touch'], { cwd: temporaryFolder() });
    expect([code, stderr]).toEqual([1, expect.stringContaining('in the folder in which it was created')]);
  });

  it.each([
    [['--force', 'silent'], '--touch runs nothing and --force runs jobs again'],
    [['--resume'], '--touch runs nothing'],
    [['--dry-run'], 'none was created from this file'],
  ])('a run with --touch and %j is refused, and creates nothing', async (words, text) => {
    const { code, stderr } = await call('run', 'flow.yaml', '--touch', ...words);
    expect([code, stderr]).toEqual([2, expect.stringContaining(text)]);
    expect((await server.client.listWorkflows({ query: {} })).items).toEqual([]);
  });
});
