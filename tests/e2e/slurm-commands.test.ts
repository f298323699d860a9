import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'smol-toml';
import { type RunningServer, startServer, temporaryFolder } from '../support/programs.ts';
import { said } from '../support/words.ts';

let folder: string;
let server: RunningServer;
let environment: Record<string, string>;

/** Stands in for programs of Slurm; what they were called with goes to a file. */
const programs: Readonly<Record<string, string>> = {
  sbatch: 'n=$(($(cat count 2>/dev/null || echo 100) + 1)); echo $n > count; echo "Submitted batch job $n"',
  scancel: 'exit 0',
  // Of two jobs the one with the odd id never starts.
  squeue: `case "$*" in *'%i|%r'*) for i in $(echo "$5" | tr , ' '); do
    [ $((i % 2)) = 1 ] && echo "$i|PartitionTimeLimit" || echo "$i|Priority"; done;; esac`,
  // The queue has these jobs, and the accounting the table that is shown.
  sacct:
    'case "$*" in *--json) echo "{\\"jobs\\":[{\\"job_id\\":$2}]}"; exit;; *NNodes*) ;; *) exit;; esac; echo "101|wf|COMPLETED|0:0|00:01:00||00:04:00|n[1-2]|2"; echo "101.batch|batch|COMPLETED|0:0|00:01:00|5000K|00:02:00|n1|1"; echo "101.0|wf1_j1_r1_a1|FAILED|3:0|00:00:10|60K|00:00:10|n2|1"; echo "cut|off"',
  sinfo: 'if [ "$1" = -e ]; then echo "debug*|4|4000|infinite|gpu:2|3"; fi',
  scontrol: 'if [ "$2" = config ]; then echo "ClusterName = alpha"; else echo "OverSubscribe=FORCE:2"; fi',
};

