import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readSpec } from '../../src/core/workflow-file/read/read.ts';
import { commandsOf } from '../../src/cli/program/commands.ts';
import { type StandIn, standIn } from '../support/original/stand-in.ts';
import { temporaryFolder, torc, until } from '../support/programs.ts';
import { wordsTo } from '../support/words.ts';

/** A workflow with every kind of record; its jobs depend on each other by name, by files and by user data. */
const flow = `
name: everything
env: {REGION: north}
jobs:
  - {name: prepare, command: "echo made > \${files.output.made}", resource_requirements: small}
  - {name: "work_{i}", command: "cat \${files.input.made}", depends_on: [prepare], parameters: {i: "1:3"}, priority: 2}
  - {name: publish, command: "true", output_user_data: [seen], depends_on_regexes: ["work_.*"], failure_handler: again}
  - {name: read, command: "true", input_user_data: [seen]}
  - {name: fails, command: exit 3}
files: [{name: made, path: made.txt}]
user_data: [{name: seen}]
resource_requirements: [{name: small, num_cpus: 1, memory: 10m, runtime: PT5M}]
failure_handlers: [{name: again, rules: [{exit_codes: [1], max_retries: 2}]}]
slurm_schedulers: [{name: sched, account: proj, nodes: 1, walltime: "01:00:00"}]
actions:
  - {trigger_type: on_workflow_start, action_type: run_commands, commands: ["true"]}
  - {trigger_type: on_jobs_ready, action_type: schedule_nodes, jobs: [publish], scheduler: sched, scheduler_type: slurm}
`;

let folder: string;
let file: string;
let server: StandIn;
const { call, json } = wordsTo(() => server.url);

beforeAll(async () => {
  folder = temporaryFolder();
  file = join(folder, 'flow.yaml');
  writeFileSync(file, flow);
  server = await standIn();
});
afterAll(() => server.close());

/** Which job depends on which, by name: what the records say, or after the initialization all that follows. */
async function dependencies(workflowId: number): Promise<Record<string, string[]>> {
  const { items: jobs } = await server.behind.listJobs({ query: { workflow_id: workflowId } });
  const { items: edges } = await server.behind.listJobDependencies({ params: { id: workflowId }, query: {} });
  const of = (name: string) => edges.filter((edge) => edge.job_name === name).map((edge) => edge.depends_on_job_name);
  return Object.fromEntries(jobs.map(({ name }) => [name, of(name).toSorted()]));
}

const EXPECTED = {
  prepare: [],
  work_1: ['prepare'],
  work_2: ['prepare'],
  work_3: ['prepare'],
  publish: ['work_1', 'work_2', 'work_3'],
  read: ['publish'],
  fails: [],
};
/** What follows from files and user data comes with the initialization. */
const CREATED = { ...EXPECTED, read: [] };

describe('a workflow on Torc’s own server', () => {
  it('a workflow on Torc’s own server is created from a file with all dependencies, though the server ignores positions', async () => {
    const { stderr, stdout } = await call('create', file);
    expect(stderr + stdout).toContain('Created workflow 1');
    expect(await dependencies(1)).toEqual(CREATED);
  });

  it('a workflow on Torc’s own server is created in few calls where many jobs are of one level', async () => {
    const wide = join(folder, 'wide.yaml');
    writeFileSync(
      wide,
      `name: wide
jobs:
  - {name: "a{i}", command: "true", parameters: {i: "1:300"}}
  - {name: "b{i}", command: "true", depends_on: ["a{i}"], parameters: {i: "1:300"}}
`,
    );
    const before = server.asked.length;
    expect((await call('create', wide)).code).toBe(0);
    const calls = server.asked.slice(before).filter(({ path }) => path === '/bulk_jobs');
    expect(calls.length).toBeLessThanOrEqual(3);
    const edges = await dependencies(2);
    for (let i = 1; i <= 300; i += 1) expect(edges[`b${i}`]).toEqual([`a${i}`]);
    expect((await call('delete', '2', '--no-prompts')).code).toBe(0);
  });

  it('a workflow on Torc’s own server is initialized and run', async () => {
    const environment = { TORC_API_URL: server.url };
    const { code, stderr } = await torc(['run', '-p', '0.2', '1'], { cwd: folder, environment });
    expect([code, stderr]).toEqual([0, expect.stringContaining('6 jobs completed, 1 failed')]);
    expect(await dependencies(1)).toEqual(EXPECTED);
  });

  it('a workflow on Torc’s own server is exported and imported with all dependencies', async () => {
    const exported = join(folder, 'exported.json');
    expect((await call('workflows', 'export', '1', '-o', exported)).code).toBe(0);
    const { workflow_id: id } = await json('workflows', 'import', exported, '--name', 'copy');
    expect(await dependencies(id as number)).toEqual(EXPECTED);
  });

  it('a workflow on Torc’s own server is exported as a workflow file', async () => {
    const exported = join(folder, 'exported.yaml');
    const { code, stderr } = await call('workflows', 'export', '1', '-o', exported);
    expect([code, stderr]).toEqual([0, '']);
    const { plan, problems } = readSpec(
      { text: readFileSync(exported, 'utf8'), name: exported },
      { readFile: () => '' },
    );
    expect([plan?.jobs.length, plan?.actions.length, plan?.userData.length]).toEqual([7, 2, 1]);
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  });
});

