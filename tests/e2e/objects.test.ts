import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer, temporaryFolder, torc } from '../support/programs.ts';
import { wordsTo } from '../support/words.ts';

/** Two jobs that pass a file and a value on, and one that fails. */
const flow = `
name: small
enable_ro_crate: false
jobs:
  - {name: first, command: "echo made > \${files.output.made}; echo told # \${user_data.output.told}"}
  - {name: second, command: "cat \${files.input.made} \${files.input.given} # \${user_data.input.told}"}
  - {name: bad, command: exit 3, failure_handler: again}
files: [{name: made, path: made.txt}, {name: given, path: given.txt}]
user_data: [{name: told}]
failure_handlers: [{name: again, rules: [{exit_codes: [9], max_retries: 1}]}]
`;

let folder: string;
let server: RunningServer;
/** A workflow that nobody runs: its records are made and unmade here. */
let empty: string;
/** Ids of the jobs of workflow 1 by name. */
let jobs: Record<string, number>;

beforeAll(async () => {
  folder = temporaryFolder();
  server = await startServer(folder);
  writeFileSync(join(folder, 'flow.yaml'), flow);
  writeFileSync(join(folder, 'given.txt'), 'given\n');
  await program('run', 'flow.yaml');
  const { items: rows } = await server.client.listJobs({ query: { workflow_id: 1 } });
  jobs = Object.fromEntries(rows.map(({ name, id }) => [name, id as number]));
  empty = String((await json('workflows', 'new', '--name', 'empty'))['id']);
});

/** The program itself, for what only a process can show. */
const program = (...args: string[]) => torc(args, { cwd: folder, environment: { TORC_API_URL: server.url } });
const { call, json, items, csv } = wordsTo(() => server.url);

/** The id of a record that the words create. */
const created = async (...words: string[]) => String((await json(...words))['id']);

const createFile = (name: string) => created('files', 'create', empty, '-n', name, '-p', `${name}.txt`);
const createGroup = (name: string) => created('access-groups', 'create', name);

const createJob = async (workflow: string, name: string) => {
  const body = { workflow_id: Number(workflow), name, command: 'true' };
  return String((await server.client.createJob({ body })).id);
};

/** A runner in an allocation of Slurm, as it would have registered. */
async function createNode(workflow_id: number, scheduler: Record<string, string | number>): Promise<number> {
  const body = {
    workflow_id,
    hostname: 'n1',
    pid: 1,
    start_time: new Date(Date.now() - 65_000).toISOString(),
    is_active: true,
    num_cpus: 4,
    memory_gb: 8,
    num_gpus: 0,
    num_nodes: 1,
    compute_node_type: 'slurm',
    scheduler,
    labels: ['b', 'a'],
  };
  const { id } = await server.client.createComputeNode({ body });
  const measured = { peak_cpu_percent: 50, peak_memory_bytes: 2 ** 31, avg_memory_bytes: 2 ** 30 };
  await server.client.updateComputeNode({ params: { id: id as number }, body: measured });
  return id as number;
}

const createResult = (workflow_id: number, job_id: number, compute_node_id: number) =>
  server.client.createResult({
    body: {
      job_id,
      workflow_id,
      run_id: 1,
      compute_node_id,
      return_code: 0,
      exec_time_minutes: 1,
      completion_time: '2026-01-01T00:00:00.000Z',
      status: 'completed',
    },
  });

describe('what is not there', () => {
  it.each([
    'files get 99',
    'files update 99 -n x',
    'files delete 99',
    'files list 99',
    'files create 99 -n f -p f',
    'files list-required-existing 99',
    'user-data get 99',
    'user-data delete 99',
    'user-data delete-all 99',
    'user-data list 99',
    'user-data list-missing 99',
    'user-data create 99 -n u',
    'events create 99 -d 1',
    'events list 99',
    'events get-latest-event 99',
    'events monitor 99',
    'events delete 99',
    'compute-nodes get 99',
    'compute-nodes list 99',
    'scheduled-compute-nodes get 99',
    'scheduled-compute-nodes list 99',
    'scheduled-compute-nodes list-jobs 99',
    'resource-requirements create 99 -n r',
    'resource-requirements get 99',
    'resource-requirements update 99 -n r',
    'resource-requirements delete 99',
    'resource-requirements list 99',
    'failure-handlers get 99',
    'failure-handlers list 99',
    'job-dependencies job-job 99',
    'job-dependencies job-file 99',
    'job-dependencies job-user-data 99',
    'results get 99',
    'results delete 99',
    'results list 99',
    'access-groups get 99',
    'access-groups delete 99',
    'access-groups list-members 99',
    'access-groups list-workflow-groups 99',
    'access-groups add-user 99 ann',
    'access-groups remove-user 99 ann',
    'access-groups add-workflow 1 99',
    'access-groups add-workflow 99 1',
    'access-groups remove-workflow 99 1',
    'ro-crate create 99 --entity-id e --entity-type File --metadata {}',
    'ro-crate get 99',
    'ro-crate update 99 --entity-type Dataset',
    'ro-crate delete 99',
    'ro-crate list 99',
    'tasks wait 99',
  ])('what is not there is refused beside the result, which stays empty: torc %s', async (words) => {
    for (const format of ['json', 'table']) {
      const { code, stdout, stderr } = await call('-f', format, ...words.split(' '));
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain('status: 404 Not Found');
    }
  });
});