beforeAll(async () => {
  folder = temporaryFolder();
  server = await startServer(folder);
  environment = { TORC_API_URL: server.url };
  for (const [name, script] of Object.entries(programs)) {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\ncd '${folder}'\necho "${name} $*" >> calls\n${script}\n`, { mode: 0o755 });
    environment[`TORC_FAKE_${name.toUpperCase()}`] = path;
  }
});
const call = (...words: string[]) => said(words, environment);
const json = async (...words: string[]) => {
  const { code, stdout, stderr } = await call('-f', 'json', ...words);
  expect([code, stderr]).toEqual([0, expect.anything()]);
  return JSON.parse(stdout) as Record<string, unknown>;
};
const calls = () => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');

const flow = `
name: flow
resource_requirements: [{name: small, num_cpus: 2, memory: 100m, runtime: PT10M}]
jobs: [{name: "j_{i}", parameters: {i: "1:8"}, command: "true", resource_requirements: small}]
`;

describe('schedulers and allocations of a workflow', () => {
  let id: string;
  let scheduler: string;
  beforeAll(async () => {
    const file = join(folder, 'flow.yaml');
    writeFileSync(file, flow);
    id = String((await json('create', file))['workflow_id']);
    const made = await json('slurm', 'create', id, '-n', 'nodes', '-a', 'proj', '--serialize-allocations');
    scheduler = String(made['id']);
    expect(made).toMatchObject({ name: 'nodes', nodes: 1, walltime: '04:00:00', qos: 'normal' });
  });

  it('schedulers are changed, listed, shown and deleted', async () => {
    const changed = await json('slurm', 'update', scheduler, '-n', '2', '--serialize-allocations', 'false');
    expect(changed).toMatchObject({ nodes: 2, account: 'proj', serialize_allocations: false });
    const other = String((await json('slurm', 'create', id, '-n', 'other', '-a', 'proj'))['id']);
    expect((await call('slurm', 'list', id)).stdout).toMatch(/nodes.*proj.*2.*04:00:00/);
    expect(await json('slurm', 'delete', other)).toMatchObject({ name: 'other' });
    expect(await json('slurm', 'get', scheduler)).toMatchObject({ name: 'nodes' });
    const { code, stderr } = await call('slurm', 'update', scheduler, '--walltime', '2h');
    expect([code, stderr]).toEqual([2, expect.stringContaining('--walltime: expected D-HH:MM:SS')]);
  });

  it('schedule-nodes gives sbatch one script for each allocation, and records what it answered', async () => {
    const out = join(folder, 'out');
    const words = ['slurm', 'schedule-nodes', id, '-n', '2', '-j', 'night_', '-o', out, '--keep-submission-scripts'];
    const { code, stdout, stderr } = await call('-f', 'json', ...words);
    expect([code, stdout]).toEqual([0, 'Successfully running 2 Slurm job(s)\n']);
    const submitted = [...stderr.matchAll(/name=(night_wf\S+) with ID=(\d+)/g)];
    expect(submitted.map(([, , job]) => job)).toEqual(['101', '102']);
    const scripts = calls().filter((line) => line.startsWith('sbatch '));
    expect(scripts).toHaveLength(2);
    const text = readFileSync((scripts[0] as string).slice('sbatch '.length), 'utf8');
    expect(text).toContain(`#SBATCH --job-name=${submitted[0]?.[1]}\n`);
    expect(text).toContain('#SBATCH --cpus-per-task=2\n');
    expect(text).toContain(
      `torc-slurm-job-runner ${server.url} ${id} ${out} --poll-interval 30 --startup-delay-seconds 2\n`,
    );
    const modes = [out, (scripts[0] as string).slice('sbatch '.length)].map((path) => statSync(path).mode & 0o777);
    expect(modes.map((mode) => mode.toString(8))).toEqual(['700', '700']);
    const { items } = (await json('scheduled-compute-nodes', 'list', id)) as unknown as { items: object[] };
    expect(items).toMatchObject([
      { scheduler_id: 101, status: 'pending' },
      { scheduler_id: 102, status: 'pending' },
    ]);
  });

  it('status and explain say why allocations have not started, and which never will', async () => {
    const { stdout } = await call('status', id);
    expect(stdout).toContain(
      '\nAllocation 101 does not start as requested (PartitionTimeLimit: it asks for more time than its partition allows). To give up: scancel 101\n',
    );
    expect(stdout).toContain('\nAllocation 102 waits in the queue of Slurm (Priority: others come first)\n');
    expect((await json('status', id))['queued_allocations']).toEqual([
      { slurm_job_id: 101, reason: 'PartitionTimeLimit', has_ended: false },
      { slurm_job_id: 102, reason: 'Priority', has_ended: false },
    ]);
  });

  it('a prefix is refused where allocations share a name', async () => {
    await json('slurm', 'update', scheduler, '--serialize-allocations', 'true');
    const { code, stderr } = await call('slurm', 'schedule-nodes', id, '-j', 'x');
    expect([code, stderr]).toEqual([1, expect.stringContaining('--job-prefix')]);
  });

  it('the accounting is shown with its steps, and added up', async () => {
    expect(await json('slurm', 'sacct', id)).toEqual({
      workflow_id: Number(id),
      total_slurm_jobs: 2,
      // As in Torc 1.0.0, a job with steps has no row of its own.
      summary: [
        expect.objectContaining({ slurm_job_id: '101', job_step: 'batch', max_rss: '4.9MB', elapsed: '1m 0s' }),
        expect.objectContaining({ job_step: 'wf1_j1_r1_a1', exit_code: '3:0', cpu_time: '10s' }),
      ],
      errors: [],
    });
    await call('slurm', 'sacct', id, '--save-json', '-o', join(folder, 'json'));
    expect(JSON.parse(readFileSync(join(folder, 'json/sacct_102.json'), 'utf8'))).toEqual({ jobs: [{ job_id: 102 }] });
    expect(await json('slurm', 'usage', id)).toEqual({
      workflow_id: Number(id),
      total_slurm_jobs: 2,
      total_nodes: 2,
      total_node_time: '2m 0s',
      total_node_time_seconds: 120,
      total_cpu_time: '4m 0s',
      total_cpu_time_seconds: 240,
      errors: [],
    });
    expect(await json('slurm', 'stats', id)).toEqual({ items: [] });
  });

  it('slurm parse-logs prints the lines of Torc, and a remedy for each kind of error', async () => {
    const logs = join(folder, 'logs');
    mkdirSync(logs);
    const file = join(logs, `slurm_output_wf${id}_sl101.e`);
    writeFileSync(file, 'all is well\n');
    const clean = `No issues found in Slurm log files for workflow ${id} (scanned 1 file(s) in ${logs})\n`;
    expect((await call('slurm', 'parse-logs', logs, '-w', id)).stdout).toBe(clean);
    writeFileSync(file, 'fine\nslurmstepd: error: StepId=101.0 on node7: Segmentation fault\n*** CANCELLED ***\n');
    const { code, stdout } = await call('slurm', 'parse-logs', logs, '-w', id);
    expect([code, stdout.split('\n')]).toEqual([
      0,
      [
        'Found 2 issue(s) in Slurm log files:',
        '',
        '=== Slurm Job 101.0 ===',
        '  [ERROR] Slurm step daemon error (node: node7): slurmstepd: error: StepId=101.0 on node7: Segmentation fault',
        `    Location: ${file}:2`,
        '',
        '=== Slurm Job 101 ===',
        '  [WARN] Job was cancelled: *** CANCELLED ***',
        `    Location: ${file}:3`,
        '',
        'Summary: 1 error(s), 1 warning(s)',
        expect.stringMatching(/^ {2}Slurm step daemon error: \w/),
        expect.stringMatching(/^ {2}Job was cancelled: \w/),
        '',
      ],
    ]);
    expect(await json('slurm', 'parse-logs', logs, '-w', id)).toMatchObject({
      slurm_jobs_count: 2,
      files_scanned: 1,
      issues: [{ file, line_number: 2, node: 'node7' }, { node: null }],
    });
  });

  it('cancel ends those that wait or run, once', async () => {
    expect(await json('cancel', id)).toMatchObject({ canceled_slurm_jobs: ['101', '102'], errors: [] });
    expect(await json('cancel', id)).toMatchObject({ canceled_slurm_jobs: [], status: 'already_canceled' });
    expect(calls().filter((line) => line.startsWith('scancel '))).toEqual(['scancel 101', 'scancel 102']);
    const { code, stderr } = await call('slurm', 'schedule-nodes', id);
    expect([code, stderr]).toEqual([1, expect.stringContaining('is canceled')]);
  });
});

