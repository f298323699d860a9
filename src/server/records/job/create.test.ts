import { beforeEach, describe, expect, it } from 'vitest';
import { ended, statuses, testService, type TestService, workflowOf } from '../../../../tests/support/service.ts';

let service: TestService;

beforeEach(() => {
  service = testService();
});

const newWorkflow = async (over: object = {}) =>
  ((await service.client.createWorkflow({ body: { name: 'w', user: 'u', ...over } })) as { id: number }).id;

describe('creating jobs', () => {
  it('jobs are created all or none: one invalid job refuses the whole request', async () => {
    const id = await newWorkflow();
    const jobs = [
      { workflow_id: id, name: 'good', command: 'true' },
      { workflow_id: id, name: 'bad', command: 'true', priority: -1 },
    ];
    await expect(service.client.createJobs({ body: { jobs } })).rejects.toThrow(
      "priority must be >= 0, got -1 for job 'bad'",
    );
    expect((await service.client.listJobs({ query: { workflow_id: id } })).items).toEqual([]);
  });

  it.each([
    [
      'a duplicate name',
      (id: number) => [
        { workflow_id: id, name: 'q', command: '' },
        { workflow_id: id, name: 'q', command: '' },
      ],
      "Duplicate job name 'q' in bulk create request",
    ],
    ['none', () => [], 'Bulk job creation requires a non-empty `jobs` array'],
    [
      'an unknown dependency',
      (id: number) => [{ workflow_id: id, name: 'q', command: '', depends_on_job_ids: [77] }],
      "depends_on_job_ids of job 'q' names 77",
    ],
    [
      'an invalid variable name',
      (id: number) => [{ workflow_id: id, name: 'q', command: '', env: { '1A': 'x' } }],
      "Invalid job env key '1A'",
    ],
    [
      'a NUL in the command',
      (id: number) => [{ workflow_id: id, name: 'q', command: 'a\0b' }],
      'contains a NUL character',
    ],
    [
      'unknown requirements',
      (id: number) => [{ workflow_id: id, name: 'q', command: '', resource_requirements_id: 77 }],
      'names resource_requirements 77',
    ],
  ])('a request with %s is refused as an error of the sender', async (_, jobs, message) => {
    const id = await newWorkflow();
    await expect(service.client.createJobs({ body: { jobs: jobs(id) } })).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining(message),
    });
    expect(service.errors).toEqual([]);
  });

  it('records of another workflow are refused', async () => {
    const mine = await newWorkflow();
    const other = await newWorkflow();
    const file = await service.client.createFile({ body: { workflow_id: other, name: 'f', path: 'f' } });
    const body = { workflow_id: mine, name: 'q', command: '', input_file_ids: [file.id] };
    await expect(service.client.createJob({ body })).rejects.toMatchObject({ status: 422 });
  });

  it("the workflow's variables are merged under the job's, and labels are stored sorted and once", async () => {
    const id = await newWorkflow({ env: { A: 'workflow', B: 'workflow' } });
    const { id: jobId } = await service.client.createJob({
      body: { workflow_id: id, name: 'a', command: 'true', env: { B: 'job' }, labels: ['z', 'a', 'z'] },
    });
    const job = await service.client.getJob({ params: { id: jobId } });
    expect(job.env).toEqual({ A: 'workflow', B: 'job' });
    expect(job.labels).toEqual(['a', 'z']);
  });

  it('unset fields of a job are read as zeros', async () => {
    const { jobIds } = await workflowOf(service, [{ name: 'a' }]);
    const job = await service.client.getJob({ params: { id: jobIds.get('a') as number } });
    expect(job).toMatchObject({
      invocation_script: '',
      scheduler_id: 0,
      failure_handler_id: 0,
      attempt_id: 1,
      priority: 0,
    });
  });
});

