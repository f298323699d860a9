import { beforeEach, describe, expect, it } from 'vitest';
import { ended, started, statuses, testService, type TestService } from '../../../tests/support/service.ts';
import { checkedLevels } from './check.ts';
import { readDocument } from './document.ts';
import { recreate } from './recreate.ts';
import { exportWorkflow } from './export.ts';

let here: TestService;
/** The importing server: its ids are different. */
let there: TestService;

beforeEach(async () => {
  [here, there] = [testService(), testService()];
  await workflow(there, 'already there');
});

/** A workflow with records of every kind; `late` depends on a job that was created after it. */
async function workflow({ client }: TestService, name: string): Promise<number> {
  const env = { A: '1' };
  const { id } = (await client.createWorkflow({
    body: { name, user: 'eve', env, project: 'p', limits: { matlab: 2 } },
  })) as {
    id: number;
  };
  const of = { workflow_id: id };
  const needs = await client.createResourceRequirements({
    body: { ...of, name: 'big', memory: '4g', num_cpus: 3, licenses: { matlab: 1 } },
  });
  const [own] = (await client.listResourceRequirements({ query: { ...of, name: 'default' } })).items;
  await client.updateResourceRequirements({
    params: { id: own?.id as number },
    body: { ...of, name: 'default', num_cpus: 7 },
  });
  const file = await client.createFile({ body: { ...of, name: 'f', path: 'f.txt', st_mtime: 5 } });
  const data = await client.createUserData({
    body: { ...of, name: 'd', data: { x: [1] }, is_ephemeral: true },
    query: {},
  });
  const empty = await client.createUserData({ body: { ...of, name: 'empty' }, query: {} });
  const slurm = await client.createSlurmScheduler({
    body: { ...of, name: 's', account: 'a', nodes: 2, walltime: '01:00:00' },
  });
  await client.createLocalScheduler({ body: { ...of, memory: '1g', num_cpus: 2 } });
  const handler = await client.createFailureHandler({ body: { ...of, name: 'h', rules: '[]' } });
  await client.createRoCrateEntity({
    body: { ...of, entity_id: 'urn:f', entity_type: 'File', metadata: { '@id': 'urn:f' }, file_id: file.id },
  });
  const late = await client.createJob({
    body: {
      ...of,
      name: 'late',
      command: 'cat f.txt',
      env: { B: '2' },
      labels: ['gpu'],
      licenses: { disk: 2 },
      priority: 3,
      input_file_ids: [file.id],
      input_user_data_ids: [data.id, empty.id],
      resource_requirements_id: needs.id,
      failure_handler_id: handler.id,
    },
  });
  const early = await client.createJob({
    body: {
      ...of,
      name: 'early',
      command: 'true',
      invocation_script: 'nice',
      cancel_on_blocking_job_failure: false,
      output_file_ids: [file.id],
      output_user_data_ids: [empty.id],
      scheduler_id: slurm.id,
    },
  });
  const off = await client.createJob({ body: { ...of, name: 'off', command: 'true' } });
  await client.updateJob({
    params: { id: off.id },
    body: { name: 'off', command: 'true', status: 'disabled' },
  });
  await client.updateJob({
    params: { id: late.id },
    body: { name: 'late', command: 'cat f.txt', depends_on_job_ids: [early.id] },
  });
  await client.createWorkflowAction({
    params: { id },
    body: {
      ...of,
      trigger_type: 'on_jobs_ready',
      action_type: 'schedule_nodes',
      action_config: { scheduler_id: slurm.id, scheduler_type: 'slurm', num_allocations: 2 },
      job_ids: [early.id],
      trigger_count: 1,
      executed: true,
    },
  });
  return id;
}

/** Runs `early` to its end. */
async function run({ client }: TestService, id: number): Promise<void> {
  await client.resetStatus({ params: { id } });
  await client.initializeJobs({ params: { id } });
  const node = {
    hostname: 'h',
    pid: 1,
    num_cpus: 8,
    memory_gb: 8,
    num_gpus: 0,
    num_nodes: 1,
    compute_node_type: 'local',
  };
  const created = await client.createComputeNode({
    body: { ...node, workflow_id: id, start_time: '2026-03-01T12:00:00Z', is_active: true },
  });
  const turn = { run_id: 1, compute_node_id: created.id };
  const want = { limit: 1, prefetch: 0, offer: { num_cpus: 8, memory_gb: 8, num_gpus: 0, num_nodes: 1 } };
  const { jobs } = await client.exchange({ params: { id }, body: { ...turn, want } });
  await client.exchange({
    params: { id },
    body: { ...turn, started: jobs.map(started), completed: jobs.map((job) => ended(job)) },
  });
}