it('delete names the allocations that wait or run before it asks, and cancels them', async () => {
  const file = join(folder, 'gone.yaml');
  writeFileSync(file, flow);
  const id = String((await json('create', file))['workflow_id']);
  await json('slurm', 'create', id, '-n', 'nodes', '-a', 'proj');
  const { stderr } = await call('slurm', 'schedule-nodes', id, '-o', join(folder, 'out'));
  const job = /with ID=(\d+)/.exec(stderr)?.[1] as string;
  const asked = await call('delete', id);
  expect(asked.stderr).toContain('Its 1 allocation in the queue will be canceled.');
  expect(calls()).not.toContain(`scancel ${job}`);
  expect(await call('delete', id, '--no-prompts')).toMatchObject({
    code: 0,
    stdout: `Deleted workflow ${id} (flow)\n`,
  });
  expect(calls()).toContain(`scancel ${job}`);
});

it('slurm schedule-nodes initializes a workflow that never was, and leaves one that was as it is', async () => {
  const path = join(folder, 'fresh.yaml');
  writeFileSync(path, flow);
  const id = String((await json('create', path))['workflow_id']);
  await json('slurm', 'create', id, '-n', 'nodes', '-a', 'proj');
  for (const runId of [1, 1]) {
    expect((await call('slurm', 'schedule-nodes', id)).stdout).toContain('Successfully running');
    expect(await json('workflows', 'get', id)).toMatchObject({ run_id: runId });
  }
  expect((await json('status', id))['jobs_by_status']).toMatchObject({ ready: 8, uninitialized: 0 });
});

