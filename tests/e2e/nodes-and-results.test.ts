import { describe, expect, it } from 'vitest';
import {
  folder,
  server,
  empty,
  jobs,
  program,
  call,
  json,
  items,
  csv,
  created,
  createFile,
  createGroup,
  createJob,
  createNode,
  createResult,
} from '../support/flows/small.ts';
import { torc } from '../support/programs.ts';

describe('a compute node', () => {
  it('a compute node is a runner, with how long it was there', async () => {
    const rows = await items('compute-nodes', 'list', '1');
    const seen = { id: 1, workflow_id: 1, is_active: false, compute_node_type: 'local' };
    expect(rows).toEqual([expect.objectContaining({ ...seen, duration_seconds: expect.any(Number) })]);
    expect(await json('compute-nodes', 'get', '1')).toEqual(rows[0]);
  });

  it('a compute node belongs to an allocation, whose jobs are those that ended on it', async () => {
    const { client } = server;
    const workflow = await created('workflows', 'new', '--name', 'allocated');
    const workflow_id = Number(workflow);
    const allocation = await client.createScheduledComputeNode({
      body: { workflow_id, scheduler_id: 4711, scheduler_config_id: 1, scheduler_type: 'slurm', status: 'active' },
    });
    const id = String(allocation.id);
    const inside = await createNode(workflow_id, { scheduler_id: Number(id), slurm_job_id: '4711' });
    const outside = await createNode(workflow_id, {});
    const ended = await createJob(workflow, 'ended');
    await createResult(workflow_id, Number(ended), inside);
    await createResult(workflow_id, Number(await createJob(workflow, 'elsewhere')), outside);
    await createJob(workflow, 'waiting');

    expect(await json('scheduled-compute-nodes', 'list-jobs', id)).toEqual({
      scheduled_compute_node_id: Number(id),
      workflow_id,
      compute_node_count: 1,
      job_ids: [Number(ended)],
    });
    expect((await call('scheduled-compute-nodes', 'list-jobs', id)).stdout).toBe(
      `Scheduled compute node ${id} of workflow ${workflow}: 1 job on 1 compute node\n  ${ended}\n`,
    );
    const nodes = (...flags: string[]) => items('compute-nodes', 'list', workflow, ...flags);
    expect(await nodes()).toHaveLength(2);
    expect(await nodes('--scheduled-compute-node', id)).toEqual([
      expect.objectContaining({ id: inside, labels: ['a', 'b'], duration_seconds: expect.any(Number) }),
    ]);
    expect((await csv('compute-nodes', 'list', workflow))[1]).toMatch(
      new RegExp(`^${inside},n1,slurm,4711,"a,b",1,4,8,0,true,[^,]*,\\d+m \\d\\ds,50.0%/,2.0 GB/1.0 GB$`),
    );

    expect(await json('scheduled-compute-nodes', 'get', id)).toEqual(allocation);
    const allocations = (...flags: string[]) => items('scheduled-compute-nodes', 'list', workflow, ...flags);
    const filters = ['--status', 'active', '--scheduler-id', '4711', '--scheduler-config-id', '1'];
    expect(await allocations(...filters)).toEqual([allocation]);
    expect(await allocations('--status', 'pending')).toEqual([]);
  });
});

describe('resource requirements', () => {
  it('resource requirements are small unless said, and what is not given stays when they change', async () => {
    const id = await created('resource-requirements', 'create', empty, '-n', 'small');
    const small = { num_cpus: 1, num_gpus: 0, num_nodes: 1, memory: '1m', runtime: 'PT1M' };
    const record = { id: Number(id), workflow_id: Number(empty), name: 'small', ...small };
    expect(await json('resource-requirements', 'get', id)).toEqual(record);
    const changed = { ...record, memory: '4g', num_cpus: 8 };
    expect(await json('resource-requirements', 'update', id, '-m', '4g', '--num-cpus', '8')).toEqual(changed);
    expect(await json('resource-requirements', 'update', id, '-r', 'PT2H')).toEqual({ ...changed, runtime: 'PT2H' });
    expect(await json('resource-requirements', 'delete', id)).toMatchObject({ name: 'small' });
    expect((await call('resource-requirements', 'get', id)).code).toBe(1);
  });

  it('resource requirements are refused when they cannot be read, and stay while a job has them', async () => {
    const odd = await call('resource-requirements', 'create', empty, '-n', 'odd', '-m', '1gb');
    expect([odd.code, odd.stdout]).toEqual([1, '']);
    expect(odd.stderr).toContain("Invalid memory format '1gb'");
    const [ofJobs] = await items('resource-requirements', 'list', '1');
    const inUse = await call('resource-requirements', 'delete', String(ofJobs?.['id']));
    expect([inUse.code, inUse.stdout]).toEqual([1, '']);
    expect(await items('resource-requirements', 'list', '1')).toContainEqual(ofJobs);
  });
});