/** Every command by its words, with arguments; one after the other, so a later one may ask for what an earlier one made. */
const walk: readonly (readonly [words: string, ...args: string[]])[] = [
  ['status', '1'],
  ['top', '1', '--once'],
  ['report', '1'],
  ['compare', '1', '3'],
  ['workflows status', '1'],
  ['workflows list'],
  ['workflows list', '--shared'],
  ['workflows get', '1'],
  ['workflows new', '-n', 'empty'],
  ['workflows update', '4', '-d', 'words', '--project', 'p'],
  ['workflows is-complete', '1'],
  ['workflows archive', 'true', '4'],
  ['workflows archive', 'false', '4'],
  ['workflows list-actions', '1'],
  ['workflows update-action', '1', '2', '--num-allocations', '2'],
  ['workflows check-resources', '1'],
  ['workflows correct-resources', '1'],
  ['workflows diagnose', '1'],
  ['workflows execution-plan', '1'],
  ['workflows graph', '1'],
  ['remote add-workers', '1', 'me@host1:2222', '--skip-ssh-check'],
  ['remote list-workers', '1'],
  ['remote remove-worker', 'host1', '1'],
  ['workflows reconcile', '1', '1', '--base-dir', '.'],
  ['workflows sync-status', '1'],
  ['recover', '1', '--dry-run'],
  ['jobs list', '1', '--include-relationships'],
  ['jobs get', '2'],
  ['jobs running', '1'],
  ['jobs create', '4', '-n', 'j', '-c', 'true'],
  ['jobs create-from-file', '4', 'COMMANDS'],
  ['jobs update', 'JOB', '-n', 'k', '--priority', '3', '--label', 'gpu'],
  ['jobs update', 'JOB', '--runtime', 'PT9M'],
  ['jobs list-resource-requirements', '1'],
  ['jobs list-failure-handlers', '1'],
  ['jobs explain', '1'],
  ['jobs explain', '7'],
  ['jobs output', '1', '-o', 'FOLDER'],
  ['results list', '1'],
  ['results get', '1'],
  ['files create', '1', '-n', 'f', '-p', 'f.txt'],
  ['files list', '1'],
  ['files get', '1'],
  ['files update', '1', '-n', 'renamed'],
  ['files list-required-existing', '1'],
  ['files delete', 'LAST'],
  ['user-data create', '1', '-n', 'u', '-d', '1'],
  ['user-data list', '1'],
  ['user-data update', 'LAST', '-d', '{"a":1}'],
  ['user-data get', 'LAST'],
  ['user-data list-missing', '1'],
  ['user-data delete', 'LAST'],
  ['user-data delete-all', '4', '--no-prompts'],
  ['events create', '1', '-d', '{"category":"x"}'],
  ['events list', '1'],
  ['events get-latest-event', '1'],
  ['events monitor', '1', '-d', '0.0001'],
  ['events delete', 'LAST'],
  ['compute-nodes list', '1'],
  ['compute-nodes get', '1'],
  ['scheduled-compute-nodes list', '1'],
  ['scheduled-compute-nodes get', 'ROW'],
  ['scheduled-compute-nodes list-jobs', 'ROW'],
  ['slurm create', '1', '-n', 'nodes', '-a', 'proj'],
  ['slurm list', '1'],
  ['slurm update', 'LAST', '-n', '2'],
  ['slurm get', 'LAST'],
  ['slurm delete', 'LAST'],
  ['slurm stats', '1'],
  ['resource-requirements create', '1', '-n', 'rr'],
  ['resource-requirements list', '1'],
  ['resource-requirements update', 'LAST', '-m', '2g'],
  ['resource-requirements get', 'LAST'],
  ['resource-requirements delete', 'LAST'],
  ['failure-handlers list', '1'],
  ['failure-handlers get', '1'],
  ['job-dependencies job-job', '1'],
  ['job-dependencies job-file', '1'],
  ['job-dependencies job-user-data', '1'],
  ['access-groups create', 'g'],
  ['access-groups get', '2'],
  ['access-groups list'],
  ['access-groups add-user', '2', 'bob'],
  ['access-groups list-members', '2'],
  ['access-groups list-user-groups', 'bob'],
  ['access-groups add-workflow', '1', '2'],
  ['share', '1'],
  ['access-groups list-workflow-groups', '1'],
  ['access-groups remove-workflow', '1', '2'],
  ['access-groups remove-user', '2', 'bob'],
  ['access-groups delete', '2'],
  ['ro-crate create', '1', '--entity-id', '#a', '--entity-type', 'File', '--metadata', '{"name":"x"}'],
  ['ro-crate list', '1'],
  ['ro-crate update', 'LAST', '--entity-type', 'Thing'],
  ['ro-crate get', 'LAST'],
  ['ro-crate add-dataset', '1', '--name', 'set', '--path', 'FOLDER'],
  ['ro-crate add-dataset', '1', '--name', 'renamed', '--path', 'FOLDER'],
  ['ro-crate export', '1'],
  ['ro-crate delete', 'LAST'],
  ['admin sql', 'select 1 as x'],
  ['admin list-audit-log'],
  ['admin api-stats'],
  ['ping'],
  ['jobs reset-status', '7', '--force', '--no-prompts'],
  ['workflows reinit', '1'],
  ['workflows reset-status', '1', '--force', '--no-prompts'],
  ['workflows init', '1', '--no-prompts'],
  ['workflows init', '1', '--no-prompts', '--async'],
  ['tasks wait', '1'],
  ['jobs spawn', 'SPAWN', '-j', '1'],
  ['results delete', '1'],
  ['workflows delete-action', '1', '2'],
  ['jobs delete', 'JOB'],
  ['jobs delete-all', '4', '--no-prompts'],
  ['cancel', '1', '--no-prompts'],
  ['delete', '4', '--no-prompts'],
];

