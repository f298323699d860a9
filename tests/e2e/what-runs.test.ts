import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { File } from '../../src/core/contract/artifact.ts';
import type { Rerun } from '../../src/core/lifecycle/rerun/rerun.ts';
import { hasTmux, openScreen } from '../support/screen.ts';
import { type RunningServer, startServer, temporaryFolder, torc } from '../support/programs.ts';

/** What would run, and why, is one answer of every command. */

const FLOW = `name: recipe
jobs:
  - { name: sort, command: 'sort raw > sorted', input_files: [raw], output_files: [sorted] }
  - { name: count, command: 'wc -l < sorted > counted', input_files: [sorted], output_files: [counted] }
  - { name: alone, command: 'echo x > lone', output_files: [lone] }
  - { name: kept, command: 'cat other > copy', input_files: [other], output_files: [copy] }
  - { name: broken, command: 'test -e fixed' }
files: [{ name: raw, path: raw }, { name: sorted, path: sorted }, { name: counted, path: counted },
  { name: lone, path: lone }, { name: other, path: other }, { name: copy, path: copy }]
`;

let folder: string;
let server: RunningServer;
const call = (...words: string[]) => torc(['--url', server.url, ...words], { cwd: folder });
const json = async (...words: string[]) =>
  JSON.parse((await call('-f', 'json', ...words)).stdout) as Record<string, unknown>;
const attempts = async () => {
  const { items } = await server.client.listResults({ query: { workflow_id: 1, all_runs: true } });
  return Object.fromEntries([...Map.groupBy(items, (each) => each.job_name)].map(([name, all]) => [name, all.length]));
};
/** Edits an input and deletes an output: by ten seconds, for the clocks of file systems are coarse. */
const edit = (name: string) => {
  writeFileSync(join(folder, name), 'b\na\nc\n');
  const seconds = Date.now() / 1000 + 10;
  utimesSync(join(folder, name), seconds, seconds);
};
const whys = (run: unknown) => (run as Rerun[]).map(({ job_name: name, reasons }) => [name, reasons]);

beforeEach(async () => {
  folder = temporaryFolder();
  server = await startServer(folder);
  for (const [name, text] of [
    ['flow.yaml', FLOW],
    ['raw', 'b\na\n'],
    ['other', 'o\n'],
  ] as const)
    writeFileSync(join(folder, name), text);
  await call('run', 'flow.yaml');
});

