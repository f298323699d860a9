import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { jobStatuses } from '../../src/core/contract/job.ts';
import { type RunningServer, startServer, temporaryFolder, torc } from '../support/programs.ts';
import { said, wordsTo } from '../support/words.ts';

/** Two jobs that pass a file on, and one that fails; its name would break careless CSV. */
const flow = `
name: small
description: 'two, and one that fails'
jobs:
  - {name: first, command: "echo made > \${files.output.made}"}
  - {name: second, command: "cat \${files.input.made} # \${user_data.input.seen}"}
  - {name: 'bad, "very"', command: exit 3, priority: 5}
files: [{name: made, path: made.txt}]
user_data: [{name: seen, data: {x: [1, two]}}]
`;

let folder: string;
let file: string;
let server: RunningServer;
/** What `torc -f json run` printed. */
let runSaid: string;
/** Ids of the jobs by name. */
let jobs: Record<string, number>;

beforeAll(async () => {
  folder = temporaryFolder();
  server = await startServer(folder);
  file = join(folder, 'flow.yaml');
  writeFileSync(file, flow);
  runSaid = (await program('-f', 'json', 'run', file)).stdout;
  const { items } = await server.client.listJobs({ query: { workflow_id: 1 } });
  jobs = Object.fromEntries(items.map(({ name, id }) => [name, id]));
});

/** The program itself, for what only a process can show. */
const program = (...args: string[]) => torc(args, { cwd: folder, environment: { TORC_API_URL: server.url } });
const { call, json, items, csv } = wordsTo(() => server.url);

const named = (rows: readonly Record<string, unknown>[], name: string) => rows.find((row) => row['name'] === name);

describe('a list as JSON is an envelope of items', () => {
  it('a list as JSON is an envelope of items of jobs, with ids of what they depend on only where they are asked for and not empty', async () => {
    const plain = await items('jobs', 'list', '1');
    expect(plain).toHaveLength(3);
    expect(named(plain, 'second')).toEqual({
      id: jobs['second'],
      workflow_id: 1,
      name: 'second',
      command: 'cat made.txt # {"x":[1,"two"]}',
      invocation_script: '',
      status: 'completed',
      cancel_on_blocking_job_failure: true,
      resource_requirements_id: 1,
      failure_handler_id: 0,
      scheduler_id: 0,
      supports_termination: false,
      attempt_id: 1,
      priority: 0,
    });
    const related = await items('jobs', 'list', '1', '--include-relationships');
    expect(named(related, 'second')).toEqual({
      ...named(plain, 'second'),
      depends_on_job_ids: [jobs['first']],
      input_file_ids: [1],
      input_user_data_ids: [1],
    });
    expect(named(related, 'bad, "very"')).toEqual(named(plain, 'bad, "very"'));
  });

  it('a list as JSON is an envelope of items of results, each with the name of its job', async () => {
    const results = await items('results', 'list', '1');
    expect(results.map(({ job_name: name, return_code: code, status }) => [name, code, status])).toEqual(
      expect.arrayContaining([
        ['bad, "very"', 3, 'failed'],
        ['first', 0, 'completed'],
        ['second', 0, 'completed'],
      ]),
    );
    expect(results).toHaveLength(3);
    expect(results[0]).toMatchObject({
      id: expect.any(Number),
      job_id: expect.any(Number),
      workflow_id: 1,
      run_id: 1,
      attempt_id: 1,
      compute_node_id: 1,
      exec_time_minutes: expect.any(Number),
      completion_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    expect(await items('results', 'list', '1', '--failed')).toEqual(
      results.filter(({ return_code: code }) => code !== 0),
    );
    expect(await items('results', 'list', '1', '--failed', '-l', '1')).toHaveLength(1);
    expect(await items('results', 'list', '1', '--failed', '--offset', '1')).toEqual([]);
  });

  it('a list as JSON is an envelope of items of files', async () => {
    expect(await items('files', 'list', '1')).toEqual([
      {
        id: 1,
        workflow_id: 1,
        name: 'made',
        path: 'made.txt',
        st_mtime: expect.any(Number),
        size_bytes: 5,
        made_by: { jobs: 1, first: [{ job_id: 1, job_name: 'first' }] },
        read_by: { jobs: 1, first: [{ job_id: 2, job_name: 'second' }] },
      },
    ]);
  });

  it('a list as JSON is an envelope of items of user data, whose value stays JSON', async () => {
    expect(await items('user-data', 'list', '1')).toEqual([
      { id: 1, workflow_id: 1, name: 'seen', data: { x: [1, 'two'] }, is_ephemeral: false },
    ]);
  });

  it('a list as JSON is an envelope of items of workflows: those of the person who asks, others only when they are asked for', async () => {
    await server.client.createWorkflow({ body: { name: 'not mine', user: 'eve' } });
    const names = (rows: readonly Record<string, unknown>[]) => rows.map(({ name, user }) => [name, user]);
    expect(names(await items('workflows', 'list'))).toEqual([['small', 'tester']]);
    expect(names(await items('workflows', 'list', '--all-users'))).toContainEqual(['not mine', 'eve']);
  });

  it('a list as JSON is an envelope of items of events, each with its time as people read it', async () => {
    const [event] = await items('events', 'list', '1');
    expect(event).toMatchObject({
      id: 1,
      workflow_id: 1,
      timestamp: expect.any(Number),
      timestamp_formatted: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}$/),
      data: { category: 'user_action' },
    });
    expect(await items('events', 'list', '1', '--type', 'no such thing')).toEqual([]);
  });

  it('a list as JSON is an envelope of items that may be cut to a part', async () => {
    const ids = async (...args: string[]) => (await items('jobs', 'list', '1', ...args)).map(({ id }) => id);
    const all = await ids();
    expect(await ids('--limit', '2')).toEqual(all.slice(0, 2));
    expect(await ids('--offset', '1')).toEqual(all.slice(1));
    expect(await ids('--limit', '0')).toEqual([]);
  });
});