async function exported({ client }: TestService, id: number, includes: { results?: boolean; events?: boolean } = {}) {
  let text = '';
  const options = {
    includesResults: includes.results ?? false,
    includesEvents: includes.events ?? false,
    exportedAt: '2026-03-01T12:00:00Z',
  };
  const { counts } = await exportWorkflow(client, id, options, (part) => {
    text += `${part}\n`;
  });
  return { text, counts, json: JSON.parse(text) as Record<string, Record<string, unknown>[]> };
}

async function imported(service: TestService, text: string, includesResults = true): Promise<number> {
  const document = readDocument(text, 'w.json');
  const options = { name: undefined, user: 'importer', includesResults };
  return recreate(service.client, document, checkedLevels(document, 'w.json'), options);
}

/** The content of a workflow, with names where records refer to each other by ids. */
async function portrait(service: TestService, id: number): Promise<object> {
  const { json } = await exported(service, id);
  const nameOf = new Map(
    ['files', 'user_data', 'resource_requirements', 'slurm_schedulers', 'failure_handlers', 'jobs'].flatMap((section) =>
      (json[section] ?? []).map((row) => [`${section} ${String(row['id'])}`, row['name']] as const),
    ),
  );
  const named = (section: string, value: unknown): unknown =>
    Array.isArray(value)
      ? value.map((each) => named(section, each))
      : (nameOf.get(`${section} ${String(value)}`) ?? value);
  const sections: Record<string, string> = {
    depends_on_job_ids: 'jobs',
    job_ids: 'jobs',
    input_file_ids: 'files',
    output_file_ids: 'files',
    file_id: 'files',
    input_user_data_ids: 'user_data',
    output_user_data_ids: 'user_data',
    resource_requirements_id: 'resource_requirements',
    scheduler_id: 'slurm_schedulers',
    failure_handler_id: 'failure_handlers',
  };
  const plain = (row: Record<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(row)
        .filter(([field]) => !['id', 'workflow_id', 'status', 'trigger_count', 'executed'].includes(field))
        .map(([field, value]) => [
          field,
          field === 'action_config' ? plain(value as never) : named(sections[field] ?? '', value),
        ]),
    );
  const { export_version: _, exported_at: __, workflow: own, ...lists } = json;
  const rest = Object.entries(lists).map(([section, rows]) => [section, rows.map(plain).sort(byName)]);
  const { name, env, project } = own as unknown as Record<string, unknown>;
  return { name, env, project, ...Object.fromEntries(rest) };
}

const byName = (a: Record<string, unknown>, b: Record<string, unknown>) =>
  String(a['name']).localeCompare(String(b['name']));

