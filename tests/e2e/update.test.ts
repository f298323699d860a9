import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasTmux, openScreen } from '../support/screen.ts';
import { start, startServer, temporaryFolder, torc, until } from '../support/programs.ts';

const flow = (jobs: string) => `name: samples\njobs:\n${jobs}`;
const slow = (word: string) =>
  `  - {name: slow, command: "touch begun; until test -e go; do sleep 0.05; done; echo ${word} >> ran"}\n`;
const quick = (name: string) => `  - {name: ${name}, command: "echo ${name} >> ran"}\n`;
const ran = (folder: string) => readFileSync(join(folder, 'ran'), 'utf8').trim().split('\n').toSorted();

describe('run with a file again', () => {
  it('run with --update runs what is new or changed and no other job, and keeps the results of all', async () => {
    const folder = temporaryFolder();
    const { url, client } = await startServer(folder);
    const run = (...words: string[]) => torc(['--url', url, 'run', 'flow.yaml', ...words], { cwd: folder });
    writeFileSync(join(folder, 'flow.yaml'), flow(quick('one') + quick('two') + quick('three')));
    await run();
    writeFileSync(
      join(folder, 'flow.yaml'),
      flow(quick('one') + quick('two').replace('two >>', 'other >>') + quick('four')),
    );
    const shown = await run('--update', '--dry-run');
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain('Workflow 1: 1 job added, 1 changed, 1 removed, 1 unchanged; 2 jobs would run.');
    expect(ran(folder)).toEqual(['one', 'three', 'two']);

    expect((await run('--update')).code).toBe(0);
    expect(ran(folder)).toEqual(['four', 'one', 'other', 'three', 'two']);
    const { items } = await client.listResults({ query: { workflow_id: 1, all_runs: true } });
    expect(items.map(({ job_name: name }) => String(name)).toSorted()).toEqual(['four', 'one', 'three', 'two', 'two']);
    expect((await client.listWorkflows({ query: {} })).total_count).toBe(1);

    const again = await run('--update');
    expect(again.stderr).toContain('Workflow 1 is what the file says; nothing changed.');
    expect(ran(folder)).toHaveLength(5);
  });

  it('an update finds a new file of a pattern with several parameters, and runs its job and what reads it', async () => {
    const folder = temporaryFolder();
    const { url } = await startServer(folder);
    mkdirSync(join(folder, 'raw'));
    for (const name of ['a_L1', 'a_L2', 'b_L1']) writeFileSync(join(folder, `raw/${name}.txt`), name);
    writeFileSync(
      join(folder, 'flow.yaml'),
      `name: lanes
files:
  - { name: 'raw_{s}_{l}', glob: 'raw/{s}_{l}.txt' }
  - { name: 'out_{s}_{l}', path: '{s}_{l}.out', use_parameters: [s, l] }
jobs:
  - { name: 'one_{s}_{l}', use_parameters: [s, l], command: 'cat \${files.input.raw_{s}_{l}} > \${files.output.out_{s}_{l}}; echo one_{s}_{l} >> ran' }
  - { name: 'all_{s}', use_parameters: [s], input_file_regexes: ['^out_{s}_'], command: 'echo all_{s} >> ran' }
`,
    );
    const run = (...words: string[]) => torc(['--url', url, 'run', 'flow.yaml', ...words], { cwd: folder });
    await run();
    expect(ran(folder)).toEqual(['all_a', 'all_b', 'one_a_L1', 'one_a_L2', 'one_b_L1']);
    writeFileSync(join(folder, 'raw/b_L2.txt'), '');
    const { stderr } = await run('--update');
    expect(stderr).toContain('Workflow 1: 1 job added, 1 changed, 0 removed, 4 unchanged; 2 jobs run.');
    expect(ran(folder)).toEqual(['all_a', 'all_b', 'all_b', 'one_a_L1', 'one_a_L2', 'one_b_L1', 'one_b_L2']);
  });

  it('run without an option creates another workflow and names --update; with --new it says nothing', async () => {
    const folder = temporaryFolder();
    const { url } = await startServer(folder);
    const run = (...words: string[]) => torc(['--url', url, 'run', 'flow.yaml', ...words], { cwd: folder });
    writeFileSync(join(folder, 'flow.yaml'), flow(quick('one')));
    expect((await run()).stderr).not.toContain('--update');
    expect((await run()).stderr).toMatch(
      /^Workflow 1, "samples", was created from this file \(.*\); --update changes it/m,
    );
    expect((await run('--new')).stderr).not.toContain('--update');
    expect(ran(folder)).toEqual(['one', 'one', 'one']);
  });

  it.each([
    [
      ['flow.yaml', '--update'],
      1,
      'no workflow of user tester was created from this file or is named "samples", so there is none to update',
    ],
    [['flow.yaml', '--update', '--new'], 2, '--update changes the workflow of the file and --new creates another one'],
    [
      ['flow.yaml', '--force', 'one', '--new'],
      2,
      '--force runs jobs of a workflow again and --new creates another one',
    ],
    [['flow.yaml', '-w', '1'], 2, '--workflow-id names the workflow that --update changes'],
    [['flow.yaml', '--update', '-w', '7'], 1, 'workflow 7 was not found \\(404\\)'],
    [['1', '--new'], 2, '--new needs a workflow file'],
  ])('run %j is refused before anything is created', async (words, code, message) => {
    const folder = temporaryFolder();
    const { url, client } = await startServer(folder);
    writeFileSync(join(folder, 'flow.yaml'), flow(quick('one')));
    const refused = await torc(['--url', url, 'run', ...words], { cwd: folder });
    expect([refused.code, refused.stderr]).toEqual([code, expect.stringMatching(message)]);
    expect((await client.listWorkflows({ query: {} })).total_count).toBe(0);
  });

  describe('the workflow of a file', () => {
    const folder = () => {
      const at = temporaryFolder();
      mkdirSync(join(at, 'other'));
      return at;
    };
    const update = (url: string, cwd: string, ...words: string[]) =>
      torc(['--url', url, 'run', ...words, '--update'], { cwd });

    it('a file whose name for the workflow changed is recognised by its path, and the workflow gets the new name', async () => {
      const cwd = folder();
      const { url, client } = await startServer(cwd);
      writeFileSync(join(cwd, 'flow.yaml'), flow(quick('one')));
      await torc(['--url', url, 'run', 'flow.yaml'], { cwd });
      writeFileSync(join(cwd, 'flow.yaml'), flow(quick('one')).replace('samples', 'renamed'));
      expect((await update(url, cwd, 'flow.yaml')).stderr).toContain('Settings: changed name');
      expect((await client.getWorkflow({ params: { id: 1 } })).name).toBe('renamed');
    });

    it('a file that was moved is recognised by the name in it, and its new path is noted', async () => {
      const cwd = folder();
      const { url, client } = await startServer(cwd);
      writeFileSync(join(cwd, 'flow.yaml'), flow(quick('one')));
      await torc(['--url', url, 'create', 'flow.yaml'], { cwd });
      renameSync(join(cwd, 'flow.yaml'), join(cwd, 'other/moved.yaml'));
      expect((await update(url, cwd, 'other/moved.yaml')).code).toBe(0);
      expect((await client.getWorkflow({ params: { id: 1 } })).spec_file).toBe(
        realpathSync(join(cwd, 'other/moved.yaml')),
      );
    });

    it('another file with the same name in it, as in two folders, is not taken for the file of the workflow', async () => {
      const cwd = folder();
      const { url, client } = await startServer(cwd);
      for (const path of ['flow.yaml', 'other/flow.yaml']) writeFileSync(join(cwd, path), flow(quick('one')));
      await torc(['--url', url, 'run', 'flow.yaml'], { cwd });
      expect((await update(url, cwd, 'other/flow.yaml')).stderr).toContain('so there is none to update');
      expect((await torc(['--url', url, 'run', 'other/flow.yaml'], { cwd })).stderr).not.toContain('--update');
      expect((await client.listWorkflows({ query: {} })).total_count).toBe(2);
    });

    it('of several workflows of one file none is updated without its id, and the refusal lists them', async () => {
      const cwd = folder();
      const { url, client } = await startServer(cwd);
      writeFileSync(join(cwd, 'flow.yaml'), flow(quick('one')));
      for (let count = 0; count < 2; count += 1) await torc(['--url', url, 'create', 'flow.yaml'], { cwd });
      writeFileSync(join(cwd, 'flow.yaml'), flow(quick('one') + quick('two')));
      const refused = await update(url, cwd, 'flow.yaml');
      expect([refused.code, refused.stderr]).toEqual([
        1,
        expect.stringMatching(
          /2 workflows were created from this file:\n {2}2, "samples", created .*\n {2}1, "samples", created .*\n--workflow-id says which/,
        ),
      ]);
      expect((await update(url, cwd, 'flow.yaml', '-w', '1')).code).toBe(0);
      const jobs = async (id: number) => (await client.listJobs({ query: { workflow_id: id } })).total_count;
      expect([await jobs(1), await jobs(2)]).toEqual([2, 1]);
    });
  });

  it('an update while the workflow runs leaves the running job as it is, says so, and the same update later changes it', async () => {
    const folder = temporaryFolder();
    const { url, client } = await startServer(folder);
    writeFileSync(join(folder, 'flow.yaml'), flow(slow('before')));
    const runner = start('torc', ['--url', url, 'run', 'flow.yaml', '--num-cpus', '1'], { cwd: folder });
    await until(
      () => existsSync(join(folder, 'begun')),
      (there) => there,
      'the job to run',
    );
    writeFileSync(join(folder, 'flow.yaml'), flow(slow('after') + quick('more')));
    const second = start('torc', ['--url', url, 'run', 'flow.yaml', '--update', '-o', 'second'], { cwd: folder });
    await until(
      () => existsSync(join(folder, 'ran')),
      (there) => there,
      'the new job to run',
    );
    expect(ran(folder)).toEqual(['more']);
    writeFileSync(join(folder, 'go'), '');
    const { code, stderr } = await second.ended;
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        '1 job stays as it is until a later update, because a runner has it: slow (runs or is about to)',
      ),
    ]);
    await runner.ended;
    expect(ran(folder)).toEqual(['before', 'more']);

    expect((await torc(['--url', url, 'run', 'flow.yaml', '--update'], { cwd: folder })).code).toBe(0);
    expect(ran(folder)).toEqual(['after', 'before', 'more']);
    const { items } = await client.listJobs({ query: { workflow_id: 1 } });
    expect(items.map(({ name, status, attempt_id: attempt }) => [name, status, attempt])).toEqual([
      ['slow', 'completed', 2],
      ['more', 'completed', 1],
    ]);
  });

  it.runIf(hasTmux)(
    'run on a terminal shows the change and asks; "y" updates, "n" creates another workflow, and nothing else does either',
    async () => {
      const folder = temporaryFolder();
      const { url, client } = await startServer(folder);
      writeFileSync(join(folder, 'flow.yaml'), flow(quick('one')));
      await torc(['--url', url, 'run', 'flow.yaml'], { cwd: folder });
      writeFileSync(join(folder, 'flow.yaml'), flow(quick('one') + quick('two')));
      const screen = await openScreen(folder, { width: 120, height: 40 });
      await screen.press(`torc --url ${url} run flow.yaml`, 'Enter');
      await screen.shows(/two +│ added/);
      await screen.shows('Otherwise another one is created. [y/n]');
      await screen.press('C-d');
      await screen.shows('Nothing was changed.');
      await screen.press('clear', 'Enter', `torc --url ${url} run flow.yaml`, 'Enter');
      await screen.shows('Otherwise another one is created. [y/n]');
      await screen.press('maybe', 'Enter');
      await screen.shows(/created\. \[y\/n\] maybe[^]*created\. \[y\/n\]/);
      await screen.press('Enter');
      await screen.shows(/created\. \[y\/n\] maybe[^]*created\. \[y\/n\][^]*created\. \[y\/n\]/);
      expect((await client.listWorkflows({ query: {} })).total_count).toBe(1);
      expect((await client.listJobs({ query: { workflow_id: 1 } })).total_count).toBe(1);
      await screen.press('y', 'Enter');
      await screen.shows('2 jobs completed');
      expect((await client.listWorkflows({ query: {} })).total_count).toBe(1);
      await screen.press(`torc --url ${url} run flow.yaml`, 'Enter');
      await screen.shows('Workflow 1 is what the file says; nothing would change.');
      await screen.shows(/what the file says[^]*created\. \[y\/n\]/);
      await screen.press('n', 'Enter');
      await screen.shows('Created workflow 2');
      await until(
        async () => (await client.isComplete({ params: { id: 2 } })).is_complete,
        (is) => is,
        'the end',
      );
    },
  );
});