it('submit warns of an allocation that does not start as requested, and of no other', async () => {
  const path = join(folder, 'two.yaml');
  const scheduler = 'slurm_schedulers: [{name: s, account: a, nodes: 1, walltime: "00:10:00"}]';
  const action =
    '{trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: s, scheduler_type: slurm, num_allocations: 2}';
  writeFileSync(path, `${flow}${scheduler}\nactions: [${action}]\n`);
  const { code, stderr } = await call('submit', path);
  expect(code).toBe(0);
  expect(stderr.match(/warning: Allocation \d*[13579] does not start as requested \(PartitionTimeLimit/g)).toHaveLength(
    1,
  );
  expect(stderr.match(/does not start/g)).toHaveLength(1);
});

it('submit refuses a workflow without an action that submits, and says what helps', async () => {
  const file = join(folder, 'plain.yaml');
  writeFileSync(file, flow);
  const { code, stderr } = await call('submit', file);
  expect([code, stderr]).toEqual([1, expect.stringContaining('Cannot submit workflow')]);
  expect(stderr).toContain('torc slurm generate');
});

it('submit plans the allocations of a file that has only requirements, where an account is known', async () => {
  const file = join(folder, 'account.yaml');
  writeFileSync(file, flow);
  const before = calls().length;
  const { code, stderr } = await call('submit', file, '--account', 'proj', '-o', join(folder, 'planned'));
  expect([code, stderr]).toEqual([0, expect.stringContaining('debug_scheduler: 4 allocations of 1 node for 8 jobs')]);
  expect(stderr).toContain('Slurm allocations for Alpha (Slurm), as the file names none:');
  expect(
    calls()
      .slice(before)
      .filter((line) => /^sbatch [/]/.test(line)),
  ).toHaveLength(4);
  const [, id = ''] = /Created workflow (\d+)/.exec(stderr) ?? [];
  expect((await json('slurm', 'list', id))['items']).toMatchObject([
    { name: 'debug_scheduler', account: 'proj', partition: 'debug', extra: '--cpus-per-task=4' },
  ]);
});

it('submit says which receivers of messages the server does not have, and nothing where there are none', async () => {
  const file = join(folder, 'noticed.yaml');
  writeFileSync(file, flow);
  const config = join(folder, 'with-receiver.toml');
  writeFileSync(config, '[notify.mine]\nwebhook = "http://127.0.0.1:1/"\n');
  const submit = (more: Record<string, string>) =>
    said(['submit', file, '--account', 'proj', '-o', join(folder, 'noticed')], { ...environment, ...more });
  const { code, stderr } = await submit({ TORC_SYSTEM_CONFIG: config });
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(
      /the server does not send to mine, as it has no receiver of this name and address, and keeps none of yours: .*torc .*watch \d+ sends messages/,
    ),
  ]);
  expect((await submit({})).stderr).not.toContain('receiver');
});

describe('jobs that no allocation of their workflow can run', () => {
  const sum = 'runtime 00:01:00 + headroom 00:01:00 + lead 00:00:00 + start 00:01:30 = 00:03:30';
  let id: string;
  let file: string;
  beforeAll(() => {
    file = join(folder, 'short.yaml');
    const parts = [
      'execution_config: {mode: slurm}',
      'slurm_schedulers: [{name: s, account: a, nodes: 1, walltime: "00:01:30"}]',
      'actions: [{trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: s, scheduler_type: slurm}]',
    ];
    writeFileSync(file, `${flow.replace('PT10M', 'PT1M')}${parts.join('\n')}\n`);
  });

  it('a workflow of such jobs is refused with the sum when it is created from its file', async () => {
    const { code, stderr } = await call('submit', file);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`Mismatches: ['s': ${sum} > walltime 90 s]`)]);
  });

  it('submit refuses to waste allocations for such jobs, and submits them with --skip-checks', async () => {
    id = String((await json('create', file, '--skip-checks'))['workflow_id']);
    const before = calls().length;
    const { code, stderr } = await call('submit', id, '-o', join(folder, 'out'));
    expect([code, stderr]).toEqual([1, expect.stringContaining('Nothing is submitted')]);
    const why = new RegExp(
      `8 ready jobs need more time than an allocation has: j_1 \\(job \\d+\\) needs (.+), scheduler s asks for a walltime of 00:01:30`,
    );
    expect(why.exec(stderr)?.[1]).toBe(sum);
    expect(stderr).toContain(`torc slurm regenerate ${id} --submit`);
    expect(
      calls()
        .slice(before)
        .filter((line) => line.startsWith('sbatch ')),
    ).toEqual([]);
    const forced = await call('submit', id, '-o', join(folder, 'out'), '--skip-checks');
    expect([forced.code, forced.stderr]).toEqual([0, expect.stringContaining(`needs ${sum}, scheduler s asks for`)]);
  });

  it('explain and diagnose say why such jobs never run, and what plans allocations that can', async () => {
    const { items: jobs } = await server.client.listJobs({ query: { workflow_id: Number(id) } });
    const { stdout } = await call('jobs', 'explain', String(jobs[0]?.id));
    expect(stdout).toContain('is ready, and no allocation of its workflow can ever run it');
    expect(stdout).toContain(`the job needs ${sum}, and scheduler s asks for a walltime of 00:01:30`);
    expect(stdout).toContain(`torc slurm regenerate ${id} --submit`);
    const reported = await call('workflows', 'diagnose', id);
    expect(reported.stdout).toContain('8 ready jobs need more time than an allocation has');
    expect(reported.stdout).not.toContain('No ready job lacks only time');
    expect(await json('workflows', 'diagnose', id)).toMatchObject({
      unrunnable_jobs: 8,
      unrunnable_reasons: [{ reason: 'time' }],
    });
  });

  it('regenerate plans allocations that can run them, and then nothing is wrong', async () => {
    const made = await json('slurm', 'regenerate', id, '-a', 'a');
    expect(made).toMatchObject({ schedulers_created: [{ walltime: '00:07:00' }] });
    expect(await json('workflows', 'diagnose', id)).toMatchObject({ unrunnable_jobs: 0 });
  });
});