it('a failure handler has its rules as JSON text', async () => {
  const [handler] = await items('failure-handlers', 'list', '1');
  expect(handler).toMatchObject({ id: 1, workflow_id: 1, name: 'again', rules: expect.any(String) });
  expect(JSON.parse(handler?.['rules'] as string)).toMatchObject([{ exit_codes: [9], max_retries: 1 }]);
  expect(await items('failure-handlers', 'list', '1', '--offset', '1')).toEqual([]);
});

describe('a dependency', () => {
  it('a dependency is shown with the names of both ends', async () => {
    const [first, second] = [jobs['first'], jobs['second']];
    const waits = { job_id: second, job_name: 'second', depends_on_job_id: first, depends_on_job_name: 'first' };
    expect(await items('job-dependencies', 'job-job', '1')).toEqual([{ ...waits, workflow_id: 1 }]);
    expect(await csv('job-dependencies', 'job-job', '1')).toContain(`${second},second,${first},first`);
    expect(await items('job-dependencies', 'job-job', '1', '--offset', '1')).toEqual([]);
  });

  it('a dependency through a file may have one end only', async () => {
    const consumer = { consumer_job_id: jobs['second'], consumer_job_name: 'second', workflow_id: 1 };
    const producer = { producer_job_id: jobs['first'], producer_job_name: 'first' };
    const rows = await items('job-dependencies', 'job-file', '1');
    expect(rows).toHaveLength(2);
    expect(rows).toContainEqual({ ...consumer, ...producer, file_id: 1, file_name: 'made', file_path: 'made.txt' });
    expect(rows).toContainEqual({ ...consumer, file_id: 2, file_name: 'given', file_path: 'given.txt' });
  });
});

describe('results', () => {
  it('results with logs are JSON in every format, each with where its job and its runner wrote', async () => {
    const words = ['results', 'list', '1', '--include-logs', '--failed'];
    const { code, stdout, stderr } = await program(...words);
    expect([code, stderr]).toEqual([0, '']);
    const stem = `torc_output/job_stdio/job_wf1_j${jobs['bad']}_r1_a1`;
    expect(JSON.parse(stdout)).toEqual({
      workflow_id: 1,
      workflow_name: 'small',
      workflow_user: 'tester',
      all_runs: false,
      total_results: 1,
      items: [
        {
          job_id: jobs['bad'],
          job_name: 'bad',
          status: 'failed',
          run_id: 1,
          return_code: 3,
          completion_time: expect.any(String),
          exec_time_minutes: expect.any(Number),
          compute_node_id: 1,
          compute_node_type: 'local',
          causes: [{ code: 'exit_code', message: 'the command itself ended with 3' }],
          job_stdout: `${stem}.o`,
          job_stderr: `${stem}.e`,
          job_runner_log: expect.stringMatching(/^torc_output\/job_runner_.+_wf1_r1\.log$/),
        },
      ],
    });
    expect((await program('-f', 'csv', ...words)).stdout).toBe(stdout);
  });

  it('results whose logs are not there are reported with a warning; without the folder they are refused', async () => {
    const { code, stdout, stderr } = await program('results', 'list', '1', '--include-logs', '-o', '.');
    expect([code, (JSON.parse(stdout) as Record<string, unknown>)['total_results']]).toEqual([0, 3]);
    expect(stderr).toContain('warning: 7 log files not found: ./job_stdio/job_wf1_');
    const refused = await program('results', 'list', '1', '--include-logs', '-o', 'nowhere');
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain('there is no output folder "nowhere"');
  });

  it('results are deleted one by one', async () => {
    const [result, ...others] = await items('results', 'list', '1');
    expect(await json('results', 'delete', String(result?.['id']))).toMatchObject({ id: result?.['id'] });
    expect(await items('results', 'list', '1')).toEqual(others);
  });
});