describe('a record or a report as JSON is the bare object', () => {
  it('a record or a report as JSON is the bare object of a job, with ids of what it depends on', async () => {
    const job = await json('jobs', 'get', String(jobs['second']));
    expect(job).toMatchObject({ id: jobs['second'], name: 'second', depends_on_job_ids: [jobs['first']] });
    expect(Object.values(job)).not.toContain(null);
  });

  it('a record or a report as JSON is the bare object of a result, a workflow and user data, as their lists show them', async () => {
    const [result] = await items('results', 'list', '1');
    expect(await json('results', 'get', String(result?.['id']))).toEqual(result);
    expect(await json('workflows', 'get', '1')).toEqual(named(await items('workflows', 'list'), 'small'));
    expect(await json('user-data', 'get', '1')).toEqual(named(await items('user-data', 'list', '1'), 'seen'));
  });

  it('a record or a report as JSON is the bare object of how a workflow stands: every status is counted', async () => {
    const found = await json('status', '1');
    expect(found).toEqual({
      workflow_id: 1,
      workflow_name: 'small',
      workflow_user: 'tester',
      total_jobs: 3,
      jobs_by_status: { ...Object.fromEntries(jobStatuses.map((name) => [name, 0])), completed: 2, failed: 1 },
      jobs_by_outcome: { completed: 2, failed: 1, stopped: 0, running: 0, not_run: 0 },
      total_exec_time_minutes: expect.any(Number),
      total_exec_time_formatted: expect.stringMatching(/\d+m?s$/),
      walltime_seconds: expect.any(Number),
      walltime_formatted: expect.stringMatching(/\d+m?s$/),
      active_compute_nodes: 0,
      pending_scheduled_nodes: 0,
      active_scheduled_nodes: 0,
      is_complete: true,
      is_canceled: false,
      runtime_blocked_ready_jobs: 0,
      unserved_ready_labels: {},
      unclaimable_ready_jobs: 0,
      unclaimable_reasons: [],
      interrupted_actions: [],
      live_runners: 0,
      retries: 0,
      state: 'failed',
      lost_compute_nodes: [],
      run_id: 1,
    });
    expect(await json('workflows', 'status', '1')).toEqual(found);
    expect(Object.keys(found['jobs_by_status'] as object)).toHaveLength(11);
  });

  it('a record or a report as JSON is the bare object of a server that is there, and of one that is not', async () => {
    expect(await json('ping')).toEqual({ status: 'Server is running' });
    const { code, stdout } = await call('-f', 'json', '--url', 'http://127.0.0.1:1/torc-service/v1', 'ping');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({ status: 'error', message: expect.stringContaining('127.0.0.1:1') });
  });

  it('a record or a report as JSON is the bare object of what was created, canceled and deleted; what is deleted comes as a bare list', async () => {
    const { workflow_id: id, ...said } = await json('create', file);
    expect(said).toEqual({ status: 'success', message: `Workflow created successfully with ID: ${String(id)}` });
    expect(await json('cancel', String(id))).toEqual({
      workflow_id: id,
      status: 'success',
      canceled_slurm_jobs: [],
      errors: [],
    });
    expect(await json('workflows', 'get', String(id))).toMatchObject({ id, is_canceled: true });
    expect(await json('delete', String(id))).toEqual([expect.objectContaining({ id, name: 'small' })]);
    expect((await call('delete', String(id))).code).toBe(1);
  });

  it('a record or a report as JSON is the bare object on one line, of a run that began', () => {
    expect(runSaid).toBe('{"message":"Created workflow 1","workflow_id":1}\n');
  });
});