describe('a workflow that is exported and imported', () => {
  it('an imported workflow is the same on another server, whatever ids it has there', async () => {
    const id = await workflow(here, 'w');
    const { text, counts } = await exported(here, id);
    const copy = await imported(there, text);
    expect(copy).not.toBe(id);
    expect(await portrait(there, copy)).toEqual(await portrait(here, id));
    expect(Object.fromEntries(counts)).toEqual({
      files: 1,
      user_data: 2,
      resource_requirements: 2,
      slurm_schedulers: 1,
      local_schedulers: 1,
      failure_handlers: 1,
      ro_crate_entities: 1,
      jobs: 3,
      workflow_actions: 1,
    });
    expect([...here.errors, ...there.errors]).toEqual([]);
  });

  it('an imported workflow starts again and belongs to the importing user; a disabled job stays disabled', async () => {
    const id = await workflow(here, 'w');
    await run(here, id);
    const copy = await imported(there, (await exported(here, id)).text);
    expect(await statuses(there, copy)).toEqual({ late: 'uninitialized', early: 'uninitialized', off: 'disabled' });
    expect(await there.client.getWorkflow({ params: { id: copy } })).toMatchObject({ user: 'importer', run_id: 0 });
    expect(await there.client.listWorkflowActions({ params: { id: copy } })).toEqual([
      expect.objectContaining({ trigger_count: 0, executed: false, required_triggers: 1 }),
    ]);
  });

  it('an imported workflow may include its results as history, and counts its runs on from them', async () => {
    const id = await workflow(here, 'w');
    await run(here, id);
    const { text } = await exported(here, id, { results: true });
    const copy = await imported(there, text);
    const results = async (all: boolean) =>
      (await there.client.listResults({ query: { workflow_id: copy, all_runs: all } })).items;
    expect(await results(true)).toEqual([expect.objectContaining({ job_name: 'early', run_id: 1, return_code: 0 })]);
    expect(await results(false)).toEqual(await results(true));
    expect(await there.client.getWorkflowStatus({ params: { id: copy } })).toMatchObject({
      total_exec_time_minutes: 0.01,
    });
    expect((await there.client.listComputeNodes({ query: { workflow_id: copy } })).items).toEqual([
      expect.objectContaining({ hostname: 'h', is_active: false }),
    ]);
    expect(await there.client.getWorkflow({ params: { id: copy } })).toMatchObject({ run_id: 1 });

    const without = await imported(there, text, false);
    expect((await there.client.listResults({ query: { workflow_id: without, all_runs: true } })).items).toEqual([]);
    expect(await there.client.getWorkflow({ params: { id: without } })).toMatchObject({ run_id: 0 });
  });

  it('an imported workflow may have results without compute nodes, as an export without nodes has them', async () => {
    const id = await workflow(here, 'w');
    await run(here, id);
    const { json } = await exported(here, id, { results: true });
    delete json['compute_nodes'];
    const copy = await imported(there, JSON.stringify(json));
    const { items: nodes } = await there.client.listComputeNodes({ query: { workflow_id: copy } });
    expect(nodes).toEqual([expect.objectContaining({ hostname: 'unknown', is_active: false })]);
    expect((await there.client.listResults({ query: { workflow_id: copy } })).items).toEqual([
      expect.objectContaining({ job_name: 'early', return_code: 0, compute_node_id: nodes[0]?.id }),
    ]);
  });

  it('the research object of an imported workflow describes the jobs of this server', async () => {
    const id = await workflow(here, 'w');
    const { items } = await here.client.listJobs({ query: { workflow_id: id, name: 'early' } });
    const name = `#job-${items[0]?.id}-attempt-1`;
    const metadata = { '@id': name, result: [{ '@id': 'urn:f' }] };
    await here.client.createRoCrateEntity({
      body: { workflow_id: id, entity_id: name, entity_type: 'CreateAction', metadata },
    });
    const copy = await imported(there, (await exported(here, id)).text);
    const { items: jobs } = await there.client.listJobs({ query: { workflow_id: copy, name: 'early' } });
    expect(jobs[0]?.id).not.toBe(items[0]?.id);
    const called = `#job-${jobs[0]?.id}-attempt-1`;
    const query = { entity_id: called };
    expect((await there.client.listRoCrateEntities({ params: { id: copy }, query })).items).toEqual([
      expect.objectContaining({ metadata: { '@id': called, result: [{ '@id': 'urn:f' }] } }),
    ]);
  });

  it('the current results of an imported workflow are the last ones of its jobs, in any order of the file', async () => {
    const id = await workflow(here, 'w');
    await run(here, id);
    const { json } = await exported(here, id, { results: true });
    const [result] = json['results'] as [Record<string, unknown>];
    json['results'] = [
      { ...result, run_id: 2, attempt_id: 3, return_code: 23 },
      { ...result, run_id: 2, attempt_id: 2, return_code: 22 },
      { ...result, run_id: 1, attempt_id: 4, return_code: 14 },
    ];
    const copy = await imported(there, JSON.stringify(json));
    const { items } = await there.client.listResults({ query: { workflow_id: copy } });
    expect(items.map(({ return_code: code }) => code)).toEqual([23]);
    expect((await there.client.listResults({ query: { workflow_id: copy, all_runs: true } })).count).toBe(3);
  });

  it('the export contains events only on request, and otherwise neither events nor their results', async () => {
    const id = await workflow(here, 'w');
    await run(here, id);
    expect((await exported(here, id)).json).not.toHaveProperty('results');
    expect((await exported(here, id)).json).not.toHaveProperty('events');
    const { json } = await exported(here, id, { events: true });
    expect(json['events']).toContainEqual(
      expect.objectContaining({ data: expect.objectContaining({ action: 'reset_workflow_status' }) }),
    );
  });

  it('an imported workflow may have two jobs of one name', async () => {
    const id = await workflow(here, 'w');
    await here.client.createJob({ body: { workflow_id: id, name: 'early', command: 'false' } });
    const copy = await imported(there, (await exported(here, id)).text);
    const { items } = await there.client.listJobs({ query: { workflow_id: copy } });
    expect(items.map(({ name }) => name).sort()).toEqual(['early', 'early', 'late', 'off']);
  });

  it('an imported workflow keeps its dependencies, also along a chain of jobs of one name', async () => {
    const id = await workflow(here, 'w');
    const names = ['step', 'step', 'between', 'step'];
    let before: number[] = [];
    for (const name of names) {
      const body = { workflow_id: id, name, command: 'true', depends_on_job_ids: before };
      before = [(await here.client.createJob({ body })).id];
    }
    const copy = await imported(there, (await exported(here, id)).text);
    const query = { workflow_id: copy, include_relationships: true };
    const chain = (await there.client.listJobs({ query })).items.filter(({ name }) => names.includes(name));
    const behind = (jobId: number | undefined) =>
      chain.find(({ depends_on_job_ids: others }) => (jobId === undefined ? !others?.length : others?.includes(jobId)));
    const found: string[] = [];
    for (let at = behind(undefined); at !== undefined; at = behind(at.id)) found.push(at.name);
    expect(found).toEqual(names);
  });

  it('an imported workflow drops a scheduler that was deleted on the exporting server', async () => {
    const id = await workflow(here, 'w');
    await here.client.deleteSlurmSchedulers({ query: { workflow_id: id } });
    const copy = await imported(there, (await exported(here, id)).text);
    const { items } = await there.client.listJobs({ query: { workflow_id: copy } });
    expect(items.map(({ scheduler_id: scheduler }) => scheduler)).toEqual([0, 0, 0]);
  });
});