it('submit and diagnose never advise a plan of allocations for a job that no partition could run, but what to lower', async () => {
  const file = join(folder, 'wide.yaml');
  const scheduler = '{name: s, account: a, nodes: 1, walltime: "01:00:00", extra: "--cpus-per-task=2"}';
  const action = '{trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: s, scheduler_type: slurm}';
  writeFileSync(
    file,
    `${flow.replace('num_cpus: 2', 'num_cpus: 200')}execution_config: {mode: slurm}\nslurm_schedulers: [${scheduler}]\nactions: [${action}]\n`,
  );
  const { workflow_id: id } = await json('create', file, '--skip-checks');
  const refused = await call('submit', String(id), '-o', join(folder, 'out'));
  const diagnosed = await call('workflows', 'diagnose', String(id));
  for (const text of [refused.stderr, diagnosed.stdout]) {
    expect(text).toContain('needs 200 CPUs, scheduler s asks for 2 CPUs');
    expect(text).toContain('the job needs 200 CPUs, and the partition that comes nearest, debug, has 4 CPUs');
    expect(text).toMatch(/To lower what the job asks for: torc resource-requirements update \d+ --num-cpus 4/);
    expect(text).not.toContain('slurm regenerate');
  }
  expect(refused.code).toBe(1);
});

it('watch says what it watches and counts the jobs, in the lines of Torc', async () => {
  const { id } = await json('workflows', 'new', '-n', 'empty');
  const { code, stderr } = await call('watch', String(id), '--persistent', '-r', '-m', '2', '-s', '-p', '0.1');
  expect([code, stderr.split('\n')]).toEqual([
    0,
    [
      `Watching workflow ${String(id)} (poll interval: 0.1s, recover enabled, max retries: 2, job counts enabled)`,
      `Job counts workflow_id=${String(id)} ready=0 blocked=0 running=0 completed=0 failed=0`,
      '✓ Workflow completed successfully (0 jobs)',
      '',
    ],
  ]);
});

it('watch needs no allocations for a workflow without Slurm schedulers, and refuses to wait for those that were not submitted', async () => {
  const { id: local } = await json('workflows', 'new', '-n', 'local');
  const watched = await call('watch', String(local), '-p', '0.1');
  expect([watched.code, watched.stderr]).toEqual([0, expect.stringContaining('completed successfully (0 jobs)')]);
  const path = join(folder, 'unsubmitted.yaml');
  writeFileSync(
    path,
    `name: unsubmitted
slurm_schedulers: [{name: nodes, account: any, nodes: 1, walltime: "00:10:00"}]
jobs: [{name: only, command: 'true'}]
`,
  );
  const id = String((await json('create', path))['workflow_id']);
  for (const [watch, workflow] of [
    [[], id],
    [['--recover'], String(local)],
  ] as const) {
    const refused = await call('watch', workflow, ...watch);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining(`No scheduled compute nodes found for workflow ${workflow}`),
    ]);
  }
});