describe('a list as CSV', () => {
  it.each([
    [['workflows', 'list'], 'ID,Name,Run,Canceled,Archived,Description,Project,Metadata,Timestamp'],
    [['jobs', 'list', '1'], 'ID,Name,Status,Priority,Compute Node,Elapsed,Command'],
    [
      ['results', 'list', '1'],
      'ID,Job ID,Job Name,WF ID,Run ID,Attempt,Return Code,Exec Time,Peak Mem,Peak CPU %,Completion Time,Status',
    ],
    [['files', 'list', '1'], 'ID,Name,Path,Modified Time,Size (B),Made By,Read By'],
    [['user-data', 'list', '1'], 'ID,Name,Ephemeral,Data Preview'],
    [['events', 'list', '1'], 'Timestamp,Level,Event Type,Data'],
  ])('a list as CSV has the columns of the table: torc %j', async (words, header) => {
    expect((await csv(...words))[0]).toBe(header);
  });

  it('a list as CSV quotes what would break it, and leaves the rest alone', async () => {
    expect(await csv('jobs', 'list', '1', '--exclude', 'command')).toContain(
      `${jobs['bad, "very"']},"bad, ""very""",failed,5,,`,
    );
    expect(await csv('jobs', 'list', '1', '--exclude', 'command')).toContain(`${jobs['first']},first,completed,0,,`);
  });

  it('a list as CSV has its header also when there is nothing in it; a table says so in words', async () => {
    const none = ['jobs', 'list', '1', '--status', 'running'];
    expect(await csv(...none)).toEqual(['ID,Name,Status,Priority,Compute Node,Elapsed,Command']);
    expect((await call(...none)).stdout).toBe('No jobs found for workflow ID: 1\n');
  });

  it('a list as CSV is all that there is: what is one record is refused', async () => {
    const { code, stdout, stderr } = await call('-f', 'csv', 'jobs', 'get', '1');
    expect([code, stdout, stderr]).toEqual([
      1,
      '',
      "Error: csv format is only supported for list commands; 'job' returns a single record. Use -f json or -f table.\n",
    ]);
    expect((await call('-f', 'csv', 'status', '1')).code).toBe(1);
  });

  it('a list as CSV is refused before anything is changed', async () => {
    const before = await items('workflows', 'list', '--all-users');
    const { code, stdout } = await call('-f', 'csv', 'create', file);
    expect([code, stdout]).toEqual([1, '']);
    expect((await call('-f', 'csv', 'cancel', '1')).code).toBe(1);
    expect(await items('workflows', 'list', '--all-users')).toEqual(before);
  });

  it('a list as CSV of one workflow is its text', async () => {
    expect((await call('-f', 'csv', 'workflows', 'get', '1')).stdout).toMatch(/^Workflow 1:\n/);
  });
});

describe('words that mean no command', () => {
  it.each([
    [['nonsense'], "unknown command 'nonsense'"],
    [['jobs', 'nonsense'], "unknown command 'nonsense'"],
    [['nonsense', '--help'], "unknown command 'nonsense'"],
    [['nonsense', 'jobs', '-h'], "unknown command 'nonsense'"],
    [['jobs', 'nonsense', '--help'], "unknown command 'nonsense'"],
    [['jobs', 'nonsense', '-h', '--limit', '1'], "unknown command 'nonsense'"],
    [['jobs', 'list', '1', '--nonsense'], "unknown option '--nonsense'"],
    [['jobs', 'get'], "missing required argument 'job'"],
    [['jobs', 'list', '1', '--limit', 'many'], '--limit: expected a whole number, found "many"'],
    [['jobs', 'get', '0'], 'not a job id: "0"; expected a whole number'],
    [['status', '0'], 'not a workflow id: "0"; expected a whole number'],
    [['exec'], 'no commands provided'],
    [['self', 'update', '--yes'], "unknown option '--yes'"],
  ])('arguments that have no meaning are a usage error: torc %j', async (words, why) => {
    const { code, stdout, stderr } = await call('-f', 'json', ...words);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(why);
  });

  it.each([[['--help']], [['jobs', '--help']], [['jobs', 'list', '--help']], [['--url', 'nonsense', 'jobs', '-h']]])(
    'are not those that ask for help: torc %j',
    async (words) => {
      const { code, stdout, stderr } = await call(...words);
      expect([code, stdout, stderr]).toEqual([0, expect.stringContaining('Usage: torc'), '']);
    },
  );

  it('end the program with 2', async () => {
    const { code, stdout, stderr } = await program('jobs', 'list', '1', '--nonsense');
    expect([code, stdout, stderr]).toEqual([2, '', "error: unknown option '--nonsense'\n"]);
  });
});