it('an event stream that is refused says why, and is not asked for again', async () => {
  const { code, stdout, stderr } = await call('events', 'monitor', '99');
  expect([code, stdout, stderr]).toEqual([
    1,
    '',
    'Error: API error while opening the event stream (status: 404 Not Found): Workflow not found with ID: 99\nList the existing records, and check the id.\n',
  ]);
});

describe('words that nobody can act on', () => {
  it.each([
    ['files create 1 -n f', "required option '-p, --path <path>' not specified"],
    ['files create 1 -p f', "required option '-n, --name <name>' not specified"],
    ['user-data create 1', "required option '-n, --name <name>' not specified"],
    ['user-data delete-all', "missing required argument 'workflow'"],
    ['user-data update 1 --ephemeral maybe', "argument 'maybe' is invalid"],
    ['events create 1', "required option '-d, --data <json>' not specified"],
    ['resource-requirements create 1 -n r --num-cpus 0', '--num-cpus: expected 1 or more, found 0'],
    ['ro-crate create 1 --entity-id e --entity-type File', "required option '--metadata <json>' not specified"],
    ['access-groups get editors', 'not an access group id: "editors"; expected a whole number'],
    ['access-groups add-user 1', "missing required argument 'user'"],
    ['tasks wait 1 --timeout soon', '--timeout: expected a number, found "soon"'],
    ['scheduled-compute-nodes list-jobs', "missing required argument 'id'"],
  ])('words that nobody can act on are a usage error: torc %s', async (words, why) => {
    const { code, stdout, stderr } = await call(...words.split(' '));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(why);
  });

  it.each([
    ['files update 1', 'nothing to change: give --name or --path'],
    ['user-data update 1', 'nothing to change: give --data, --name or --ephemeral'],
    ['resource-requirements update 1', 'nothing to change: give --name, --num-cpus'],
    ['ro-crate update 1', 'nothing to change: give --entity-id'],
    ['user-data create 1 -n u -d text', '--data is not JSON'],
    ['events create 1 -d {', '--data is not JSON'],
    ['ro-crate create 1 --entity-id e --entity-type File --metadata [1]', '--metadata must be a JSON object'],
    ['files list', 'a workflow ID is required when stdin is not a terminal'],
  ])('words that nobody can act on are explained: torc %s', async (words, why) => {
    const { code, stdout, stderr } = await call(...words.split(' '));
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(why);
  });
});