describe('a group of users', () => {
  const names = async (...words: string[]) => (await items('access-groups', ...words)).map(({ name }) => name);

  it('a group of users is created, listed by name, and deleted', async () => {
    const id = await created('access-groups', 'create', 'writers', '-d', 'who write');
    await createGroup('authors');
    const writers = await json('access-groups', 'get', id);
    expect(writers).toMatchObject({ id: Number(id), name: 'writers', description: 'who write' });
    expect(await items('access-groups', 'list')).toContainEqual(writers);
    // Not in the order in which they were created.
    const both = (await names('list')).filter((name) => name === 'writers' || name === 'authors');
    expect(both).toEqual(['authors', 'writers']);
    const again = await call('access-groups', 'create', 'writers');
    expect([again.code, again.stdout]).toEqual([1, '']);
    expect(again.stderr).toContain("Group 'writers' already exists");
    expect(await json('access-groups', 'delete', id)).toMatchObject({ name: 'writers' });
    expect(await names('list')).not.toContain('writers');
  });

  it('a group of users has members, who are plain ones unless said', async () => {
    const id = await createGroup('readers');
    expect(await json('access-groups', 'add-user', id, 'ann')).toMatchObject({ user_name: 'ann', role: 'member' });
    await json('access-groups', 'add-user', id, 'bob', '-r', 'admin');
    const members = () => csv('access-groups', 'list-members', id);
    expect(await members()).toEqual([
      'User,Role,Added',
      expect.stringMatching(/^ann,member,\d{4}-/),
      expect.stringMatching(/^bob,admin,\d{4}-/),
    ]);
    expect(await names('list-user-groups', 'ann')).toEqual(['readers']);
    expect(await json('access-groups', 'remove-user', id, 'ann')).toMatchObject({ user_name: 'ann' });
    expect(await members()).toHaveLength(2);
    expect(await names('list-user-groups', 'ann')).toEqual([]);
    expect((await call('access-groups', 'remove-user', id, 'ann')).stderr).toContain('not a member');
  });

  it('a group of users is meant by its name wherever by its id', async () => {
    const id = await createGroup('named');
    expect(await json('access-groups', 'get', 'named')).toMatchObject({ id: Number(id) });
    await json('access-groups', 'add-user', 'named', 'ann');
    expect(await csv('access-groups', 'list-members', 'named')).toHaveLength(2);
    await json('access-groups', 'add-workflow', '1', 'named');
    expect(await names('list-workflow-groups', '1')).toEqual(['named']);
    await json('access-groups', 'remove-workflow', '1', 'named');
    await json('access-groups', 'remove-user', 'named', 'ann');
    expect(await json('access-groups', 'delete', 'named')).toMatchObject({ id: Number(id) });
    const gone = await call('access-groups', 'get', 'named');
    expect([gone.code, gone.stderr]).toEqual([
      1,
      expect.stringContaining('no access group is named "named"; there are: '),
    ]);
  });

  it('a group of users sees workflows that are shared with it', async () => {
    const id = await createGroup('sharers');
    const share = { workflow_id: 1, group_id: Number(id) };
    expect(await json('access-groups', 'add-workflow', '1', id)).toMatchObject(share);
    expect(await names('list-workflow-groups', '1')).toEqual(['sharers']);
    expect(await json('access-groups', 'remove-workflow', '1', id)).toMatchObject(share);
    expect(await names('list-workflow-groups', '1')).toEqual([]);
  });

  it('a group of users is listed with a hundred others at a time', async () => {
    for (let index = 0; index < 101; index += 1)
      await server.client.createAccessGroup({ body: { name: `z${String(index).padStart(3, '0')}` } });
    expect(await names('list')).toHaveLength(100);
    expect((await names('list', '-l', '1000')).at(-1)).toBe('z100');
    expect(await names('list', '-l', '1', '-o', '100')).toEqual([(await names('list', '-l', '1000'))[100]]);
  });
});

describe('an entity of the research object', () => {
  it('an entity of the research object is created, changed in part, taken from its file and deleted', async () => {
    const file = await createFile('described');
    const about = ['--entity-id', 'data.csv', '--entity-type', 'File', '--metadata', '{}'];
    const id = await created('ro-crate', 'create', empty, ...about, '--file-id', file);
    const entity = { id: Number(id), workflow_id: Number(empty), entity_id: 'data.csv', entity_type: 'File' };
    const linked = { file_id: Number(file) };
    expect(await json('ro-crate', 'get', id)).toEqual({ ...entity, ...linked, metadata: {} });
    const described = { ...entity, metadata: { name: 'd' } };
    expect(await json('ro-crate', 'update', id, '--metadata', '{"name":"d"}')).toEqual({ ...described, ...linked });
    expect(await json('ro-crate', 'update', id, '--file-id', '0')).toEqual(described);
    expect(await items('ro-crate', 'list', empty)).toEqual([described]);
    const again = await call('ro-crate', 'create', empty, ...about);
    expect([again.code, again.stdout]).toEqual([1, '']);
    expect(again.stderr).toContain('RO-Crate entity already exists for this workflow/entity_id link');
    expect(await json('ro-crate', 'delete', id)).toEqual({ message: 'RO-Crate entity deleted successfully' });
    expect(await items('ro-crate', 'list', empty)).toEqual([]);
  });

  it('an entity of the research object may be described on standard input', async () => {
    const words = ['ro-crate', 'create', empty, '--entity-id', 'in', '--entity-type', 'File', '--metadata', '-'];
    const environment = { TORC_API_URL: server.url };
    const say = (input: string) => torc(['-f', 'json', ...words], { cwd: folder, environment, input });
    const { code, stdout } = await say('{"name": "from a pipe"}');
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ metadata: { name: 'from a pipe' } })]);
    const refused = await say('not JSON');
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain('--metadata is not valid JSON');
  });
});