describe('initializing a workflow', () => {
  const diamond = async () => {
    const id = await newWorkflow();
    const file = async (name: string) =>
      (await service.client.createFile({ body: { workflow_id: id, name, path: name } })).id;
    const [input, left, right, out] = [await file('in'), await file('left'), await file('right'), await file('out')];
    const job = (name: string, reads: number[], writes: number[]) =>
      service.client.createJob({
        body: { workflow_id: id, name, command: 'true', input_file_ids: reads, output_file_ids: writes },
      });
    // Created in the wrong order on purpose: files imply the order.
    await job('join', [left, right], [out]);
    await job('left', [input], [left]);
    await job('right', [input], [right]);
    await job('make', [], [input]);
    await service.client.resetStatus({ params: { id } });
    await service.client.initializeJobs({ params: { id } });
    return id;
  };

  it('an initialization derives the order from files, and makes only the first jobs ready', async () => {
    const id = await diamond();
    expect(await statuses(service, id)).toEqual({ make: 'ready', left: 'blocked', right: 'blocked', join: 'blocked' });
    const { items } = await service.client.listJobDependencies({ params: { id } });
    expect(items.map(({ job_name, depends_on_job_name }) => `${job_name} after ${depends_on_job_name}`).sort()).toEqual(
      ['join after left', 'join after right', 'left after make', 'right after make'],
    );
  });

  it('a second initialization changes nothing', async () => {
    const id = await diamond();
    await service.client.initializeJobs({ params: { id } });
    expect(await statuses(service, id)).toEqual({ make: 'ready', left: 'blocked', right: 'blocked', join: 'blocked' });
  });

  it('a partial initialization changes only uninitialized jobs and their downstream', async () => {
    const { id, nodeId, jobIds } = await workflowOf(service, [
      { name: 'a' },
      { name: 'b', after: ['a'] },
      { name: 'c', after: ['b'] },
      { name: 'other' },
    ]);
    for (const name of ['a', 'other', 'b', 'c']) {
      await service.client.exchange({
        params: { id },
        body: { run_id: 1, compute_node_id: nodeId, want: { limit: 9, prefetch: 0 } },
      });
      const completed = [ended({ id: jobIds.get(name) as number, attempt_id: 1 })];
      await service.client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: nodeId, completed } });
    }
    await service.client.manageStatusChange({
      params: { id: jobIds.get('b') as number, status: 'uninitialized', run_id: 1 },
    });
    await service.client.initializeJobs({ params: { id }, query: { only_uninitialized: true } });
    expect(await statuses(service, id)).toEqual({ a: 'completed', b: 'ready', c: 'blocked', other: 'completed' });
  });

  it('an initialization does not change disabled jobs', async () => {
    const { id } = await workflowOf(service, [{ name: 'a' }, { name: 'b', after: ['a'] }]);
    service.store.db.run("update job set status = 9 where name = 'b'");
    await service.client.initializeJobs({ params: { id } });
    expect(await statuses(service, id)).toEqual({ a: 'ready', b: 'disabled' });
  });
});

it('a job that depends on a terminated job and another one waits for both after a new initialization', async () => {
  const { id, jobIds, nodeId } = await workflowOf(service, [
    { name: 'cut off' },
    { name: 'slow' },
    { name: 'last', after: ['cut off', 'slow'], cancels: false },
  ]);
  const end = async (name: string, status: 'terminated' | 'completed') => {
    const job = jobIds.get(name) as number;
    const body = { ...ended({ id: job, attempt_id: 1 }), status, workflow_id: id, run_id: 1, compute_node_id: nodeId };
    await service.client.completeJob({ params: { id: job, status, run_id: 1 }, body });
  };
  await end('cut off', 'terminated');
  await service.client.initializeJobs({ params: { id } });
  await end('slow', 'completed');
  expect(await statuses(service, id)).toEqual({ 'cut off': 'ready', slow: 'completed', last: 'blocked' });
});

describe('deleting a workflow', () => {
  it("a deletion removes the workflow's records and no others", async () => {
    const one = await workflowOf(service, [{ name: 'a' }, { name: 'b', after: ['a'] }]);
    const two = await workflowOf(service, [{ name: 'c' }]);
    await service.client.deleteWorkflow({ params: { id: one.id } });
    await expect(service.client.getJob({ params: { id: one.jobIds.get('a') as number } })).rejects.toMatchObject({
      status: 404,
    });
    expect(await statuses(service, two.id)).toEqual({ c: 'ready' });
    const left = service.store.db.prepare<Record<string, never>, { n: number }>(
      'select (select count(*) from job) + (select count(*) from job_depends_on) as n',
    );
    expect(left.get({})).toEqual({ n: 1 });
  });
});

