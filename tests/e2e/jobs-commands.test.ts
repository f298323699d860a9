import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  folder,
  server,
  id,
  jobs,
  call,
  json,
  refusedJson,
  breakServer,
  startJob,
  statuses,
} from '../support/flows/chain.ts';

describe('jobs create', () => {
  it('jobs create adds a job with what it needs, waits for, reads and writes', async () => {
    const { items } = await server.client.listFiles({ query: { workflow_id: id } });
    const [given, made] = items.map((file) => file.id);
    const words = ['-n', 'last', '-c', 'echo hi', '-b', jobs['first'], jobs['alone'], '-i', given, '-o', made];
    const created = await json('jobs', 'create', id, ...words);
    expect(await json('jobs', 'get', created['id'])).toMatchObject({
      name: 'last',
      command: 'echo hi',
      status: 'uninitialized',
      depends_on_job_ids: [jobs['first'], jobs['alone']],
      input_file_ids: [given],
      output_file_ids: [made],
    });
  });

  it('jobs create takes --blocking-job-ids, the name of the original, for what it waits for', async () => {
    const words = ['-n', 'last', '-c', 'true', '--blocking-job-ids', jobs['first'], '-b', jobs['alone'], jobs['first']];
    const created = await json('jobs', 'create', id, ...words);
    expect(await json('jobs', 'get', created['id'])).toMatchObject({
      depends_on_job_ids: [jobs['first'], jobs['alone']],
    });
  });

  it('jobs create is refused without a command, and when it waits for a job that is not there', async () => {
    expect((await call('jobs', 'create', id, '-n', 'last')).code).toBe(2);
    const { code, stdout, stderr } = await call('jobs', 'create', id, '-n', 'x', '-c', 'true', '-b', 999_999);
    expect([code, stdout, stderr]).toEqual([
      1,
      '',
      expect.stringContaining('names 999999, which did not exist before this request'),
    ]);
  });
});

describe('jobs create-from-file', () => {
  const file = () => join(folder, 'commands.txt');

  it('jobs create-from-file adds a job for each line, named on from those that are there, all with the same needs', async () => {
    writeFileSync(file(), 'echo one\n# not this\n\n  echo two\n');
    const needs = ['--cpus-per-job', 4, '--memory-per-job', '2g', '--runtime-per-job', 'PT5M'];
    expect(await json('jobs', 'create-from-file', id, file(), ...needs)).toEqual({
      status: 'success',
      message: `Created 2 jobs in workflow ${id}`,
      workflow_id: id,
      jobs_created: 2,
    });
    const rows = (await json('jobs', 'list-resource-requirements', id)) as unknown as Record<string, unknown>[];
    const added = rows.slice(3);
    expect(added.map((row) => row['job_name'])).toEqual(['job4', 'job5']);
    expect(added[0]).toMatchObject({ num_cpus: 4, memory: '2g', runtime: 'PT5M' });
    expect(added[0]?.['rr_name']).toMatch(/^batch_jobs_req_\d+$/);
    expect(added[1]?.['rr_id']).toBe(added[0]?.['rr_id']);
  });

  it.each([
    ['with a number', () => ['--batch', 2, id, file()]],
    ['with a number behind', () => [id, file(), '--batch', 2]],
    ['without a number, before the arguments', () => ['--batch', id, file()]],
    ['without a number, between them', () => [id, '--batch', file()]],
    ['without a number, behind them', () => [id, file(), '--batch']],
  ])('jobs create-from-file takes --batch %s, and adds every job', async (_, words) => {
    writeFileSync(file(), 'true\n'.repeat(5));
    expect(await json('jobs', 'create-from-file', ...words())).toMatchObject({ workflow_id: id, jobs_created: 5 });
    expect(Object.keys(await statuses())).toHaveLength(8);
  });

  it('jobs create-from-file takes every job back when a batch is refused', async () => {
    breakServer('insert', "new.name = 'job8'");
    writeFileSync(file(), 'true\n'.repeat(5));
    expect((await call('jobs', 'create-from-file', id, file(), '--batch', 2)).code).toBe(1);
    expect(Object.keys(await statuses())).toHaveLength(3);
  });

  it.each([
    ['no file', () => [id], "missing required argument 'file'"],
    [
      'a size of batches that is none',
      () => [id, file(), '--batch', 'many'],
      '--batch: expected a whole number, found "many"',
    ],
    ['batches of nothing', () => [id, file(), '--batch', 0], '--batch: expected 1 or more, found 0'],
  ])('jobs create-from-file is refused with %s', async (_, words, why) => {
    writeFileSync(file(), 'true\n');
    const { code, stderr } = await call('jobs', 'create-from-file', ...words());
    expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
  });

  it.each([
    ['a file without commands', '# nothing\n', [], 'has no commands'],
    ['needs that cannot be read', 'true\n', ['--memory-per-job', '2gb'], "Invalid memory format '2gb'"],
  ])('jobs create-from-file adds nothing of %s', async (_, text, words, why) => {
    writeFileSync(file(), text);
    const { code, stdout, stderr } = await call('jobs', 'create-from-file', id, file(), ...words);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(why)]);
    expect(Object.keys(await statuses())).toHaveLength(3);
  });

  it('jobs create-from-file adds nothing when the server breaks in the middle', async () => {
    breakServer('insert', "new.name = 'job1500'");
    writeFileSync(file(), 'true\n'.repeat(1600));
    const { code, stdout } = await call('jobs', 'create-from-file', id, file());
    expect([code, stdout]).toEqual([1, '']);
    expect(Object.keys(await statuses())).toHaveLength(3);
    const { items } = await server.client.listResourceRequirements({ query: { workflow_id: id } });
    expect(items.map(({ name }) => name)).toEqual(['default', 'small']);
  });

  it('jobs create-from-file says which file is not there', async () => {
    const { code, stderr } = await call('jobs', 'create-from-file', id, join(folder, 'nothing.txt'));
    expect([code, stderr]).toEqual([1, expect.stringContaining('nothing.txt: there is no such file')]);
  });
});

