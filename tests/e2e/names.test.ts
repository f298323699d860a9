import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer, temporaryFolder } from '../support/programs.ts';
import { registerNode, started } from '../support/service.ts';
import { wordsTo } from '../support/words.ts';

/** Commands take the name of a record wherever a person knows the name and not the id. */

let server: RunningServer;
const { call, json, items } = wordsTo(() => server.url);

/** Ids by `workflow/name`. */
const ids: Record<string, number> = {};
const idOf = (key: string) => ids[key] as number;

async function workflow(name: string, jobs: readonly string[], user = 'tester'): Promise<number> {
  const { client } = server;
  const { id: workflowId } = await client.createWorkflow({ body: { name, user } });
  const workflow_id = workflowId;
  for (const job of jobs)
    ids[`${workflow_id}/${job}`] = (await client.createJob({ body: { workflow_id, name: job, command: 'true' } })).id;
  return workflow_id;
}

let sweep: number;
let again: number;
let other: number;

beforeAll(async () => {
  server = await startServer(temporaryFolder());
  sweep = await workflow('sweep', ['train_1', 'train_11', 'only', '3', 'name:x', 'twice', 'twice']);
  again = await workflow('again', ['train_1', 'train_2']);
  other = await workflow('foreign', ['secret'], 'eve');
  const { client } = server;
  const { id: fileId } = await client.createFile({ body: { workflow_id: sweep, name: 'model', path: 'm.bin' } });
  const { id: dataId } = await client.createUserData({ body: { workflow_id: sweep, name: 'rate', data: 1 } });
  await client.createResourceRequirements({ body: { workflow_id: sweep, name: 'big', memory: '2g' } });
  Object.assign(ids, { model: fileId, rate: dataId });
});

describe('a job', () => {
  it('a job is found by a name that one workflow of the person has', async () => {
    expect(await json('jobs', 'get', 'only')).toMatchObject({ id: idOf(`${sweep}/only`), workflow_id: sweep });
    expect(await json('jobs', 'explain', 'train_2')).toMatchObject({ job_id: idOf(`${again}/train_2`) });
  });

  it('a job of several workflows needs -w, with the candidates in the error', async () => {
    const { code, stdout, stderr } = await call('jobs', 'get', 'train_1');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      `Error: 2 jobs are named "train_1"; name the workflow with -w:\n  job ${idOf(`${sweep}/train_1`)} of workflow ${sweep}\n  job ${idOf(`${again}/train_1`)} of workflow ${again}\n`,
    );
    for (const which of [String(again), 'again'])
      expect(await json('jobs', 'explain', 'train_1', '-w', which)).toMatchObject({
        job_id: idOf(`${again}/train_1`),
      });
  });

  it('a job whose name a workflow has twice is meant by its id only', async () => {
    const { code, stderr } = await call('jobs', 'get', 'twice', '-w', String(sweep));
    expect([code, stderr]).toEqual([1, expect.stringContaining('use the id of one of them')]);
  });

  it('a job that does not exist is an error that shows similar names', async () => {
    const { code, stderr } = await call('jobs', 'get', 'train', '-w', String(again));
    expect([code, stderr]).toEqual([
      1,
      `Error: no job of workflow ${again} is named "train"; 2 jobs with this in the name: train_1, train_2\n`,
    ]);
    expect((await call('jobs', 'get', 'nosuch')).stderr).toBe(
      'Error: no job is named "nosuch" in the 2 workflows of user tester\n',
    );
  });

  it('a job of other people is found with -w only', async () => {
    expect((await call('jobs', 'get', 'secret')).code).toBe(1);
    expect(await json('jobs', 'get', 'secret', '-w', String(other))).toMatchObject({ workflow_id: other });
  });

  it('a job whose name is made of digits is written name:3, because digits are an id', async () => {
    expect(await json('jobs', 'get', '3')).toMatchObject({ id: 3, name: 'only' });
    expect(await json('jobs', 'get', 'name:3')).toMatchObject({ id: idOf(`${sweep}/3`), name: '3' });
    expect(await json('jobs', 'get', 'name:name:x')).toMatchObject({ name: 'name:x' });
  });

  it('a job by an id is not one of another workflow than -w names', async () => {
    const id = String(idOf(`${again}/train_2`));
    expect((await call('jobs', 'get', id, '-w', 'sweep')).stderr).toBe(
      `Error: job ${id} belongs to workflow ${again}, not ${sweep}\n`,
    );
    expect((await call('jobs', 'get', '999', '-w', 'sweep')).stderr).toBe('Error: job 999 was not found (404)\n');
    await server.client.createJob({ body: { workflow_id: again, name: '999', command: 'true' } });
    expect((await call('jobs', 'get', '999', '-w', 'again')).stderr).toBe(
      'Error: job 999 was not found (404); digits are read as an id; for the job named "999" write name:999\n',
    );
  });

  it('a job is taken by every command that takes a job', async () => {
    const id = idOf(`${sweep}/only`);
    expect(await json('jobs', 'update', 'only', '--priority', '7')).toMatchObject({ id, priority: 7 });
    expect(await json('jobs', 'update', 'only', '--resource-requirements-id', 'big')).toMatchObject({ id });
    expect(await json('jobs', 'reset-status', 'only', 'train_11', '--dry-run')).toMatchObject({
      jobs: [{ job_id: id }, { job_id: idOf(`${sweep}/train_11`) }],
    });
    expect(await items('results', 'list', 'sweep', '-j', 'only')).toEqual([]);
    expect(await items('jobs', 'list', 'sweep', '--upstream-job-id', 'only')).toEqual([]);
    expect(await items('files', 'list', 'sweep', '--produced-by-job-id', 'only')).toEqual([]);
    expect(await items('user-data', 'list', 'sweep', '--consumer-job-id', 'only')).toEqual([]);
    expect(await json('jobs', 'list-resource-requirements', 'sweep', '-j', 'only')).toMatchObject([
      { job_id: id, rr_name: 'big' },
    ]);
    expect((await call('workflows', 'correct-resources', 'sweep', '--job-ids', 'nosuch')).stderr).toContain(
      'is named "nosuch"',
    );
    const words = ['jobs', 'create', 'sweep', '-n', 'child', '-c', 'true', '-b', 'only', '-i', 'model', '-r', 'big'];
    const child = await json(...words);
    expect(child).toMatchObject({ depends_on_job_ids: [id], input_file_ids: [ids['model']] });
    expect(await json('jobs', 'delete', 'child', '-w', 'sweep')).toMatchObject({ items: [{ name: 'child' }] });
  });
});