describe('a table', () => {
  it.each([
    ['files list 1', 'ID,Name,Path,Modified Time'],
    ['files list-required-existing 1', 'ID,Name,Path,Modified Time'],
    ['user-data list 1', 'ID,Name,Ephemeral,Data Preview'],
    ['user-data list-missing 1', 'ID,Name,Ephemeral,Data Preview'],
    ['events list 1', 'Timestamp,Level,Event Type,Data'],
    [
      'compute-nodes list 1',
      'ID,Hostname,Scheduler,Scheduler Job ID,Labels,PID,CPUs,Memory (GB),GPUs,Active,Start Time,Duration,CPU peak/avg,Mem peak/avg',
    ],
    ['scheduled-compute-nodes list 1', 'ID,Scheduler ID,Config ID,Type,Status'],
    ['resource-requirements list 1', 'ID,Name,CPUs,GPUs,Nodes,Memory,Runtime'],
    ['failure-handlers list 1', 'ID,Name,Rules'],
    ['job-dependencies job-job 1', 'Job ID,Job Name,Blocked By Job ID,Blocked By Job Name'],
    [
      'job-dependencies job-file 1',
      'File ID,File Name,Producer Job ID,Producer Job Name,Consumer Job ID,Consumer Job Name',
    ],
    [
      'job-dependencies job-user-data 1',
      'User Data ID,User Data Name,Producer Job ID,Producer Job Name,Consumer Job ID,Consumer Job Name',
    ],
    ['ro-crate list 1', 'ID,Entity ID,Type,File ID'],
    ['access-groups list', 'ID,Name,Description,Created'],
    ['access-groups list-user-groups ann', 'ID,Name,Description,Created'],
    ['access-groups list-workflow-groups 1', 'ID,Name,Description,Created'],
  ])('a table has its columns, in CSV too: torc %s', async (words, header) => {
    expect((await csv(...words.split(' ')))[0]).toBe(header);
  });

  it('a table of members has whom, as what, since when', async () => {
    const group = await createGroup('of members');
    expect((await csv('access-groups', 'list-members', group))[0]).toBe('User,Role,Added');
  });

  it.each([
    ['files list', 'No files found for workflow ID: N'],
    ['files list-required-existing', 'No required existing files found for workflow ID: N'],
    ['user-data list', 'No user data found for workflow ID: N'],
    ['user-data list-missing', 'No missing user data found for workflow ID: N'],
    ['events list', 'No events found for workflow ID: N'],
    ['events get-latest-event', 'No events found for workflow ID: N'],
    ['compute-nodes list', 'No compute nodes found for workflow ID: N'],
    ['scheduled-compute-nodes list', 'No scheduled compute nodes found for workflow ID: N'],
    ['failure-handlers list', 'No failure handlers found for workflow ID: N'],
    ['job-dependencies job-job', 'No job dependencies found for workflow ID: N'],
    ['ro-crate list', 'No RO-Crate entities found for workflow ID: N'],
    ['access-groups list-workflow-groups', 'No access groups found for workflow ID: N'],
  ])('a table says in words that there is nothing, where there is nothing: torc %s', async (words, text) => {
    const nothing = await created('workflows', 'new', '--name', 'nothing');
    expect((await call(...words.split(' '), nothing)).stdout).toBe(`${text.replace(/N$/, nothing)}\n`);
  });

  it('a table ends with how many there are', async () => {
    expect((await call('files', 'list', '1')).stdout).toMatch(/^Files for workflow 1:\n╭[^]*╯\n\nTotal: 2 files\n$/);
    expect((await call('user-data', 'list', '1')).stdout).toMatch(/Total: 1 user data records\n$/);
  });
});

describe('what is one record', () => {
  /** Everything that the words below would change. */
  async function everything() {
    const lists = ['files', 'user-data', 'events', 'resource-requirements', 'results', 'ro-crate'];
    const rows = [];
    for (const group of lists) rows.push(await items(group, 'list', '1'));
    return [...rows, await items('access-groups', 'list'), await items('workflows', 'list')];
  }

  it('what is one record is refused as CSV, before anything is changed', async () => {
    await createGroup('kept');
    const before = await everything();
    for (const words of [
      'files create 1 -n f -p f',
      'files get 1',
      'files update 1 -n other',
      'files delete 1',
      'user-data create 1 -n u',
      'user-data get 1',
      'user-data delete 1',
      'user-data delete-all 1 --no-prompts',
      'events create 1 -d 1',
      'events get-latest-event 1',
      'events delete 1',
      'compute-nodes get 1',
      'resource-requirements create 1 -n r',
      'resource-requirements get 1',
      'resource-requirements update 1 -n r',
      'resource-requirements delete 1',
      'failure-handlers get 1',
      'results delete 1',
      'access-groups create csv',
      'access-groups delete 1',
      'access-groups add-workflow 1 1',
      'ro-crate create 1 --entity-id e --entity-type File --metadata {}',
      'delete 1 --no-prompts',
    ]) {
      const { code, stdout, stderr } = await call('-f', 'csv', ...words.split(' '));
      expect([words, code, stdout]).toEqual([words, 1, '']);
      expect(stderr).toContain('csv format is only supported for list commands');
    }
    expect(await everything()).toEqual(before);
  });

  it.each(['files', 'resource-requirements', 'failure-handlers'])(
    'is as JSON what its list shows: torc %s get',
    async (group) => {
      const [row] = await items(group, 'list', '1');
      expect(await json(group, 'get', String(row?.['id']))).toEqual(row);
    },
  );

  it('what is one record is told field by field otherwise', async () => {
    expect((await call('files', 'get', '2')).stdout).toMatch(
      /^File 2:\n {2}id: 2\n {2}workflow_id: 1\n {2}name: given\n {2}path: given\.txt\n {2}st_mtime: [\d.]+\n$/,
    );
  });
});

