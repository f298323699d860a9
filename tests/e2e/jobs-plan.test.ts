import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type RunningServer, start, startServer, temporaryFolder, torc, until } from '../support/programs.ts';

const flow = `name: flow
files: [{ name: part, path: part }, { name: extra, path: extra }]
jobs:
  - { name: make, command: 'echo 1 > part; echo make >> ran', output_files: [part] }
  - { name: read, command: 'echo read >> ran', input_files: [part, extra] }
resource_requirements: [{ name: small, num_cpus: 1, memory: 10m, runtime: PT1M }]
`;

let folder: string;
let server: RunningServer;
const call = (...words: string[]) => torc(['--url', server.url, ...words], { cwd: folder });
const ran = () => readFileSync(join(folder, 'ran'), 'utf8').trim().split('\n').toSorted();
const statuses = async () => {
  const { items } = await server.client.listJobs({ query: { workflow_id: 1 } });
  return Object.fromEntries(items.map(({ name, status }) => [name, status]));
};

beforeEach(async () => {
  folder = temporaryFolder();
  server = await startServer(folder);
  writeFileSync(join(folder, 'extra'), '');
  writeFileSync(join(folder, 'flow.yaml'), flow);
});

describe('jobs add', () => {
  beforeEach(() => call('run', 'flow.yaml'));

  it('a job that is added to a finished workflow runs alone, after the job that writes what it reads', async () => {
    const added = await call(
      'jobs',
      'add',
      '1',
      '-n',
      'more',
      '-c',
      'echo more >> ran',
      '-i',
      'part',
      '--priority',
      '4',
    );
    expect(added.stdout).toContain('Workflow 1: 1 job added, 0 changed, 0 removed; 1 job runs; torc');
    const { items } = await server.client.listJobs({ query: { workflow_id: 1, include_relationships: true } });
    expect(items.find(({ name }) => name === 'more')).toMatchObject({
      depends_on_job_ids: [1],
      priority: 4,
      status: 'ready',
    });
    await call('run', '1');
    expect(ran()).toEqual(['make', 'more', 'read']);
  });

  it('a job that writes what another reads makes that one wait and run again', async () => {
    await call('jobs', 'add', '1', '-n', 'fill', '-c', 'echo 2 > extra; echo fill >> ran', '-o', 'extra');
    expect(await statuses()).toEqual({ make: 'completed', read: 'blocked', fill: 'ready' });
    await call('run', '1');
    expect(ran()).toEqual(['fill', 'make', 'read', 'read']);
  });

  it('with --dry-run nothing is added, and a name that is there is refused', async () => {
    const shown = await call('jobs', 'add', '1', '-n', 'more', '-c', 'true', '--dry-run', '-f', 'json');
    expect(JSON.parse(shown.stdout)).toMatchObject({ dry_run: true, added_jobs: 1, rerun_jobs: 1 });
    const refused = await call('jobs', 'add', '1', '-n', 'make', '-c', 'true');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("workflow 1 has a job 'make' already")]);
    expect(await statuses()).toEqual({ make: 'completed', read: 'completed' });
  });
});

describe('jobs set', () => {
  it('a new command makes the job and what depends on it run again; the same command changes nothing', async () => {
    await call('run', 'flow.yaml');
    const same = await call('jobs', 'set', 'read', '-c', 'echo read >> ran');
    expect(same.stdout).toContain('0 changed, 0 removed; 0 jobs run');
    const set = await call('jobs', 'set', 'make', '-c', 'echo 2 > part; echo made >> ran');
    expect(set.stdout).toMatch(/│ make +│ changed │ yes +│ command: echo 1 → 2 …/);
    expect(set.stdout).toContain('1 changed, 0 removed; 2 jobs run');
    await call('run', '1');
    expect(ran()).toEqual(['made', 'make', 'read', 'read']);
  });

  it('requirements, priority and labels change without a run', async () => {
    await call('run', 'flow.yaml');
    const set = await call(
      'jobs',
      'set',
      '--status',
      'completed',
      '-w',
      '1',
      '-r',
      'small',
      '--priority',
      '7',
      '--label',
      'big',
    );
    expect(set.stdout).toMatch(
      /│ make +│ changed │ no +│ priority: 0 → 7; labels: none → big; requirements: default → small/,
    );
    expect(set.stdout).toContain('2 changed, 0 removed; 0 jobs run');
    expect(await server.client.getJob({ params: { id: 2 } })).toMatchObject({
      priority: 7,
      labels: ['big'],
      status: 'completed',
    });
  });

  it('a job that runs stays as it is and is named, and the same command changes it later', async () => {
    const slow = flow.replace('echo 1 > part;', 'touch begun; until test -e go; do sleep 0.05; done; touch part;');
    writeFileSync(join(folder, 'flow.yaml'), slow);
    const runner = start('torc', ['--url', server.url, 'run', 'flow.yaml'], { cwd: folder });
    await until(
      () => existsSync(join(folder, 'begun')),
      (there) => there,
      'the job to run',
    );
    const held = await call('jobs', 'set', 'make', '-c', 'touch part; echo other >> ran');
    expect([held.code, held.stderr]).toEqual([1, expect.stringContaining('make (runs or is about to)')]);
    expect(held.stdout).not.toContain('│');
    expect((await call('jobs', 'add', '1', '-n', 'more', '-c', 'echo more >> ran')).code).toBe(0);
    writeFileSync(join(folder, 'go'), '');
    await runner.ended;
    expect(ran()).toEqual(['make', 'more', 'read']);
    expect((await call('jobs', 'set', 'make', '-c', 'touch part; echo other >> ran')).code).toBe(0);
  });

  it.each([
    [['set', 'make'], 'nothing to change: give one of --command'],
    [['set', '-c', 'true'], 'name the jobs by their ids or names'],
    [['set', 'make', '--label', 'a', '--clear-labels'], '--label and --clear-labels cannot be used together'],
    [['add', '1', '-n', 'x'], 'a job needs a name and a command'],
    [['add', '1', '-n', '', '-c', 'true'], 'a job needs a name and a command'],
    [['add', '1', '-n', 'x', '-c', ''], 'a job needs a name and a command'],
    [['set', 'make', '-c', ''], 'a job needs a command, and --command is an empty text'],
  ])('jobs %j is refused with what to give', async (words, message) => {
    const refused = await call('jobs', ...words);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