describe('files, user data and resource requirements', () => {
  it('files, user data and resource requirements are found by their names', async () => {
    expect(await json('files', 'get', 'model')).toMatchObject({ id: ids['model'] });
    expect(await json('files', 'update', 'model', '--path', 'n.bin', '-w', 'sweep')).toMatchObject({ path: 'n.bin' });
    expect(await json('user-data', 'get', 'rate')).toMatchObject({ id: ids['rate'] });
    expect(await json('user-data', 'update', 'rate', '--data', '2')).toMatchObject({ data: 2 });
    expect(await json('resource-requirements', 'get', 'big')).toMatchObject({ name: 'big', memory: '2g' });
    expect((await call('files', 'get', 'nosuch')).code).toBe(1);
  });
});

describe('a Slurm scheduler', () => {
  it('a Slurm scheduler is found by its name, and not by a part of it', async () => {
    const { id } = await json('slurm', 'create', 'sweep', '-n', 'short', '-a', 'lab');
    expect(await json('slurm', 'get', 'short')).toMatchObject({ id });
    expect(await json('slurm', 'update', 'short', '--qos', 'high', '-w', 'sweep')).toMatchObject({ id, qos: 'high' });
    expect((await call('slurm', 'get', 'sho')).stderr).toContain('1 scheduler with this in the name: short');
    expect((await call('slurm', 'get', String(id), '-w', 'again')).stderr).toContain(`belongs to workflow ${sweep}`);
    const nodes = (scheduler: string) =>
      call('scheduled-compute-nodes', 'list', 'sweep', '--scheduler-config-id', scheduler);
    expect((await nodes('short')).stdout).toContain('No scheduled compute nodes found');
    expect((await nodes('sho')).stderr).toContain('no scheduler of workflow');
    expect(await json('slurm', 'delete', 'short')).toMatchObject({ id });
  });
});