describe('a file record', () => {
  it('a file record is created, renamed and deleted; what is deleted is said once more', async () => {
    const id = await createFile('f');
    const file = { id: Number(id), workflow_id: Number(empty), name: 'f', path: 'f.txt' };
    expect(await items('files', 'list', empty)).toContainEqual(file);
    expect(await json('files', 'update', id, '-n', 'g')).toEqual({ ...file, name: 'g' });
    expect(await json('files', 'delete', id)).toEqual({ ...file, name: 'g' });
    expect((await call('files', 'get', id)).code).toBe(1);
    expect((await call('files', 'create', empty, '-n', 'f', '-p', 'f.txt')).stdout).toMatch(/^Created file \d+\n$/);
  });

  it('a file record keeps its time under a new name, but not at a new path', async () => {
    const id = await createFile('timed');
    await server.client.updateFile({ params: { id: Number(id) }, body: { st_mtime: 7.5 } });
    expect(await json('files', 'update', id, '-n', 'other', '-p', 'timed.txt')).toMatchObject({ st_mtime: 7.5 });
    expect(await json('files', 'update', id, '-p', 'elsewhere.txt')).not.toHaveProperty('st_mtime');
  });

  it('a file record must exist when no job makes it, and when its job has made it', async () => {
    const workflow_id = Number(await created('workflows', 'new', '--name', 'reads'));
    const { client } = server;
    const file = await client.createFile({ body: { workflow_id, name: 'in', path: 'in.txt' } });
    await client.createFile({ body: { workflow_id, name: 'unused', path: 'unused.txt' } });
    const body = { workflow_id, name: 'reader', command: 'true', input_file_ids: [file.id as number] };
    await client.createJob({ body });
    const required = ['files', 'list-required-existing'];
    expect(await json(...required, String(workflow_id))).toEqual({ files: [file.id] });
    expect((await csv(...required, String(workflow_id))).slice(1)).toEqual([`${file.id},in,in.txt,`]);
    expect(await json(...required, '1')).toEqual({ files: [1, 2] });
    expect(await json(...required, empty)).toEqual({ files: [] });
  });

  it('a file record is listed by the job that makes it', async () => {
    const of = (job: string) => items('files', 'list', '1', '--produced-by-job-id', String(jobs[job]));
    expect(await of('first')).toEqual([expect.objectContaining({ name: 'made' })]);
    expect(await of('second')).toEqual([]);
  });
});