describe('the order of a list', () => {
  it('the order of a list by a field that it does not have is refused with those that it has, before a server is asked', async () => {
    const { code, stdout, stderr } = await program(
      '--url',
      'http://127.0.0.1:1',
      'files',
      'list',
      '1',
      '--sort-by',
      'x',
    );
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain("'x' is invalid. Allowed choices are id, name, path, st_mtime, workflow_id.");
  });

  it('the order of a list by the priority of its jobs is that of their numbers', async () => {
    const priorities = async (...words: string[]) =>
      (await items('jobs', 'list', '1', '--sort-by', 'priority', ...words)).map(({ priority }) => Number(priority));
    const rising = await priorities();
    expect(rising).toEqual(rising.toSorted((one, other) => one - other));
    expect(await priorities('--reverse-sort')).toEqual(rising.toReversed());
  });
});

describe('a request that is refused', () => {
  it.each([
    [['jobs', 'list', '99'], 'Error: workflow 99 was not found (404)\n'],
    [['-f', 'xml', 'ping'], "Error: format must be one of 'table', 'json', or 'csv'"],
    [['--url', 'nowhere', 'ping'], 'not a URL: "nowhere"'],
    [['--url', 'http://127.0.0.1:1/torc-service/v1', 'jobs', 'list', '1'], 'Is the server running'],
    [['create', 'not-there.yaml'], 'not-there.yaml: there is no such file'],
  ])('a request that is refused says why beside the result, which stays empty: torc %j', async (words, why) => {
    const { code, stdout, stderr } = await call('-f', 'json', ...words);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(why);
  });

  it('a request that is refused ends the program with 1', async () => {
    const { code, stdout, stderr } = await program('jobs', 'list');
    expect([code, stdout, stderr]).toEqual([1, '', 'Error: a workflow ID is required when stdin is not a terminal\n']);
  });

  it("a request that is refused keeps other people's workflows from being deleted", async () => {
    const { id } = await server.client.createWorkflow({ body: { name: 'theirs', user: 'eve' } });
    const { code, stderr } = await call('delete', '--no-prompts', String(id));
    expect(code).toBe(1);
    expect(stderr).toContain("Cannot delete workflow owned by user 'eve' (you are 'tester')");
    expect(await server.client.getWorkflow({ params: { id: id } })).toMatchObject({ name: 'theirs' });
  });
});

describe('an option of every command', () => {
  it('an option of every command is understood before the words and behind them', async () => {
    const before = await call('-f', 'json', 'ping');
    expect(await call('ping', '-f', 'json')).toEqual(before);
    expect(await call('ping', '--format=json')).toEqual(before);
    expect(JSON.parse(before.stdout)).toEqual({ status: 'Server is running' });
  });

  it('an option of every command behind the words wins over one before them, and both over the environment', async () => {
    const nowhere = 'http://127.0.0.1:1/torc-service/v1';
    const there = { code: 0, stdout: `Server is running (${server.url})\n`, stderr: '' };
    expect(await call('--url', nowhere, 'ping', '--url', server.url)).toEqual(there);
    expect(await said(['--url', server.url, 'ping'], { TORC_API_URL: nowhere })).toEqual(there);
    expect((await said(['ping'], { TORC_API_URL: nowhere })).code).toBe(1);
  });

  it('an option of every command means what the command says where the command has the same letter', async () => {
    const failed = await items('results', 'list', '1', '-s', 'failed');
    expect(failed.map(({ status }) => status)).toEqual(['failed']);
  });
});