describe('an invalid export file', () => {
  const job = (id: number, more: object = {}) => ({ id, workflow_id: 1, name: `j${id}`, command: 'true', ...more });
  const file = (parts: object) =>
    JSON.stringify({ export_version: '1.0', workflow: { name: 'w', user: 'u' }, ...parts });
  const all = async () => (await there.client.listWorkflows({ query: {} })).total_count;

  it.each([
    [
      'with a list that is given twice',
      '{"export_version":"1.0","workflow":{"name":"a","user":"u"},"jobs":[{"a":"\\"jobs\\":"}],"j\\u006fbs" :[]}',
      'has "jobs" twice',
    ],
    ['that is not JSON', '{', 'w.json is not JSON'],
    ['that is another kind of file', '{"name": "w", "jobs": []}', 'no exported workflow: it has no export_version'],
    ['of another version', '{"export_version": "2.0"}', 'w.json has export_version 2.0; this torc reads 1.0'],
    ['without a workflow', '{"export_version": "1.1"}', 'workflow: Invalid input'],
    [
      'with a job without a command',
      file({ jobs: [{ ...job(1), command: 7 }] }),
      'jobs[0].command: Invalid input: expected string',
    ],
    [
      'with a dependency on an unknown job',
      file({ jobs: [job(1, { depends_on_job_ids: [2] })] }),
      'jobs[0].depends_on_job_ids (j1): the file has no record 2',
    ],
    [
      'with a job that reads an unknown file',
      file({ jobs: [job(1, { input_file_ids: [9] })] }),
      'jobs[0].input_file_ids (j1): the file has no record 9',
    ],
    [
      'with a job with unknown requirements',
      file({ jobs: [job(1, { resource_requirements_id: 9 })] }),
      'jobs[0].resource_requirements_id (j1)',
    ],
    ['with one id twice', file({ jobs: [job(1), job(1)] }), 'jobs: 1 of 2 have an id that another one has'],
    [
      'with an action of an unknown job',
      file({
        workflow_actions: [{ workflow_id: 1, trigger_type: 't', action_type: 'a', action_config: {}, job_ids: [4] }],
      }),
      'workflow_actions[0].job_ids: the file has no job 4',
    ],
    [
      'with jobs that wait for each other',
      file({ jobs: [job(1, { depends_on_job_ids: [2] }), job(2, { depends_on_job_ids: [1] })] }),
      'jobs wait for each other: j1 → j2 → j1',
    ],
  ])('a file %s is refused before anything is created', async (_, text, why) => {
    await expect(imported(there, text)).rejects.toThrow(why);
    expect(await all()).toBe(1);
  });

  it('a workflow that the server refuses later is deleted', async () => {
    const text = file({ jobs: [job(1), job(2, { depends_on_job_ids: [1], priority: -1 })] });
    await expect(imported(there, text)).rejects.toMatchObject({ status: 422 });
    expect(await all()).toBe(1);
  });
});