it('slurm regenerate prints the lines of Torc, in a dry run and when it made the schedulers', async () => {
  const path = join(folder, 'again.yaml');
  writeFileSync(path, flow.replace('name: flow', 'name: again'));
  const id = String((await json('create', path))['workflow_id']);
  await call('workflows', 'init', id);
  const words = ['slurm', 'regenerate', id, '-a', 'proj', '--profile', 'kestrel'];
  const dry = (await call(...words, '--dry-run')).stdout.replaceAll(/_\d{8}_\d{6}/g, '_AT');
  expect(dry.split('\n').slice(0, -1)).toEqual([
    '[DRY RUN] Would create the following Slurm schedulers:',
    '',
    '  short_regen_AT - 8 job(s), 1 allocation(s)',
    '    Account: proj, Partition: <default>, Walltime: 00:17:00, Nodes: 1',
    '    Memory: 240g, on short',
    '',
    'Total allocations: 1',
    'Profile: NLR Kestrel (kestrel)',
  ]);
  const made = (await call(...words)).stdout.replaceAll(/_\d{8}_\d{6} \(ID: \d+\)/g, '_AT (ID: N)');
  expect(made.split('\n').slice(0, 9)).toEqual([
    `Regenerated Slurm schedulers for workflow ${id}`,
    '',
    'Summary:',
    '  Pending jobs: 8',
    '  Schedulers created: 1',
    '  Total allocations: 1',
    '  Profile used: NLR Kestrel (kestrel)',
    '',
    'Schedulers:',
  ]);
  expect(made).toContain('\n  - short_regen_AT (ID: N): 8 job(s), 1 allocation(s) × 1 node(s)\n');
  expect(await json(...words, '--dry-run')).toMatchObject({ planned_schedulers: [{ partition: null }] });
});