it('a workflow that names an unknown group is refused and not created', async () => {
  await expect(newWorkflow({ access_groups: ['lab'] })).rejects.toThrow("Unknown access group 'lab'");
  expect((await service.client.listWorkflows()).items).toEqual([]);
});

it('a job without requirements is refused when the default ones were deleted, and nothing is created', async () => {
  const { client } = testService();
  const { id } = (await client.createWorkflow({ body: { name: 'w', user: 'u' } })) as { id: number };
  await client.deleteResourceRequirementsList({ query: { workflow_id: id } });
  const job = { workflow_id: id, name: 'a', command: 'true' };
  await expect(client.createJob({ body: job })).rejects.toMatchObject({ status: 422, code: 'REFERENCE_UNKNOWN' });
  expect((await client.listJobs({ query: { workflow_id: id } })).total_count).toBe(0);
});

describe('a file that many jobs write and many read', () => {
  const sharedFile = async (side: number) => {
    const { client } = service;
    const id = await newWorkflow();
    const file = (await client.createFile({ body: { workflow_id: id, name: 'f', path: 'f' } })).id;
    const jobs = Array.from({ length: side * 2 }, (_, index) => ({
      workflow_id: id,
      name: `j${index}`,
      command: 'true',
      ...(index < side ? { output_file_ids: [file] } : { input_file_ids: [file] }),
    }));
    await client.createJobs({ query: { reply: 'ids' }, body: { jobs } });
    return id;
  };

  it('an initialization that would imply more than ten million dependencies is refused, and nothing changes', async () => {
    const id = await sharedFile(3_200);
    await expect(service.client.initializeJobs({ params: { id } })).rejects.toMatchObject({
      status: 422,
      code: 'DEPENDENCIES_TOO_MANY',
      message: expect.stringContaining('imply 10,240,000 dependencies'),
    });
    expect((await service.client.listJobDependencies({ params: { id }, query: {} })).items).toEqual([]);
    expect((await service.client.isUninitialized({ params: { id } })).is_uninitialized).toBe(true);
  });

  it('one of fewer is made', async () => {
    const id = await sharedFile(30);
    await service.client.initializeJobs({ params: { id } });
    expect((await service.client.listJobDependencies({ params: { id }, query: {} })).total_count).toBe(900);
  });
});

describe('jobs that wait for each other because of what they read and write', () => {
  const looped = async (readsOwn: boolean) => {
    const { client } = service;
    const id = await newWorkflow();
    const [f, g] = [
      (await client.createFile({ body: { workflow_id: id, name: 'f', path: 'f' } })).id,
      (await client.createFile({ body: { workflow_id: id, name: 'g', path: 'g' } })).id,
    ];
    const job = (name: string, inputs: number[], outputs: number[]) =>
      client.createJob({
        body: { workflow_id: id, name, command: 'true', input_file_ids: inputs, output_file_ids: outputs },
      });
    const last = await job('last', [g], []);
    await job('first', readsOwn ? [g] : [], [f]);
    await job('second', [f], [g]);
    return { id, last };
  };

  it('a circle is refused by name when the workflow is initialized, and nothing changes', async () => {
    const { id } = await looped(true);
    await expect(service.client.initializeJobs({ params: { id } })).rejects.toMatchObject({
      status: 422,
      code: 'CIRCLE',
      message: expect.stringMatching(
        /^jobs wait for each other, by files or user data that they read and write: (first → second → first|second → first → second)$/,
      ),
    });
    expect(new Set(Object.values(await statuses(service, id)))).toEqual(new Set(['uninitialized']));
    expect((await service.client.listJobDependencies({ params: { id }, query: {} })).items).toEqual([]);
  });

  it('a job that was created before its dependency is not a circle', async () => {
    const { id } = await looped(false);
    await service.client.initializeJobs({ params: { id } });
    expect(await statuses(service, id)).toEqual({ last: 'blocked', first: 'ready', second: 'blocked' });
  });
});