describe('jobs spawn', () => {
  it('jobs spawn keeps no state where --state null is given, whatever the file says', async () => {
    await json('workflows', 'init', id);
    await startJob('first');
    const file = join(folder, 'spawned.json');
    const request = { jobs: [{ name: 'a', command: 'true' }], lineage: 'l', state: { at: 1 } };
    const states = async () => {
      const query = { workflow_id: id, name: '__torc_lineage__l__' };
      const { items } = await server.client.listUserData({ query });
      return items.map(({ data }) => (data as { state: unknown }).state);
    };
    const spawn = (name: string, ...words: string[]) => {
      writeFileSync(file, JSON.stringify({ ...request, jobs: [{ name, command: 'true' }] }));
      return json('jobs', 'spawn', file, '-j', jobs['first'], ...words);
    };
    await spawn('a', '--state', 'null');
    await spawn('b', '--state', '""');
    await spawn('c');
    expect(await states()).toEqual([null, '', { at: 1 }]);
  });
});

describe('jobs update', () => {
  it('changes what is given; labels are replaced, or cleared', async () => {
    expect(
      await json('jobs', 'update', jobs['alone'], '-c', 'exit 4', '--priority', 9, '--label', 'b,a'),
    ).toMatchObject({
      id: jobs['alone'],
      name: 'alone',
      command: 'exit 4',
      priority: 9,
      labels: ['a', 'b'],
    });
    expect(await json('jobs', 'update', jobs['alone'], '--clear-labels')).not.toHaveProperty('labels');
  });

  it('jobs update with --runtime changes the needs of this job and of no other', async () => {
    const runtimes = async () =>
      (
        (await json('jobs', 'list-resource-requirements', id)) as unknown as { job_name: string; runtime: string }[]
      ).map(({ job_name: name, runtime }) => [name, runtime]);
    const { resource_requirements_id: shared } = await json('jobs', 'get', jobs['first']);
    const changed = await json('jobs', 'update', jobs['first'], '--runtime', 'PT2H');
    expect(changed['resource_requirements_id']).not.toBe(shared);
    // Now its own, so they are changed where they are.
    expect(await json('jobs', 'update', jobs['first'], '--runtime', 'PT3H')).toEqual(changed);
    expect(await runtimes()).toEqual([
      ['first', 'PT3H'],
      ['second', 'PT30M'],
      ['alone', expect.any(String)],
    ]);
  });

  it.each([
    [[], 1, 'no fields to update. Provide at least one of --name'],
    [['--label', 'a', '--clear-labels'], 2, 'cannot be used together'],
    [['--runtime', 'soon'], 2, '--runtime: expected a duration such as 2h'],
    [['--priority', '-1'], 2, '--priority: expected 0 or more'],
  ])('jobs update refuses %j', async (words, expected, why) => {
    const before = await json('jobs', 'get', jobs['alone']);
    const { code, stdout, stderr } = await call('jobs', 'update', jobs['alone'], ...words);
    expect([code, stdout, stderr]).toEqual([expected, '', expect.stringContaining(why)]);
    expect(await json('jobs', 'get', jobs['alone'])).toEqual(before);
  });

  it('jobs update refuses another command once the job is initialized', async () => {
    await json('workflows', 'init', id);
    const { code, stderr } = await call('jobs', 'update', jobs['alone'], '-c', 'true');
    expect([code, stderr]).toEqual([1, expect.stringContaining('when status is ')]);
  });
});