describe('what would run, and why', () => {
  it('after an input was edited and an output deleted, every command names the same jobs with the same reasons', async () => {
    edit('raw');
    rmSync(join(folder, 'lone'));
    const expected = [
      ['sort', [{ kind: 'input', file: 'raw', change: 'newer' }]],
      ['count', [{ kind: 'job', job_id: 1, job_name: 'sort' }]],
      ['alone', [{ kind: 'output', file: 'lone', change: 'missing' }]],
    ];
    expect(whys((await json('workflows', 'reinit', '1', '--dry-run'))['jobs'])).toEqual(expected);
    expect(whys((await json('run', 'flow.yaml', '--update', '--dry-run'))['reruns'])).toEqual(expected);
    const { result } = (await json('recover', '1', '--dry-run', '--retry-unknown')) as { result: { reruns: unknown } };
    expect(whys(result.reruns)).toEqual(expected);
    // It begins no run where it repeats nothing.
    expect((await json('recover', '1', '--dry-run'))['result']).not.toHaveProperty('reruns');
    expect(await attempts()).toEqual({ sort: 1, count: 1, alone: 1, kept: 1, broken: 1 });

    const { stderr, code } = await call('run', '1', '--update');
    expect(code).toBe(0);
    expect(stderr).toContain('3 jobs run again, because files or values have changed:');
    expect(stderr).toContain('input raw is newer than at the last run');
    expect(stderr).toContain('output lone is missing');
    expect(stderr).toContain('this run: 3 ran, 1 up to date, 1 failed earlier');
    expect(await attempts()).toEqual({ sort: 2, count: 2, alone: 2, kept: 1, broken: 1 });
    expect(existsSync(join(folder, 'lone'))).toBe(true);
  });

  it('a script that runs a workflow that has ended runs nothing, as with Torc, and sees named what is out of date', async () => {
    edit('raw');
    rmSync(join(folder, 'lone'));
    const { stderr, code } = await call('run', '1');
    expect(code).toBe(0);
    expect(stderr).toContain('3 jobs are out of date:');
    expect(stderr).toContain('input raw is newer than at the last run');
    expect(stderr).toMatch(/To run them: torc .*run 1 --update/u);
    expect(stderr).toContain('nothing to run: 1 up to date, 3 out of date, 1 failed earlier');
    expect(whys((await json('run', '1'))['out_of_date'])).toHaveLength(3);
    expect(whys((await json('run', '1', '--dry-run'))['reruns'])).toHaveLength(3);
    expect(await attempts()).toEqual({ sort: 1, count: 1, alone: 1, kept: 1, broken: 1 });
    // A setting, or a variable, takes the place of the option.
    const set = { cwd: folder, environment: { TORC_RUN_UPDATE: '1' } };
    expect((await torc(['--url', server.url, 'run', 'recipe'], set)).stderr).toContain('3 jobs run again');
    expect(await attempts()).toEqual({ sort: 2, count: 2, alone: 2, kept: 1, broken: 1 });
  });

  it.runIf(hasTmux)('a person at a terminal sees what is out of date once, and decides', async () => {
    edit('raw');
    const screen = await openScreen(folder, { width: 150, height: 40 });
    const run = `torc --url ${server.url} run 1 --fail; echo ended $?`;
    await screen.press(run, 'Enter');
    await screen.shows('Run these 2 jobs? [y/N]');
    await screen.press('n', 'Enter');
    await screen.shows('nothing to run: 2 up to date, 2 out of date, 1 failed earlier');
    await screen.shows('ended 1');
    expect(await attempts()).toEqual({ sort: 1, count: 1, alone: 1, kept: 1, broken: 1 });
    await screen.press('clear', 'Enter');
    await screen.press(run, 'Enter');
    await screen.shows('Run these 2 jobs? [y/N]');
    await screen.press('y', 'Enter');
    const lines = await screen.shows(/this run: 2 ran, 2 up to date, 1 failed earlier/u);
    expect(lines.filter((line) => line.includes('input raw is newer'))).toHaveLength(1);
    expect(await attempts()).toEqual({ sort: 2, count: 2, alone: 1, kept: 1, broken: 1 });
  });

  it('an output that is missing makes its job run only if nothing reads it, or what reads it runs', async () => {
    rmSync(join(folder, 'sorted'));
    expect((await call('run', '1')).stderr).toContain('nothing to run: 4 up to date');
    // Torc's own command runs it in any case.
    expect(whys((await json('workflows', 'reinit', '1', '--dry-run'))['jobs'])).toHaveLength(2);
    rmSync(join(folder, 'counted'));
    expect(whys((await json('run', '1', '--dry-run'))['reruns'])).toEqual([
      ['sort', [{ kind: 'output', file: 'sorted', change: 'missing' }]],
      [
        'count',
        [
          { kind: 'output', file: 'counted', change: 'missing' },
          { kind: 'job', job_id: 1, job_name: 'sort' },
        ],
      ],
    ]);
    await call('run', '1', '--yes');
    expect(await attempts()).toEqual({ sort: 2, count: 2, alone: 1, kept: 1, broken: 1 });
  });

  it('a job that is added and reads a missing output makes the job run that wrote it', async () => {
    rmSync(join(folder, 'sorted'));
    const add =
      "jobs:\n  - { name: late, command: 'cat sorted > later', input_files: [sorted], output_files: [later] }";
    writeFileSync(
      join(folder, 'flow.yaml'),
      FLOW.replace('jobs:', add).replace('files: [{', 'files: [{ name: later, path: later }, {'),
    );
    expect((await call('run', 'flow.yaml', '--update')).stderr).toContain('this run: 3 ran');
    expect(await attempts()).toEqual({ sort: 2, count: 2, alone: 1, kept: 1, broken: 1, late: 1 });
  });

  it('named jobs run again by force, with what depends on them; a name that no job has is refused', async () => {
    expect(whys((await json('run', '1', '--force', 'so*', '--dry-run'))['reruns'])).toEqual([
      ['sort', [{ kind: 'forced' }]],
      ['count', [{ kind: 'job', job_id: 1, job_name: 'sort' }]],
    ]);
    expect((await call('run', '1', '--force', 'so*')).stderr).toContain('this run: 2 ran, 2 up to date');
    expect(await attempts()).toEqual({ sort: 2, count: 2, alone: 1, kept: 1, broken: 1 });
    const { stderr, code } = await call('run', 'flow.yaml', '--force', 'kept', '--force', 'nine');
    expect([code, stderr]).toEqual([1, expect.stringContaining('no job of the workflow is named "nine"')]);
    expect(await attempts()).toEqual({ sort: 2, count: 2, alone: 1, kept: 1, broken: 1 });
  });

  it('a script that a command names and that is no input is named when it is newer than results, and runs nothing', async () => {
    writeFileSync(join(folder, 'flow.yaml'), FLOW.replace("'echo x > lone'", "'sh lone.sh > lone'"));
    writeFileSync(join(folder, 'lone.sh'), 'echo x\n');
    utimesSync(join(folder, 'lone.sh'), 1, 1);
    const words = 'lone.sh is newer than 1 result of jobs that name it';
    expect((await call('run', 'flow.yaml', '--update')).stderr).not.toContain(words);
    utimesSync(join(folder, 'lone.sh'), Date.now() / 1000 + 10, Date.now() / 1000 + 10);
    expect((await call('run', 'flow.yaml', '--update')).stderr).toContain(words);
    expect((await call('run', '1')).stderr).toContain(words);
    expect((await json('run', 'flow.yaml', '--update', '--dry-run'))['newer_programs']).toEqual([
      { path: 'lone.sh', jobs: 1 },
    ]);
    expect(await attempts()).toEqual({ sort: 1, count: 1, alone: 2, kept: 1, broken: 1 });
  });

  it('where no output is there, an update is refused, as its folder may have been moved, unless it is forced', async () => {
    for (const name of ['sorted', 'counted', 'lone', 'copy']) rmSync(join(folder, name));
    for (const words of [['1'], ['flow.yaml']]) {
      const { stderr, code } = await call('run', ...words, '--update');
      expect([code, stderr]).toEqual([1, expect.stringContaining('none of the 4 outputs of the jobs that completed')]);
    }
    expect((await call('run', '1')).stderr).toContain('was the folder moved or emptied?');
    expect(await attempts()).toEqual({ sort: 1, count: 1, alone: 1, kept: 1, broken: 1 });
    await call('run', '1', '--update', '--force', '*');
    expect(await attempts()).toEqual({ sort: 2, count: 2, alone: 2, kept: 2, broken: 2 });
  });

  it('a dry run of a file that no workflow was created from shows its jobs, and makes neither workflow nor database', async () => {
    writeFileSync(join(folder, 'other.yaml'), FLOW.replace('recipe', 'other'));
    expect((await call('run', 'other.yaml', '--dry-run')).stdout).toContain(
      '"other" would be created, and all of its 5 jobs would run:',
    );
    const { items } = await server.client.listWorkflows({ query: {} });
    expect(items).toHaveLength(1);
    const empty = temporaryFolder();
    const { stdout, code } = await torc(['-s', 'run', join(folder, 'flow.yaml'), '--dry-run'], { cwd: empty });
    expect([code, stdout]).toEqual([0, expect.stringContaining('all of its 5 jobs would run:')]);
    expect(readdirSync(empty)).toEqual([]);
  });

  it('a job that completed with its outputs in place and nothing newer runs again by no command', async () => {
    expect((await json('workflows', 'reinit', '1', '--dry-run'))['jobs']).toEqual([]);
    expect(await json('run', 'flow.yaml', '--update', '--dry-run')).not.toHaveProperty('reruns');
    expect((await json('recover', '1', '--dry-run', '--retry-unknown'))['result']).not.toHaveProperty('reruns');
    for (const words of [['1'], ['1', '--update'], ['flow.yaml', '--update']]) {
      const { stderr } = await call('run', ...words);
      expect(stderr).toContain('nothing to run: 4 up to date, 1 failed earlier');
    }
    expect(await attempts()).toEqual({ sort: 1, count: 1, alone: 1, kept: 1, broken: 1 });
  });

  it('an update runs what the file changes and what its files ask for together, once', async () => {
    edit('raw');
    writeFileSync(join(folder, 'flow.yaml'), FLOW.replace('cat other > copy', 'cat other other > copy'));
    const { stderr } = await call('run', 'flow.yaml', '--update');
    expect(stderr).toContain('this run: 3 ran, 1 up to date, 1 failed earlier');
    expect(await attempts()).toEqual({ sort: 2, count: 2, alone: 1, kept: 2, broken: 1 });
    expect((await call('run', 'flow.yaml', '--update')).stderr).toContain('nothing to run');
  });

  it('an input of another size makes its readers run again even if its time is the same', async () => {
    const { atimeMs, mtimeMs } = statSync(join(folder, 'other'));
    writeFileSync(join(folder, 'other'), 'another\n');
    utimesSync(join(folder, 'other'), atimeMs / 1000, mtimeMs / 1000);
    expect(whys((await json('run', 'flow.yaml', '--update', '--dry-run'))['reruns'])).toEqual([
      ['kept', [{ kind: 'input', file: 'other', change: 'resized' }]],
    ]);
  });

  it('a job is compared with what its own attempt read, not with what another one has read since', async () => {
    edit('raw');
    // Another reader of the same file runs, and reads it as it is now; the stored time of the file becomes that.
    const add = FLOW.replace(
      'jobs:',
      "jobs:\n  - { name: late, command: 'cat raw > later', input_files: [raw], output_files: [later] }",
    );
    writeFileSync(join(folder, 'flow.yaml'), add.replace('files: [{', 'files: [{ name: later, path: later }, {'));
    const { items } = await server.client.listFiles({ query: { workflow_id: 1, name: 'raw' } });
    const [raw] = items as [File];
    const seconds = statSync(join(folder, 'raw')).mtimeMs / 1000;
    await server.client.updateFile({ params: { id: raw.id }, body: { ...raw, st_mtime: seconds } });
    expect(whys((await json('run', 'flow.yaml', '--update', '--dry-run'))['reruns'])).toEqual([
      ['sort', [{ kind: 'input', file: 'raw', change: 'newer' }]],
      ['count', [{ kind: 'job', job_id: 1, job_name: 'sort' }]],
    ]);
    await call('run', 'flow.yaml', '--update');
    expect(await attempts()).toEqual({ sort: 2, count: 2, alone: 1, kept: 1, broken: 1, late: 1 });
    expect((await call('run', 'flow.yaml', '--update')).stderr).toContain('nothing to run');
  });

  it('an input that is gone and that no job makes is no reason to run again: the job would fail', async () => {
    rmSync(join(folder, 'other'));
    expect((await call('run', '1')).stderr).toContain('nothing to run: 4 up to date, 1 failed earlier');
    expect((await call('workflows', 'reinit', '1')).code).toBe(1);
  });

  it('from another folder than that of the workflow no file looks deleted', async () => {
    const elsewhere = { cwd: temporaryFolder() };
    const ofFile = ['--url', server.url, 'run', join(folder, 'flow.yaml'), '--update', '--dry-run'];
    const unseen = 'The files of the workflow were not looked at: it was created in ';
    const { stderr } = await torc(['--url', server.url, 'run', '1'], elsewhere);
    expect(stderr).toContain(unseen);
    expect(stderr).toContain('nothing to run: 4 completed earlier');
    const dry = await torc(['--url', server.url, 'run', '1', '--dry-run'], elsewhere);
    expect(dry.stdout).toContain('No job of workflow 1 would run.');
    expect(dry.stderr).toContain(unseen);
    const shown = await torc(ofFile, elsewhere);
    expect(shown.stdout).toBe('Workflow 1 is what the file says; nothing would change.\n');
    expect(shown.stderr).toContain(unseen);
    expect((await json('run', 'flow.yaml', '--update', '--dry-run'))['rerun_jobs']).toBe(0);
  });

  it('a value that was edited makes its readers run again, and only once', async () => {
    const { id } = await server.client.createUserData({
      query: { consumer_job_id: 3 },
      body: { workflow_id: 1, name: 'value', data: 1 },
    });
    const named = /^.*\balone\b.*user data that it reads changed/mu;
    expect((await call('run', '1', '--update')).stderr).toMatch(named);
    expect((await call('run', '1', '--update')).stderr).toContain('nothing to run');
    await server.client.updateUserData({ params: { id }, body: { workflow_id: 1, name: 'value', data: 2 } });
    expect((await call('run', '1', '--update')).stderr).toMatch(named);
    expect((await call('run', 'flow.yaml', '--update', '--dry-run')).stdout).not.toMatch(named);
  });
});