describe('a task of the server', () => {
  /** One that no runner carries out, as the database has it. */
  async function storedTask(status: string, error: string): Promise<string> {
    await json(
      'admin',
      'sql',
      '--write',
      `insert into async_handle (workflow_id, operation, status, parameters, created_at_ms, error)
       values (1, 'initialize_jobs', '${status}', '[]', 1, '${error}')`,
    );
    const { items: rows } = await json('admin', 'sql', 'select max(id) as id from async_handle');
    return String((rows as { id: number }[])[0]?.id);
  }

  it('a task of the server is waited for until it has succeeded', async () => {
    const workflow_id = Number(await created('workflows', 'new', '--name', 'initialized'));
    const query = { async: true };
    const { id } = (await server.client.initializeJobs({ params: { id: workflow_id }, query })) as { id: number };
    const ended = await json('tasks', 'wait', String(id));
    expect(ended).toEqual({
      id,
      workflow_id,
      operation: 'initialize_jobs',
      status: 'succeeded',
      created_at_ms: expect.any(Number),
      started_at_ms: expect.any(Number),
      finished_at_ms: expect.any(Number),
    });
    expect((await call('tasks', 'wait', String(id))).stdout).toContain('  status: succeeded\n');
  });

  it('a task of the server that failed makes it fail, and says why', async () => {
    const id = await storedTask('failed', 'the disk is full');
    const message = `task ${id} (initialize_jobs) failed: the disk is full`;
    const { code, stdout, stderr } = await call('-f', 'json', 'tasks', 'wait', id);
    expect([code, stderr]).toEqual([1, `Error: ${message}\n`]);
    expect(JSON.parse(stdout)).toEqual({ status: 'error', task_id: Number(id), error: 'the disk is full', message });
    expect(await call('tasks', 'wait', id)).toEqual({ code: 1, stdout: '', stderr: `Error: ${message}\n` });
  });

  it('a task of the server that does not end in time does too', async () => {
    const id = await storedTask('running', '');
    const { code, stdout, stderr } = await call('-f', 'json', 'tasks', 'wait', id, '--timeout', '0.01');
    const message = `task ${id} (initialize_jobs) is still running after 0.01 s`;
    expect([code, stderr]).toEqual([1, `Error: ${message}\n`]);
    expect(JSON.parse(stdout)).toEqual({ status: 'error', task_id: Number(id), error: 'timeout', message });
  });
});

describe('a workflow that is to be lost', () => {
  it('a workflow that is to be lost is kept without a terminal to ask on, which is no failure', async () => {
    const id = await created('workflows', 'new', '--name', 'kept');
    expect(await program('delete', id)).toMatchObject({ code: 0, stdout: '' });
    expect(await json('workflows', 'get', id)).toMatchObject({ name: 'kept' });
    const deleted = { code: 0, stdout: `Deleted workflow ${id} (kept)\n` };
    expect(await program('delete', id, '--no-prompts')).toMatchObject(deleted);
    expect((await program('delete', id, '--force')).code).toBe(1);
  });

  it('a workflow that is to be lost is not canceled then either, and the exit code says so', async () => {
    const id = await created('workflows', 'new', '--name', 'goes on');
    const { code, stdout, stderr } = await program('cancel', id);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('Not canceled. Use --no-prompts to continue without asking.');
    expect(await json('workflows', 'get', id)).toMatchObject({ is_canceled: false });
    expect((await program('cancel', id, '--no-prompts')).stdout).toBe(`Canceled workflow ${id} (goes on)\n`);
    expect(await json('workflows', 'get', id)).toMatchObject({ is_canceled: true });
  });

  it('a workflow that is to be lost is not reset without an answer, and the exit code says so', async () => {
    const id = await created('workflows', 'new', '--name', 'not reset');
    const { code, stdout, stderr } = await program('workflows', 'reset-status', id);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('Nothing was reset. Use --no-prompts to continue without asking.');
    expect((await program('workflows', 'reset-status', id, '--no-prompts')).code).toBe(0);
  });
});