describe('slurm generate', () => {
  const file = () => join(folder, 'flow.yaml');

  it('slurm generate writes the file with schedulers, actions and bound jobs, unexpanded, in the format of its target', async () => {
    writeFileSync(file(), flow);
    const target = join(folder, 'made.json');
    const words = ['slurm', 'generate', file(), '-a', 'proj', '--profile', 'kestrel', '-o', target];
    const { code, stdout, stderr } = await call(...words);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`torc submit ${target}`)]);
    // The lines of Torc 1.0.0.
    expect(stdout.split('\n').slice(0, -1)).toEqual([
      `Generated workflow written to: ${target}`,
      '',
      'Summary:',
      '  Schedulers generated: 1',
      '  Actions added: 1',
      '  Profile used: NLR Kestrel (kestrel)',
    ]);
    expect(JSON.parse(readFileSync(target, 'utf8'))).toMatchObject({
      jobs: [{ name: 'j_{i}', scheduler: 'short_scheduler' }],
      slurm_schedulers: [{ name: 'short_scheduler', account: 'proj', mem: '240g', walltime: '00:17:00' }],
      actions: [{ trigger_type: 'on_jobs_ready', scheduler: 'short_scheduler', num_allocations: 1 }],
    });
    const again = await call('slurm', 'generate', target, '-a', 'proj', '--profile', 'kestrel');
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringContaining('Workflow spec already has slurm_schedulers and actions defined.'),
    ]);
    const over = await call(
      'slurm',
      'generate',
      target,
      '-a',
      'p2',
      '--profile',
      'kestrel',
      '--overwrite',
      '--no-actions',
    );
    expect(JSON.parse(over.stdout)).toMatchObject({ slurm_schedulers: [{ account: 'p2' }] });
    expect(JSON.parse(over.stdout)).not.toHaveProperty('actions');
  });

  it('slurm generate --dry-run prints a line for each scheduler and one for the actions, as Torc does', async () => {
    const words = ['slurm', 'generate', file(), '-a', 'proj', '--profile', 'kestrel', '--dry-run'];
    const { stdout } = await call(...words);
    expect(stdout.split('\n').slice(0, -1)).toEqual([
      '[DRY RUN] Would generate the following Slurm schedulers:',
      '',
      '  Scheduler: short_scheduler (account: proj, partition: <default>, walltime: 00:17:00, nodes: 1)',
      '    1 allocation of 1 node for 8 jobs, partition short (chosen by the site)',
      '',
      '[DRY RUN] Would add 1 workflow action(s)',
      '',
      'Node hours: 0.283 asked for, 0.0256 needed (--group-by partition: 0.283, resource-requirements: 0.283)',
      'Profile: NLR Kestrel (kestrel)',
    ]);
    expect((await call(...words, '--no-actions')).stdout).not.toContain('Would add');
    expect(await json(...words)).toMatchObject({
      node_hours: { asked: 0.283, needed: 0.026, asked_by_grouping: { packed: 0.283, partition: 0.283 } },
    });
  });

  it('slurm generate plans for the cluster that it finds, and for the profile that is named', async () => {
    const live = await call('slurm', 'generate', file(), '-a', 'proj', '--dry-run');
    expect(live.stdout).toContain('Profile: Alpha (Slurm) (alpha)');
    expect(await json('slurm', 'generate', file(), '-a', 'proj', '--dry-run', '--profile', 'dane')).toMatchObject({
      dry_run: true,
      scheduler_count: 1,
      action_count: 1,
      profile_name: 'dane',
      slurm_schedulers: [{ name: 'pbatch_scheduler', mem: '251g' }],
    });
    const named = await json('slurm', 'generate', file(), '-a', 'p', '--dry-run', '--profile', 'kestrel', '-p', 'nvme');
    expect(named).toMatchObject({ slurm_schedulers: [{ name: 'nvme_scheduler', partition: 'nvme' }] });
    const unknown = await call('slurm', 'generate', file(), '-a', 'p', '--profile', 'x');
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('Unknown HPC profile: x')]);
  });

  it('slurm generate takes the account of the configuration, and refuses without any', async () => {
    const none = await call('slurm', 'generate', file(), '--profile', 'kestrel');
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('No account specified.')]);
    const config = join(folder, 'config.toml');
    writeFileSync(
      config,
      '[client.hpc]\ndefault_account = "general"\n[client.hpc.profile_overrides.dane]\ndefault_account = "own"\n',
    );
    const accounts = [];
    for (const profile of ['kestrel', 'dane']) {
      const words = ['-f', 'json', 'slurm', 'generate', file(), '--dry-run', '--profile', profile];
      const { stdout } = await said(words, { ...environment, TORC_SYSTEM_CONFIG: config });
      accounts.push((JSON.parse(stdout) as { slurm_schedulers: { account: string }[] }).slurm_schedulers[0]?.account);
    }
    expect(accounts).toEqual(['general', 'own']);
  });

  it('slurm generate names the reasons if it can plan nothing', async () => {
    const big = join(folder, 'big.yaml');
    writeFileSync(big, flow.replace('num_cpus: 2', 'num_cpus: 5000'));
    const { code, stderr } = await call('slurm', 'generate', big, '-a', 'p', '--profile', 'kestrel');
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /No schedulers could be generated\.\nReasons:\n {2}- No partition found for resource requirements 'small'/,
    );
    const bare = join(folder, 'bare.yaml');
    writeFileSync(bare, 'name: x\njobs: [{name: a, command: "true"}]\n');
    expect((await call('slurm', 'generate', bare, '-a', 'p', '--profile', 'kestrel')).stderr).toContain(
      'resource_requirements',
    );
  });

  it('plan-allocations recommends without a cluster, and with the state of one', async () => {
    const words = ['slurm', 'plan-allocations', file(), '-a', 'p', '--profile', 'kestrel'];
    expect(await json(...words, '--offline')).toMatchObject({
      workflow_analysis: { total_jobs: 1, total_instances: 8, dependency_depth: 1, max_parallelism: 8 },
      cluster_state: null,
      recommendations: [{ group_name: 'small', strategy: 'default', job_count: 8 }],
      account: 'p',
    });
    expect(await json(...words, '--skip-test-only')).toMatchObject({ recommendations: [{ strategy: 'single' }] });
    // By the name and with the size that generate writes.
    expect(await json(...words, '--offline')).toMatchObject({
      recommendations: [{ scheduler: 'short_scheduler', generated_allocations: 1, generated_nodes: 1 }],
      node_hours: { asked: 0.283 },
    });
    const { stdout, stderr } = await call(...words, '--offline');
    expect([stdout, stderr]).toEqual([
      expect.stringContaining('short_scheduler'),
      expect.stringContaining(
        'torc slurm generate makes:\n  short_scheduler: 1 allocation of 1 node for 8 jobs, walltime 00:17:00, partition short (chosen by the site)\nNode hours: ',
      ),
    ]);
  });
});

