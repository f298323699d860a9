import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, server, id, jobs, call, json, refusedJson, finish, workflow } from '../support/flows/chain.ts';
import { torc } from '../support/programs.ts';

describe('a record that is not there', () => {
  it.each([
    ['workflows', 'get', 999],
    ['workflows', 'update', 999, '-n', 'x'],
    ['workflows', 'is-complete', 999],
    ['workflows', 'list-actions', 999],
    ['workflows', 'update-action', 999, 1, '--num-allocations', 2],
    ['workflows', 'delete-action', 999, 1],
    ['workflows', 'init', 999],
    ['workflows', 'init', 999, '--dry-run'],
    ['workflows', 'reinit', 999],
    ['workflows', 'reset-status', 999],
    ['workflows', 'check-resources', 999],
    ['workflows', 'correct-resources', 999],
    ['workflows', 'diagnose', 999],
    ['workflows', 'export', 999],
    ['jobs', 'get', 999_999],
    ['jobs', 'running', 999],
    ['jobs', 'create', 999, '-n', 'x', '-c', 'true'],
    ['jobs', 'update', 999_999, '--priority', 1],
    ['jobs', 'delete-all', 999],
    ['jobs', 'reset-status', 999_999],
    ['jobs', 'reset-status', '--status', 'failed', '--workflow-id', 999],
    ['jobs', 'list-resource-requirements', 999],
    ['jobs', 'list-failure-handlers', '-j', 999_999],
  ])(
    'a record that is not there is refused in a sentence beside the result, which stays empty: torc %s %s %s',
    async (...words) => {
      const { code, stdout, stderr } = await call('-f', 'json', ...words);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^Error: (workflow|job) \d+ was not found \(404\)/);
    },
  );
});

describe('workflows update', () => {
  it('changes what is given and leaves the rest', async () => {
    const changes = ['-n', 'renamed', '--project', 'p', '--metadata', '{"a": 1}'];
    expect(await json('workflows', 'update', id, ...changes)).toMatchObject({
      id,
      name: 'renamed',
      description: 'two in a row, one alone',
      project: 'p',
      metadata: { a: 1 },
      user: 'tester',
    });
    expect(await json('workflows', 'update', id, '--owner-user', 'eve')).toMatchObject({ user: 'eve' });
  });

  it.each([
    [[], 'Error: no fields to update. Provide at least one of --name'],
    [['--metadata', '{'], '--metadata is not valid JSON'],
    [['--metadata', '[1]'], '--metadata must be a JSON object'],
  ])('workflows update refuses %j', async (words, why) => {
    const { code, stdout, stderr } = await call('workflows', 'update', id, ...words);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(why);
  });
});

describe('workflows list', () => {
  it('workflows list of an access group has those of everybody, and no others', async () => {
    const group = await server.client.createAccessGroup({ body: { name: `team-${id}` } });
    const { id: theirs } = await server.client.createWorkflow({ body: { name: 'theirs', user: 'eve' } });
    await server.client.addWorkflowToGroup({ params: { id: theirs, group_id: group.id } });
    const { items } = await json('workflows', 'list', '-g', `team-${id}`);
    expect(items).toEqual([expect.objectContaining({ id: theirs, user: 'eve' })]);
    expect((await call('workflows', 'list', '-g', 'unknown')).stdout).toBe(
      'No workflows found for access group: unknown\n',
    );
  });
});

describe('a table of workflows', () => {
  it('a table of workflows shows how each stands, without empty columns; CSV keeps the columns of Torc', async () => {
    const { stdout } = await call('workflows', 'list');
    expect(stdout).toMatch(/│ ID │ Name .*│ Owner .*│ State .*│ Run │ Age │/);
    expect(stdout).not.toMatch(/│ (?:Failed|Metadata) /);
    expect(stdout).toMatch(/\n\nTotal: (?:1 workflow|\d+ workflows)\n$/);
    const csv = (await call('-f', 'csv', 'workflows', 'list')).stdout;
    expect(csv.split('\n')[0]).toBe('ID,Name,Run,Canceled,Archived,Description,Project,Metadata,Timestamp');
  });

  it('status without an id shows the workflow that the user created last', async () => {
    const { items } = await json('workflows', 'list');
    const last = Math.max(...(items as { id: number }[]).map((each) => each.id));
    expect((await call('status')).stdout).toContain(`Workflow ID: ${last}\n`);
  });
});

describe('workflows is-complete', () => {
  it('workflows is-complete says no while jobs are left and yes when the workflow was canceled', async () => {
    expect(await json('workflows', 'is-complete', id)).toEqual({ is_canceled: false, is_complete: false });
    await server.client.cancelWorkflow({ params: { id } });
    expect(await json('workflows', 'is-complete', id)).toEqual({ is_canceled: true, is_complete: true });
  });
});