/** Commands that are tried elsewhere, or cannot be tried on the stand-in. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  create: 'above',
  run: 'above',
  exec: 'in original-runner.test.ts',
  submit: 'below',
  'slurm schedule-nodes': 'the same as submit',
  watch: 'the same as recover, again and again',
  'jobs cancel': 'below: this server cannot',
  'workflows clean': 'below: this server cannot',
  'notify list': 'below: this server cannot',
  'jobs add': 'below: this server cannot',
  'jobs set': 'below: this server cannot',
  page: 'below: this server has none',
  tui: 'needs a terminal, and asks for lists that are tried',
  'jobs profile': 'asks for records that are tried, and files',
  'logs bundle': 'asks for records that are tried, and files',
  'logs analyze': 'needs no server',
  'slurm parse-logs': 'asks for records that are tried, and files',
  'slurm regenerate': 'asks for records that are tried, and Slurm',
  'slurm sacct': 'asks for records that are tried, and Slurm',
  'slurm usage': 'asks for records that are tried, and Slurm',
  'workflows export': 'above',
  'workflows import': 'above',
  'admin reload-auth': 'wants a server with a file of users',
  'admin tail-api': 'a stream that the stand-in does not have',
  'remote add-workers-from-file': 'the same as add-workers',
  'remote run': 'asks for records that are tried, and hosts',
  'remote status': 'asks for records that are tried, and hosts',
  'remote stop': 'asks for records that are tried, and hosts',
  'remote recover': 'asks for records that are tried, and hosts',
  'remote collect-logs': 'asks for records that are tried, and hosts',
  'remote delete-logs': 'asks for records that are tried, and hosts',
  'monitor-node': 'asks for the settings of a workflow only',
};

describe('on Torc’s own server', () => {
  /** The id of what was created last. */
  let last = '';
  let job = '';
  let row = '';

  beforeAll(async () => {
    writeFileSync(join(folder, 'commands.txt'), 'echo one\necho two\n');
    writeFileSync(join(folder, 'spawn.json'), JSON.stringify([{ name: 'child', command: 'true' }]));
    const body = {
      workflow_id: 1,
      scheduler_id: 77,
      scheduler_config_id: 1,
      scheduler_type: 'slurm',
      status: 'complete',
    };
    row = String((await server.client.createScheduledComputeNode({ body })).id);
  });

  /** Brings the jobs into the state in which a command wants them. */
  const prepare = async (words: string) => {
    if (words !== 'jobs spawn') return;
    const nodeId = (await server.client.listComputeNodes({ query: { workflow_id: 1 } })).items[0]?.id as number;
    await server.client.claimNextJobs({ params: { id: 1 }, query: { limit: 10 } });
    const { run_id: runId } = await server.client.getWorkflow({ params: { id: 1 } });
    await server.client.startJob({ params: { id: 1, run_id: runId as number, compute_node_id: nodeId } });
  };

  it.each(walk.map((each) => [`torc ${each.join(' ')}`, each] as const))(
    '%s does its work',
    async (_, [words, ...args]) => {
      await prepare(words);
      const paths: Record<string, string> = {
        LAST: last,
        JOB: job,
        ROW: row,
        FOLDER: join(folder, 'torc_output'),
        COMMANDS: join(folder, 'commands.txt'),
        SPAWN: join(folder, 'spawn.json'),
      };
      const given = args.map((each) => paths[each] ?? each);
      const { code, stdout, stderr } = await call('-f', 'json', ...words.split(' '), ...given);
      expect([code, stderr, stdout]).toEqual([0, expect.not.stringContaining('Error'), expect.anything()]);
      if (!words.endsWith(' create') || words.startsWith('access-groups')) return;
      const { id } = JSON.parse(stdout) as { id: number };
      if (words === 'jobs create') job = String(id);
      else last = String(id);
    },
  );

  it('the changes have arrived, and what was not given has stayed', async () => {
    const made = (await server.behind.listFiles({ query: { workflow_id: 1 } })).items;
    expect(made).toMatchObject([{ name: 'renamed', path: 'made.txt' }]);
  });

  it('user-data update says that a value stays where the server cannot remove it', async () => {
    const { id } = await json('user-data', 'create', '3', '-n', 'kept', '-d', '1');
    const { code, stderr } = await call('user-data', 'update', String(id), '-d', 'null');
    expect([code, stderr]).toEqual([1, expect.stringContaining('still has its value: this server has no parameter')]);
  });

  it('events monitor says that nothing is repeated where events have no ids', async () => {
    const streams = () => server.asked.filter(({ path }) => path === '/workflows/3/events/stream').length;
    const before = streams();
    const monitored = call('events', 'monitor', '3', '--last-event-id', '5', '--limit', '1');
    await until(streams, (count) => count > before, 'the stream to be opened');
    await server.client.initializeJobs({ params: { id: 3 } });
    const { code, stdout, stderr } = await monitored;
    expect([code, stdout]).toEqual([0, expect.stringContaining('jobs are ready in run')]);
    expect(stderr).toContain('this server does not number its events');
  });

  it('jobs cancel says that this server can only cancel whole workflows', async () => {
    const { code, stderr } = await call('jobs', 'cancel', '2');
    expect([code, stderr]).toEqual([1, expect.stringContaining('this server cannot cancel single jobs')]);
  });

  it('notify list says that this server sends no messages, and what sends them', async () => {
    const { code, stderr } = await call('notify', 'list', '1');
    expect([code, stderr]).toEqual([1, expect.stringContaining('this server sends no messages')]);
  });

  it('workflows clean says that this server does not record which files jobs made, and removes nothing', async () => {
    const { code, stderr } = await call('workflows', 'clean', '1', '--logs', '--yes');
    expect([code, stderr]).toEqual([1, expect.stringContaining('this server does not record which files jobs made')]);
  });

  it.each([
    ['add', '2', '-n', 'more', '-c', 'true'],
    ['set', '2', '-c', 'true', '--priority', '3'],
  ])('jobs %s says that this server cannot change the plan of a workflow', async (...words) => {
    const { code, stderr } = await call('jobs', ...words);
    expect([code, stderr]).toEqual([1, expect.stringContaining('this server cannot change the plan of a workflow')]);
  });

  it('page says that this server has none', async () => {
    const { code, stderr } = await call('page');
    expect([code, stderr]).toEqual([1, expect.stringContaining('this server has no page')]);
  });

  it('submit and cancel work with the allocations of a workflow', async () => {
    const programs = { sbatch: 'echo Submitted batch job 901', scancel: `echo "$@" >> '${join(folder, 'canceled')}'` };
    for (const [name, script] of Object.entries(programs)) {
      writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      process.env[`TORC_FAKE_${name.toUpperCase()}`] = join(folder, name);
      onTestFinished(() => void delete process.env[`TORC_FAKE_${name.toUpperCase()}`]);
    }
    const submitted = join(folder, 'submitted.yaml');
    writeFileSync(submitted, flow.replace('trigger_type: on_jobs_ready', 'trigger_type: on_workflow_start'));
    const { workflow_id: id } = await json('submit', submitted, '-o', join(folder, 'torc_output'));
    expect((await server.behind.listScheduledComputeNodes({ query: { workflow_id: id as number } })).items).toEqual([
      expect.objectContaining({ scheduler_id: 901, status: 'pending' }),
    ]);
    expect(await json('cancel', String(id))).toMatchObject({ canceled_slurm_jobs: ['901'], status: 'success' });
    expect(readFileSync(join(folder, 'canceled'), 'utf8')).toBe('901\n');
  });

  it('every command of torc is tried', async () => {
    const tried = new Set([...walk.map(([words]) => words), ...Object.keys(ELSEWHERE)]);
    const asking = (await commandsOf('torc')).filter(({ offline }) => offline !== true);
    const names = asking.map(({ words }) => words.replace(/ [<[].*/, ''));
    expect(names.filter((name) => !tried.has(name))).toEqual([]);
  });
});