describe('records with names that few commands take', () => {
  it('a failure handler is found by its name', async () => {
    const body = { workflow_id: sweep, name: 'again-on-9', rules: '[{"exit_codes":[9]}]' };
    const { id } = await server.client.createFailureHandler({ body });
    expect(await json('failure-handlers', 'get', 'again-on-9')).toMatchObject({ id });
    expect((await call('failure-handlers', 'get', 'again', '-w', 'sweep')).stderr).toBe(
      `Error: no failure handler of workflow ${sweep} is named "again"; 1 failure handler with this in the name: again-on-9\n`,
    );
  });

  it('an entity of the research object is found by its @id', async () => {
    const words = ['--entity-id', '#tool', '--entity-type', 'SoftwareApplication', '--metadata', '{}'];
    const { id } = await json('ro-crate', 'create', 'sweep', ...words);
    expect(await json('ro-crate', 'get', '#tool')).toMatchObject({ id });
    expect(await json('ro-crate', 'update', '#tool', '--entity-type', 'File')).toMatchObject({
      id,
      entity_type: 'File',
    });
    expect((await call('ro-crate', 'get', '#too')).stderr).toContain('1 RO-Crate entity with this in the name: #tool');
    expect((await call('ro-crate', 'delete', '#tool', '-w', 'sweep')).stdout).toBe(
      `Deleted RO-Crate entity ${String(id)}\n`,
    );
  });
});

describe('a workflow', () => {
  it('a workflow is found by the name that one of the person has', async () => {
    expect(await json('status', 'again')).toMatchObject({ workflow_id: again });
    expect((await call('--url', server.url, 'status', 'foreign')).stderr).toBe(
      `Error: no workflow of user tester is named "foreign"; torc --url ${server.url} workflows list shows their ids and names\n`,
    );
  });

  it('a workflow whose name several have is an error with their ids, and nothing is changed', async () => {
    const twins = [await workflow('twin', []), await workflow('twin', [])];
    const { code, stdout, stderr } = await call('delete', 'twin', '--no-prompts');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      new RegExp(
        `^Error: 2 workflows of user tester are named "twin"; use the id of one of them:\\n  ${twins[0]}, created .*\\n  ${twins[1]}, created .*\\n$`,
      ),
    );
    expect(await items('workflows', 'list')).toHaveLength(4);
  });

  it('a workflow is run by the name that one of the person has, and a name that several or none have is an error', async () => {
    const runs = await workflow('runs', ['quick']);
    const { code, stderr } = await call('run', 'runs', '-o', join(temporaryFolder(), 'out'));
    expect([code, stderr]).toEqual([0, expect.stringContaining(`runs (workflow ${runs}): 1 job completed`)]);

    await workflow('both', []);
    await workflow('both', []);
    const several = await call('run', 'both');
    expect([several.code, several.stderr]).toEqual([
      1,
      expect.stringContaining('2 workflows of user tester are named "both"; use the id of one of them:'),
    ]);
    const none = await call('run', 'nosuch');
    expect([none.code, none.stderr]).toEqual([
      1,
      `Error: 'nosuch' is neither a valid workflow spec file nor a workflow ID, and no workflow of user tester has this name; torc workflows list shows their names\n`,
    ]);
    // A path is a file that is not there.
    expect((await call('run', 'no/such')).stderr).toBe(
      "Error: 'no/such' is neither a valid workflow spec file nor a workflow ID\n",
    );
  });
});

it('the job that adds jobs, and the file that an entity describes, are found by their names', async () => {
  const { client } = server;
  const id = await workflow('adds', ['parent']);
  await client.resetStatus({ params: { id } });
  await client.initializeJobs({ params: { id } });
  const nodeId = await registerNode(server, id);
  const about = { run_id: 1, compute_node_id: nodeId };
  const { jobs } = await client.exchange({ params: { id }, body: { ...about, want: { limit: 1, prefetch: 0 } } });
  await client.exchange({ params: { id }, body: { ...about, started: jobs.map((job) => started(job)) } });
  const file = join(temporaryFolder(), 'jobs.json');
  writeFileSync(file, '[{"name": "child", "command": "true"}]');
  expect(await json('jobs', 'spawn', file, '-j', 'parent', '-w', 'adds')).toMatchObject({ iteration: 1 });
  expect((await call('jobs', 'spawn', file, '-j', 'nosuch', '-w', 'adds')).code).toBe(1);

  const { id: fileId } = await client.createFile({ body: { workflow_id: id, name: 'table', path: 't.csv' } });
  const described = ['--entity-id', 't.csv', '--entity-type', 'File', '--metadata', '{}'];
  const created = await json('ro-crate', 'create', String(id), ...described, '--file-id', 'table');
  expect(created).toMatchObject({ file_id: fileId });
  const entity = (created as { id: number }).id;
  expect(await json('ro-crate', 'update', String(entity), '--file-id', '0')).not.toHaveProperty('file_id', fileId);
  expect(await json('ro-crate', 'update', String(entity), '--file-id', 'table')).toMatchObject({ file_id: fileId });
  expect((await call('ro-crate', 'update', String(entity), '--file-id', 'nosuch')).stderr).toContain('nosuch');
});