describe('hpc', () => {
  it('list, detect and show know the sites of torc, and the cluster here by the name slurm', async () => {
    const list = JSON.parse((await call('-f', 'json', 'hpc', 'list')).stdout) as { name: string }[];
    expect(list.map(({ name }) => name)).toEqual(['dane', 'kestrel']);
    expect((await said(['hpc', 'detect'], { ...environment, NLR_CLUSTER: 'kestrel' })).stdout).toContain('kestrel');
    expect(await json('hpc', 'show', 'slurm')).toMatchObject({
      name: 'alpha',
      partitions: [{ name: 'debug', cpus_per_node: 4, gpus_per_node: 2, shared: true, max_walltime_secs: 31_536_000 }],
    });
    const { code, stderr } = await call('hpc', 'show', 'nowhere');
    expect([code, stderr]).toEqual([1, expect.stringContaining('Unknown HPC profile: nowhere')]);
  });

  it('detect says null where nothing is known', async () => {
    const alone = { ...environment, TORC_FAKE_SINFO: join(folder, 'missing') };
    expect(await said(['-f', 'json', 'hpc', 'detect'], alone)).toMatchObject({ code: 0, stdout: 'null\n' });
    expect((await said(['hpc', 'detect'], alone)).stdout).toBe('No known HPC system detected.\n');
    expect((await said(['hpc', 'partitions'], alone)).stderr).toContain('HPC profile not found or detected.');
  });

  it('match names the best partition, and nothing for what none serves', async () => {
    const words = ['hpc', 'match', 'kestrel', '--memory', '50g', '--walltime', '1:00:00', '--cpus'];
    expect(await json(...words, '4')).toMatchObject({
      requirements: { cpus: 4, memory_mb: 51_200, walltime_secs: 3600, gpus: null },
      best_partition: { name: 'short' },
    });
    expect(await json(...words, '500')).toMatchObject({ matching_partitions: [], best_partition: null });
    expect((await call(...words, '4')).stdout).toMatch(/short \(BEST\)[^]*Recommended: short partition\n/);
    expect((await call('hpc', 'match', 'kestrel', '--cpus', '4')).code).toBe(2);
  });

  it('generate says what sinfo says where Slurm is set up wrongly, and calls it no bug of torc', async () => {
    const broken = join(folder, 'sinfo-without-slurm');
    writeFileSync(broken, '#!/bin/sh\necho "sinfo: fatal: Could not establish a configuration source" >&2; exit 1\n', {
      mode: 0o755,
    });
    const { code, stderr } = await said(['hpc', 'generate'], { ...environment, TORC_FAKE_SINFO: broken });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^Error: .*sinfo.* Could not establish a configuration/)]);
    expect(stderr).not.toMatch(/bug| at /);
  });

  it('a submission that plans allocations reads the partitions of the cluster once', async () => {
    const file = join(folder, 'bare-needs.yaml');
    writeFileSync(file, flow);
    const reads = () => calls().filter((line) => line.startsWith('sinfo -e')).length;
    const before = reads();
    const { code, stderr } = await call('submit', file, '--account', 'proj', '-o', join(folder, 'bare-needs'));
    expect([code, stderr]).toEqual([0, expect.stringContaining('as the file names none')]);
    expect(reads() - before).toBe(1);
  });

  it('a plan for a site of PBS in the configuration names its queue, which is not the default one', async () => {
    const file = join(folder, 'polar.toml');
    const queue = 'name = "long", cpus_per_node = 4, memory_mb = 8000, max_walltime_secs = 864000';
    const site = 'client.hpc.custom_profiles.polar';
    writeFileSync(file, `[${site}]\ndisplay_name = "Polar"\nsystem = "pbs"\npartitions = [{ ${queue} }]\n`);
    writeFileSync(join(folder, 'polar.yaml'), flow);
    const words = ['slurm', 'generate', join(folder, 'polar.yaml'), '--profile', 'polar'];
    const { code, stdout } = await said(words, { ...environment, TORC_SYSTEM_CONFIG: file });
    expect([code, stdout]).toEqual([0, expect.stringContaining('queue: long')]);
  });

  it('generate writes a profile that the configuration accepts, and then knows', async () => {
    const file = join(folder, 'profile.toml');
    const { code, stderr } = await call('hpc', 'generate', '-n', 'mine', '-o', file);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`Profile written to: ${file}`)]);
    expect(parse(readFileSync(file, 'utf8'))).toMatchObject({
      client: { hpc: { custom_profiles: { mine: { partitions: [{ name: 'debug', memory_mb: 4000 }] } } } },
    });
    const { stdout } = await said(['-f', 'json', 'hpc', 'show', 'mine'], { ...environment, TORC_SYSTEM_CONFIG: file });
    expect(JSON.parse(stdout)).toMatchObject({ name: 'mine', partitions: [{ name: 'debug' }] });
  });
});