describe('user data', () => {
  it('user data is created with its value, for a job that reads it and one that writes it', async () => {
    const bare = await json('user-data', 'create', empty, '-n', 'bare');
    expect(bare).toEqual({ id: bare['id'], workflow_id: Number(empty), name: 'bare', is_ephemeral: false });
    const [reader, writer] = [await createJob(empty, 'reader'), await createJob(empty, 'writer')];
    const links = ['--consumer-job-id', reader, '--producer-job-id', writer];
    const full = await json('user-data', 'create', empty, '-n', 'x', '-d', '{"y":[1]}', '--ephemeral', ...links);
    expect(full).toMatchObject({ name: 'x', data: { y: [1] }, is_ephemeral: true });
    const found = (...flags: string[]) => items('user-data', 'list', empty, ...flags);
    expect(await found('--consumer-job-id', reader)).toEqual([full]);
    expect(await found('--producer-job-id', writer)).toEqual([full]);
    expect(await found('--producer-job-id', reader)).toEqual([]);
    expect(await found('--is-ephemeral', 'false')).toEqual([bare]);
    expect(await items('job-dependencies', 'job-user-data', empty)).toEqual([
      {
        user_data_id: full['id'],
        user_data_name: 'x',
        workflow_id: Number(empty),
        producer_job_id: Number(writer),
        producer_job_name: 'writer',
        consumer_job_id: Number(reader),
        consumer_job_name: 'reader',
      },
    ]);
  });

  it('user data has no value where null is given, neither when it is created nor later', async () => {
    const record = await json('user-data', 'create', empty, '-n', 'gone', '-d', 'null');
    expect(record).not.toHaveProperty('data');
    const id = String(record['id']);
    expect(await json('user-data', 'update', id, '-d', '""')).toMatchObject({ data: '' });
    const changed = await json('user-data', 'update', id, '-d', 'null', '-n', 'still');
    expect(changed).toEqual({ id: record['id'], workflow_id: Number(empty), name: 'still', is_ephemeral: false });
  });

  it('user data is listed fifty at a time, files all at once', async () => {
    const workflow_id = Number(await created('workflows', 'new', '--name', 'many'));
    const many = Array.from({ length: 60 }, (_, index) => ({ workflow_id, name: `n${index}`, path: `p${index}` }));
    await server.client.createUserDataList({ body: { user_data: many } });
    await server.client.createFiles({ body: { files: many } });
    const names = async (...words: string[]) => (await items(...words, String(workflow_id))).map(({ name }) => name);
    expect(await names('user-data', 'list')).toHaveLength(50);
    expect(await names('user-data', 'list', '-l', '55', '-o', '10')).toEqual(many.slice(10).map(({ name }) => name));
    expect(await names('files', 'list')).toHaveLength(60);
  });

  it('user data that has no value and that nobody writes is missing', async () => {
    const workflow = await created('workflows', 'new', '--name', 'missing');
    const reader = ['--consumer-job-id', await createJob(workflow, 'reader')];
    const id = await created('user-data', 'create', workflow, '-n', 'gap', ...reader);
    await created('user-data', 'create', workflow, '-n', 'there', '-d', '1', ...reader);
    expect(await json('user-data', 'list-missing', workflow)).toEqual({ user_data: [Number(id)] });
    expect((await csv('user-data', 'list-missing', workflow)).slice(1)).toEqual([`${id},gap,false,`]);
    await json('user-data', 'update', id, '-d', '2');
    expect(await json('user-data', 'list-missing', workflow)).toEqual({ user_data: [] });
  });

  it('user data is deleted one by one, or all of a workflow', async () => {
    const workflow = await created('workflows', 'new', '--name', 'to clear');
    const one = await created('user-data', 'create', workflow, '-n', 'a');
    for (const name of ['b', 'c']) await created('user-data', 'create', workflow, '-n', name);
    expect(await json('user-data', 'delete', one)).toMatchObject({ name: 'a' });
    expect(await json('user-data', 'delete-all', workflow)).toEqual({
      deleted_count: 2,
      message: `Deleted 2 user data records for workflow ${workflow}`,
    });
    expect(await items('user-data', 'list', workflow)).toEqual([]);
  });

  it.each([
    ['nothing is answered', '', 1],
    ['the answer is no', 'n\n', 1],
    ['the answer is yes', 'y\n', 0],
  ])('user data is all deleted only for a yes: %s', async (_, input, left) => {
    const workflow = await created('workflows', 'new', '--name', 'asked');
    await created('user-data', 'create', workflow, '-n', 'a');
    const environment = { TORC_API_URL: server.url };
    const { code, stdout, stderr } = await torc(['user-data', 'delete-all', workflow], {
      cwd: folder,
      environment,
      input,
    });
    expect([code, stdout === '']).toEqual([0, left === 1]);
    expect(stderr).toContain('[y/N] ');
    expect(stderr.includes('Use --no-prompts to continue without asking')).toBe(left === 1);
    expect(await items('user-data', 'list', workflow)).toHaveLength(left);
  });

  it('user data is all deleted without a question where none is wanted', async () => {
    const workflow = await created('workflows', 'new', '--name', 'not asked');
    await created('user-data', 'create', workflow, '-n', 'a');
    const { stdout, stderr } = await program('user-data', 'delete-all', workflow, '--no-prompts');
    expect(stdout).toBe(`Deleted 1 user data records for workflow ${workflow}\n`);
    expect(stderr).not.toContain('[y/N]');
    expect(await items('user-data', 'list', workflow)).toEqual([]);
  });
});