describe('workflows archive', () => {
  it('workflows archive puts workflows away and takes them out again', async () => {
    expect(await json('workflows', 'archive', 'true', id)).toEqual({
      status: 'success',
      is_archived: true,
      updated_workflows: [id],
    });
    expect(await workflow()).toMatchObject({ is_archived: true });
    expect((await call('workflows', 'archive', 'false', id)).stdout).toBe(`Unarchived workflow ${id}\n`);
    expect(await workflow()).toMatchObject({ is_archived: false });
  });

  it('workflows archive does what it can and says what it could not', async () => {
    expect(await refusedJson('workflows', 'archive', 'true', 999, id)).toEqual({
      status: 'partial_success',
      is_archived: true,
      updated_workflows: [id],
      errors: [expect.stringContaining('workflow 999 was not found (404)')],
    });
    expect(await refusedJson('workflows', 'archive', 'true', 999)).toMatchObject({
      status: 'error',
      updated_workflows: [],
    });
    expect((await call('workflows', 'archive', 'yes', id)).code).toBe(2);
  });

  it('workflows archive keeps a workflow from being initialized', async () => {
    await json('workflows', 'archive', 'true', id);
    const { code, stderr } = await call('workflows', 'init', id);
    expect([code, stderr]).toEqual([1, expect.stringContaining('archived')]);
    expect(await workflow()).toMatchObject({ run_id: 0 });
  });
});

describe('the actions of a workflow', () => {
  const actions = async () => (await json('workflows', 'list-actions', id))['actions'] as Record<string, unknown>[];
  const table = async () => (await call('-f', 'csv', 'workflows', 'list-actions', id)).stdout.trimEnd().split('\n');

  it('the actions of a workflow are listed as they are', async () => {
    expect(await actions()).toEqual([
      expect.objectContaining({ action_type: 'schedule_nodes', trigger_count: 0, executed: false }),
      expect.objectContaining({ action_type: 'run_commands', job_ids: [jobs['first'], jobs['second']] }),
    ]);
  });

  it('the actions of a workflow are listed with how near each is', async () => {
    const body = {
      workflow_id: id,
      trigger_type: 'on_worker_start',
      action_type: 'x',
      action_config: {},
      trigger_count: 1,
    };
    const due = await server.client.createWorkflowAction({ params: { id }, body });
    const [first, second] = (await actions()).map((action) => action['id']);
    expect(await table()).toEqual([
      'ID,Trigger,Action,Allocations,Progress,Status,Executed At,Job IDs',
      `${String(first)},on_workflow_start,schedule_nodes,2,0/1,Waiting,,`,
      `${String(second)},on_jobs_complete,run_commands,,0/2,Waiting,,"${jobs['first']}, ${jobs['second']}"`,
      `${due.id},on_worker_start,x,,1/1,Pending,,`,
    ]);
    await server.client.claimWorkflowAction({ params: { id, action_id: due.id }, body: {} });
    expect((await table())[3]).toContain(',Executed,');
  });

  it('the actions of a workflow can be changed where they ask for nodes; options win over --json', async () => {
    const [action] = await actions();
    const words = ['--json', '{"num_allocations": 5, "max_parallel_jobs": 4}', '--num-allocations', 7];
    const changed = await json('workflows', 'update-action', id, action?.['id'], ...words);
    expect(changed['action_config']).toMatchObject({
      num_allocations: 7,
      max_parallel_jobs: 4,
      scheduler_type: 'slurm',
    });
  });

  it.each([
    [0, [], 'Error: no fields to update. Provide at least one of --scheduler-id'],
    [1, ['--num-allocations', 2], 'only supports schedule_nodes'],
    [0, ['--json', '{"color": "red"}'], "Unsupported field 'color'"],
  ])('the actions of a workflow refuse other changes: action %i %j', async (which, words, why) => {
    const action = (await actions())[which];
    const { code, stdout, stderr } = await call('workflows', 'update-action', id, action?.['id'], ...words);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(why);
    expect((await actions())[which]).toEqual(action);
  });

  it('the actions of a workflow can be deleted, once', async () => {
    const [action] = await actions();
    const words = ['workflows', 'delete-action', id, action?.['id']];
    expect(await json(...words)).toEqual({ action_id: action?.['id'], deleted: true, workflow_id: id });
    expect(await actions()).toHaveLength(1);
    const { code, stderr } = await call(...words);
    expect([code, stderr]).toEqual([1, `Error: action ${String(action?.['id'])} was not found in workflow ${id}.\n`]);
  });
});