describe('jobs delete', () => {
  it('jobs delete deletes the jobs that are named', async () => {
    const { items } = await json('jobs', 'delete', jobs['alone'], jobs['second'], jobs['alone']);
    expect((items as { name: string }[]).map(({ name }) => name)).toEqual(['alone', 'second']);
    expect(Object.keys(await statuses())).toEqual(['first']);
  });

  it('jobs delete deletes none when one of them is not there', async () => {
    expect(await refusedJson('jobs', 'delete', jobs['alone'], 999_999)).toEqual({
      error: expect.stringContaining('job 999999 was not found (404); nothing was deleted'),
      missing_ids: [999_999],
    });
    expect(Object.keys(await statuses())).toHaveLength(3);
  });

  it('jobs delete of all says how many, and then that there are none', async () => {
    expect(await json('jobs', 'delete-all', id)).toEqual({ count: 3 });
    expect(await json('jobs', 'delete-all', id)).toEqual({
      deleted: 0,
      message: `No jobs found for workflow ID: ${id}`,
    });
  });
});

describe('jobs running', () => {
  it('jobs running lists a job that runs with its node, and none when none runs', async () => {
    await json('workflows', 'init', id);
    expect((await call('jobs', 'running', id)).stdout).toBe(`No running jobs found for workflow ID: ${id}\n`);
    await startJob('first');
    expect(await json('jobs', 'running', id)).toEqual({
      items: [
        {
          job_id: jobs['first'],
          job_name: 'first',
          compute_node_name: 'host',
          scheduler_type: 'local',
          start_time: expect.any(String),
        },
      ],
    });
    expect((await call('-f', 'csv', 'jobs', 'running', id)).stdout.split('\n')[0]).toBe(
      'Job ID,Job Name,Compute Node,Elapsed,Scheduler,Scheduler Job ID',
    );
  });
});

describe('what jobs need and what happens when they fail', () => {
  it('what jobs need and what happens when they fail is a bare list as JSON, of all jobs or of one', async () => {
    const rows = (await json('jobs', 'list-resource-requirements', id)) as unknown as Record<string, unknown>[];
    expect(rows.map((row) => [row['job_name'], row['rr_name']])).toEqual([
      ['first', 'small'],
      ['second', 'small'],
      ['alone', 'default'],
    ]);
    expect(await json('jobs', 'list-resource-requirements', '-j', jobs['first'])).toEqual([
      {
        job_id: jobs['first'],
        job_name: 'first',
        workflow_id: id,
        rr_id: expect.any(Number),
        rr_name: 'small',
        num_cpus: 2,
        num_gpus: 0,
        num_nodes: 1,
        memory: '4g',
        runtime: 'PT30M',
      },
    ]);
  });

  it('what jobs need and what happens when they fail names only jobs that have a failure handler, with its rules in words', async () => {
    expect(await json('jobs', 'list-failure-handlers', id)).toEqual([
      {
        job_id: jobs['alone'],
        job_name: 'alone',
        workflow_id: id,
        fh_id: expect.any(Number),
        fh_name: 'again',
        rules: expect.stringContaining('"exit_codes":[3]'),
      },
    ]);
    expect((await call('-f', 'csv', 'jobs', 'list-failure-handlers', id)).stdout).toContain(
      'again,exit 3: 2 attempts; any exit code: 3 attempts',
    );
    expect(await json('jobs', 'list-failure-handlers', '-j', jobs['first'])).toEqual([]);
  });
});