describe('an event', () => {
  it('an event is written down with the time of the server, and found by its category', async () => {
    const data = { category: 'mine', level: 'warning', n: 1 };
    const id = await created('events', 'create', empty, '-d', JSON.stringify(data));
    await json('events', 'create', empty, '-d', '"a mere text"');
    const found = (...flags: string[]) => items('events', 'list', empty, ...flags);
    expect(await found('-t', 'mine')).toEqual([
      {
        id: Number(id),
        workflow_id: Number(empty),
        timestamp: expect.any(Number),
        timestamp_formatted: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}$/),
        data,
      },
    ]);
    expect(await found('--category', 'mine')).toEqual(await found('--type', 'mine'));
    expect(await found('--type', 'other')).toEqual([]);
    const [, first, second] = await csv('events', 'list', empty);
    expect(first).toContain(',warning,mine,"{""category"":""mine""');
    expect(second).toContain(',info,,');
  });

  it('an event has null for its data where null was given, and not an empty text', async () => {
    const workflow = await created('workflows', 'new', '--name', 'null');
    for (const data of ['null', '""']) await json('events', 'create', workflow, '--data', data);
    const { items: kept } = await server.client.listEvents({ query: { workflow_id: Number(workflow) } });
    expect(kept.map(({ data }) => data)).toEqual([null, '']);
  });

  it('an event is the latest until another comes; without any there is none', async () => {
    const workflow = await created('workflows', 'new', '--name', 'silent');
    expect((await call('-f', 'json', 'events', 'get-latest-event', workflow)).stdout).toBe('null\n');
    for (const data of ['1', '2']) await json('events', 'create', workflow, '--data', data);
    const [older, newer] = await items('events', 'list', workflow);
    expect(await json('events', 'get-latest-event', workflow)).toEqual(newer);
    expect(await json('events', 'delete', String(newer?.['id']))).toMatchObject({ data: 2 });
    expect(await json('events', 'get-latest-event', workflow)).toEqual(older);
  });

  it('an event has its place in a list that is ordered and cut with single letters', async () => {
    const workflow = await created('workflows', 'new', '--name', 'ordered');
    for (const data of ['1', '2', '3']) await json('events', 'create', workflow, '-d', data);
    const found = async (...flags: string[]) =>
      (await items('events', 'list', workflow, ...flags)).map(({ data }) => data);
    expect(await found()).toEqual([1, 2, 3]);
    expect(await found('-s', 'data', '-r', '-l', '1', '-o', '1')).toEqual([2]);
  });
});

it('events of the stream are written to a file as well, where one is named', async () => {
  const file = join(folder, 'heard.txt');
  writeFileSync(file, 'before\n');
  const words = ['events', 'monitor', '1', '--last-event-id', '0.0', '--limit', '2'];
  const { code, stdout } = await program(...words, '--filename', file);
  expect([code, stdout.split('\n')]).toEqual([0, [expect.any(String), expect.any(String), '']]);
  expect(readFileSync(file, 'utf8')).toBe(`before\n${stdout}`);
  const refused = await program(...words, '--filename', join(folder, 'no such folder', 'file'));
  expect([refused.code, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toContain('Error: cannot write to ');
});

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

  it('resource requirements are refused when nobody can read them, and stay while a job has them', async () => {
    const odd = await call('resource-requirements', 'create', empty, '-n', 'odd', '-m', '1gb');
    expect([odd.code, odd.stdout]).toEqual([1, '']);
    expect(odd.stderr).toContain('422');
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
  it('a dependency is told with the names of both ends', async () => {
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
          job_stdout: `${stem}.o`,
          job_stderr: `${stem}.e`,
          job_runner_log: expect.stringMatching(/^torc_output\/job_runner_.+_wf1_r1\.log$/),
        },
      ],
    });
    expect((await program('-f', 'csv', ...words)).stdout).toBe(stdout);
  });

  it('results whose logs are not there are told with a warning; without the folder they are refused', async () => {
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
    expect((await call('access-groups', 'remove-user', id, 'ann')).stderr).toContain('404 Not Found');
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
  /** One that nobody carries out, as the database has it. */
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
  it('a workflow that is to be lost is kept when nobody can be asked, which is no failure', async () => {
    const id = await created('workflows', 'new', '--name', 'kept');
    expect(await program('delete', id)).toMatchObject({ code: 0, stdout: '' });
    expect(await json('workflows', 'get', id)).toMatchObject({ name: 'kept' });
    const deleted = { code: 0, stdout: `Deleted workflow ${id} (kept)\n` };
    expect(await program('delete', id, '--no-prompts')).toMatchObject(deleted);
    expect((await program('delete', id, '--force')).code).toBe(1);
  });

  it('a workflow that is to be lost is not canceled then either', async () => {
    const id = await created('workflows', 'new', '--name', 'goes on');
    const { code, stdout, stderr } = await program('cancel', id);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain('Not canceled. Use --no-prompts to continue without asking.');
    expect(await json('workflows', 'get', id)).toMatchObject({ is_canceled: false });
    expect((await program('cancel', id, '--no-prompts')).stdout).toBe(`Canceled workflow ${id} (goes on)\n`);
    expect(await json('workflows', 'get', id)).toMatchObject({ is_canceled: true });
  });
});