describe('workflows export and import', () => {
  const copyOf = async (copy: unknown) =>
    (await json('jobs', 'list', copy, '--include-relationships'))['items'] as Record<string, unknown>[];

  it('workflows export and import carry a workflow over through a file', async () => {
    const path = join(folder, 'exported.json');
    await json('workflows', 'init', id);
    await finish('first', 0);
    expect(await json('workflows', 'export', id, '-o', path, '--include-results', '--include-events')).toEqual({
      success: true,
      workflow_id: id,
      workflow_name: 'chain',
      output_file: path,
      jobs: 3,
      files: 2,
      user_data: 1,
      results: 1,
      events: 2,
    });
    const { workflow_id: copy, ...reported } = await json('workflows', 'import', path, '--name', 'copied');
    expect(reported).toEqual({
      success: true,
      workflow_name: 'copied',
      jobs: 3,
      files: 2,
      user_data: 1,
      results: 1,
      compute_nodes: 1,
    });
    expect(copy).not.toBe(id);
    expect(await json('workflows', 'get', copy)).toMatchObject({ name: 'copied', user: 'tester' });
    expect((await copyOf(copy)).map(({ name, status }) => [name, status])).toEqual(
      expect.arrayContaining([
        ['first', 'uninitialized'],
        ['second', 'uninitialized'],
        ['alone', 'uninitialized'],
      ]),
    );
    expect(await json('workflows', 'import', path, '--skip-results', '--skip-events')).toMatchObject({
      workflow_name: 'chain',
      results: 0,
      compute_nodes: 0,
    });
  });

  it('workflows export and import carry it over through a pipe, as the programs', async () => {
    const options = { cwd: folder, environment: { TORC_API_URL: server.url } };
    const { stdout } = await torc(['workflows', 'export', String(id)], options);
    expect(JSON.parse(stdout)).toMatchObject({
      export_version: '1.0',
      exported_at: expect.any(String),
      workflow: { id, name: 'chain' },
      jobs: [{ name: 'first' }, { name: 'second' }, { name: 'alone' }],
    });
    const { code, stdout: said } = await torc(['workflows', 'import', '-'], { ...options, input: stdout });
    expect([code, said]).toEqual([
      0,
      expect.stringMatching(/^Imported workflow \d+ \(chain\): 3 jobs, 2 files, 1 user data\n$/),
    ]);
  });

  it('workflows export writes a workflow file, which torc create reads as the same jobs', async () => {
    const path = join(folder, 'exported.kdl');
    expect(await call('workflows', 'export', id, '-o', path)).toMatchObject({
      code: 0,
      stdout: `Exported workflow ${id} (chain) to ${path}: 3 jobs, 2 files, 1 user data\n`,
      stderr: '',
    });
    const { workflow_id: copy } = await json('create', path);
    const commands = async (of: unknown) =>
      Object.fromEntries((await copyOf(of)).map(({ name, command }) => [name, command]));
    expect(await commands(copy)).toEqual(await commands(id));
    expect((await call('workflows', 'export', id, '-f', 'yaml')).stdout).toMatch(
      /^name: chain\n[^]*\njobs:\n {2}- name: /,
    );
    const withResults = await call('workflows', 'export', id, '-f', 'yaml', '--include-results');
    expect([withResults.code, withResults.stderr]).toEqual([2, expect.stringContaining('has no results')]);
    const imported = await call('workflows', 'import', path);
    expect([imported.code, imported.stderr]).toEqual([1, expect.stringContaining(`torc create ${path}`)]);
  });

  it('workflows export and import refuse what is no export, and leave nothing of a file that cannot be written', async () => {
    const before = (await server.client.listWorkflows({ query: {} })).total_count;
    for (const [path, why] of [
      [join(folder, 'flow.yaml'), 'is not JSON'],
      [join(folder, 'nothing.json'), 'there is no such file'],
    ] as const) {
      const { code, stdout, stderr } = await call('workflows', 'import', path);
      expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(why)]);
    }
    expect((await server.client.listWorkflows({ query: {} })).total_count).toBe(before);
    const unwritable = await call('workflows', 'export', id, '-o', join(folder, 'no-folder', 'x.json'));
    expect([unwritable.code, unwritable.stderr]).toEqual([1, expect.stringContaining('cannot write')]);
    const broken = join(folder, 'broken.json');
    expect((await call('workflows', 'export', 999, '-o', broken)).code).toBe(1);
    expect([existsSync(broken), existsSync(`${broken}.part`)]).toEqual([false, false]);
  });
});
