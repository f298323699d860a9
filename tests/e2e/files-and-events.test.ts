import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
  createJob,
} from '../support/flows/small.ts';
import { torc } from '../support/programs.ts';

describe('a file record', () => {
  it('a file record is created, renamed and deleted; what is deleted is said once more', async () => {
    const id = await createFile('f');
    const file = { id: Number(id), workflow_id: Number(empty), name: 'f', path: 'f.txt' };
    expect(await items('files', 'list', empty)).toContainEqual(expect.objectContaining(file));
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
    const body = { workflow_id, name: 'reader', command: 'true', input_file_ids: [file.id] };
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
  it('a file has its size and the jobs that write and read it, and a list without them keeps its shape', async () => {
    writeFileSync(
      join(folder, 'uses.yaml'),
      [
        'name: uses',
        'jobs:',
        "  - { name: make, command: 'echo 12345 > ${output.0}', outputs: [made] }",
        "  - { name: 'read_{i}', command: 'cat ${input.0}', inputs: [made], parameters: { i: '1:5' } }",
      ].join('\n'),
    );
    await program('run', 'uses.yaml');
    const [file] = await items('files', 'list', 'uses');
    const id = Number(file?.['workflow_id']);
    const of = async (name: string) =>
      (await server.client.listJobs({ query: { workflow_id: id, name } })).items[0]?.id;
    expect(file).toMatchObject({
      size_bytes: 6,
      made_by: { jobs: 1, first: [{ job_id: await of('make'), job_name: 'make' }] },
      read_by: { jobs: 5, first: [{ job_name: 'read_1' }, { job_name: 'read_2' }, { job_name: 'read_3' }] },
    });
    const table = (await program('files', 'list', 'uses')).stdout;
    expect(table).toMatch(/ 6 B │ make +│ read_1, read_2, read_3 and 2 more │/);
    const [plain] = (await server.client.listFiles({ query: { workflow_id: id } })).items;
    expect(Object.keys(plain ?? {}).toSorted()).toEqual(['id', 'name', 'path', 'st_mtime', 'workflow_id']);
  });

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

  it('user data that has no value and that no job writes is missing', async () => {
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
  expect([code, stdout.split('\n')]).toEqual([
    0,
    [expect.stringMatching(/^\S+ \S+ \S+ INFO .*\.$/), expect.any(String), ''],
  ]);
  expect(readFileSync(file, 'utf8')).toBe(`before\n${stdout}`);
  const refused = await program(...words, '--filename', join(folder, 'no such folder', 'file'));
  expect([refused.code, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toContain('Error: cannot write to ');
});
