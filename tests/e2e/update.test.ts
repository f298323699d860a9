import { existsSync, readFileSync, writeFileSync } from 'node:fs';
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

  it('run without an option creates another workflow and names --update; with --new it says nothing', async () => {
    const folder = temporaryFolder();
    const { url } = await startServer(folder);
    const run = (...words: string[]) => torc(['--url', url, 'run', 'flow.yaml', ...words], { cwd: folder });
    writeFileSync(join(folder, 'flow.yaml'), flow(quick('one')));
    expect((await run()).stderr).not.toContain('--update');
    expect((await run()).stderr).toMatch(/^Workflow 1 is named "samples", too \(created .*\); --update changes it/m);
    expect((await run('--new')).stderr).not.toContain('--update');
    expect(ran(folder)).toEqual(['one', 'one', 'one']);
  });

  it.each([
    [['flow.yaml', '--update'], 1, 'no workflow of user .* is named "samples", so there is none to update'],
    [['flow.yaml', '--update', '--new'], 2, '--update changes the workflow of the file and --new creates another one'],
    [['flow.yaml', '--dry-run'], 2, '--dry-run shows what --update would change'],
    [['1', '--update'], 2, '--update and --new need a workflow file'],
  ])('run %j is refused before anything is created', async (words, code, message) => {
    const folder = temporaryFolder();
    const { url, client } = await startServer(folder);
    writeFileSync(join(folder, 'flow.yaml'), flow(quick('one')));
    const refused = await torc(['--url', url, 'run', ...words], { cwd: folder });
    expect([refused.code, refused.stderr]).toEqual([code, expect.stringMatching(message)]);
    expect((await client.listWorkflows({ query: {} })).total_count).toBe(0);
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
      expect.stringContaining('1 job stays as it is until a later update, because a runner has it: slow (runs)'),
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
    'run on a terminal shows the change and asks; "y" updates, "n" creates another workflow',
    async () => {
      const folder = temporaryFolder();
      const { url, client } = await startServer(folder);
      writeFileSync(join(folder, 'flow.yaml'), flow(quick('one')));
      await torc(['--url', url, 'run', 'flow.yaml'], { cwd: folder });
      writeFileSync(join(folder, 'flow.yaml'), flow(quick('one') + quick('two')));
      const screen = await openScreen(folder, { width: 120, height: 40 });
      await screen.press(`torc --url ${url} run flow.yaml`, 'Enter');
      await screen.shows(/two +│ added/);
      await screen.shows('Otherwise another one is created. [y/N]');
      await screen.press('y', 'Enter');
      await screen.shows('2 jobs completed');
      expect((await client.listWorkflows({ query: {} })).total_count).toBe(1);
      await screen.press(`torc --url ${url} run flow.yaml`, 'Enter');
      await screen.shows('Workflow 1 is what the file says; nothing would change.');
      await screen.shows(/what the file says[^]*created\. \[y\/N\]/);
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
