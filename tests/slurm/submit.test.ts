import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { jobOfAllocation } from '../../src/core/allocation/slurm-job.ts';
import { checkEnvelope } from '../../src/core/contract/sonar/check.ts';
import type { SonarSlurmJob } from '../../src/core/contract/sonar/jobs.ts';
import { refusalsOf } from '../sonar/strict-reader.ts';
import { type RunningServer, startServer, temporaryFolder, torc, until } from '../support/programs.ts';
import { type Cluster, nodeName, slurmIsMissing, startCluster } from './cluster.ts';

const flow = `
name: flow
resource_requirements:
  - {name: two, num_cpus: 2, memory: 50m, runtime: PT1M}
slurm_schedulers:
  - {name: nodes, account: any, nodes: 1, walltime: "00:10:00", mem: 500m}
jobs:
  - {name: "part_{i}", parameters: {i: "1:6"}, command: "echo on $SLURMD_NODENAME", resource_requirements: two}
  - {name: join, command: "true", resource_requirements: two, depends_on_regexes: ["part_.*"]}
actions:
  - {trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: nodes, scheduler_type: slurm, num_allocations: 2}
`;

describe.skipIf(slurmIsMissing !== undefined)('torc submit on a real Slurm cluster', () => {
  let cluster: Cluster;
  let folder: string;
  let server: RunningServer;
  beforeAll(async () => {
    cluster = await startCluster();
    folder = temporaryFolder();
    server = await startServer(folder);
  });

  const call = (...args: string[]) =>
    torc(['--url', server.url, ...args], { cwd: folder, environment: cluster.environment });
  const statuses = async (id: number) =>
    (await server.client.listJobs({ query: { workflow_id: id } })).items.map(({ status }) => status);
  const allocations = async (id: number) =>
    (await server.client.listScheduledComputeNodes({ query: { workflow_id: id } })).items;

  it('creates a workflow, submits its allocations, and their runners run the jobs and submit what these need when they become ready', async () => {
    const ready =
      '  - {trigger_type: on_jobs_ready, action_type: schedule_nodes, jobs: [join], scheduler: nodes, scheduler_type: slurm}\n';
    writeFileSync(
      join(folder, 'flow.yaml'),
      flow.replace('command: "true"', 'command: "until [ -e third ]; do sleep 0.1; done"') + ready,
    );
    const { code, stdout, stderr } = await call('-f', 'json', 'submit', 'flow.yaml', '-o', 'out');
    expect([code, stderr]).toEqual([0, expect.stringMatching(/with ID=\d+_0\n[^]*with ID=\d+_1\n/)]);
    const said = JSON.parse(stdout) as { workflow_id: number; message: string };
    const id = said.workflow_id;
    expect(said.message).toBe(`Successfully submitted workflow ${id} (2 allocation(s))`);
    await until(
      () => allocations(id),
      (rows) => rows.length === 3,
      'a runner to submit the third allocation',
    );
    writeFileSync(join(folder, 'third'), '');
    await until(
      () => statuses(id),
      (found) => found.every((status) => status === 'completed'),
      'all jobs to be completed',
      120_000,
    );
    await until(
      () => allocations(id),
      (rows) => rows.every(({ status }) => status === 'complete' || status === 'canceled'),
      'the allocations to end',
    );
    expect(readdirSync(join(folder, 'out')).filter((name) => name.endsWith('.sh'))).toEqual([]);
    // The first two are one job array; each has an id of its own since it started.
    const jobs = [...stderr.matchAll(/with ID=(\S+)/g)].map(([, job]) => job);
    const rows = await allocations(id);
    expect(rows.map((row) => String(jobOfAllocation(row)))).toEqual([...jobs, expect.stringMatching(/^\d+$/)]);
    expect(new Set(rows.map(({ scheduler_id: job }) => job)).size).toBe(3);
    const nodes = (await server.client.listComputeNodes({ query: { workflow_id: id } })).items;
    expect(nodes.every(({ num_cpus: cpus }) => cpus === 2)).toBe(true);
    const outputs = readdirSync(join(folder, 'out/job_stdio')).filter((name) => name.endsWith('.o'));
    const text = outputs.map((name) => readFileSync(join(folder, 'out/job_stdio', name), 'utf8')).join('');
    expect(text).toMatch(new RegExp(String.raw`^(on ${nodeName('[12]')}\n){6}$`));
  });

  it('what slurm generate plans for the cluster here is submitted as it is, and runs', async () => {
    const [schedulers, rest] = [flow.indexOf('slurm_schedulers:'), flow.indexOf('jobs:')];
    const bare = flow.slice(0, schedulers) + flow.slice(rest, flow.indexOf('actions:'));
    writeFileSync(join(folder, 'bare.yaml'), bare);
    const generated = await call('slurm', 'generate', 'bare.yaml', '--account', 'any', '-o', 'planned.yaml');
    expect([generated.code, generated.stderr]).toEqual([0, expect.stringContaining('Submit the workflow')]);
    const { code, stdout, stderr } = await call('submit', 'planned.yaml', '-o', 'out');
    expect([code, stderr]).toEqual([0, expect.stringContaining('with ID=')]);
    const id = Number(/workflow (\d+)/.exec(stdout)?.[1]);
    await until(
      () => statuses(id),
      (found) => found.length === 7 && found.every((status) => status === 'completed'),
      'all jobs to be completed',
      120_000,
    );
    const [usage] = JSON.parse((await call('-f', 'json', 'slurm', 'sacct', String(id))).stdout).summary as [object];
    expect(usage).toMatchObject({
      slurm_job_id: expect.stringMatching(/^\d+$/),
      nodes: expect.stringMatching(/^t\d+n\d$/),
    });
  });

  it('the plan for a mixed file has an allocation for each width, jobs of all sizes share them, and all complete', async () => {
    const mixed = `name: mixed
execution_config: {mode: slurm}
resource_requirements:
  - {name: small, num_cpus: 1, memory: 50m, runtime: PT1M}
  - {name: wide, num_cpus: 4, memory: 500m, runtime: PT1M}
  - {name: card, num_cpus: 1, num_gpus: 1, memory: 50m, runtime: PT1M}
  - {name: two, num_cpus: 1, num_nodes: 2, memory: 50m, runtime: PT1M}
jobs:
  - {name: "small_{i}", parameters: {i: "1:8"}, command: "true", resource_requirements: small}
  - {name: "wide_{i}", parameters: {i: "1:2"}, command: "true", resource_requirements: wide}
  - {name: "card_{i}", parameters: {i: "1:2"}, command: "true", resource_requirements: card}
  - {name: two, command: "true", resource_requirements: two}
`;
    writeFileSync(join(folder, 'mixed.yaml'), mixed);
    const generated = await call('slurm', 'generate', 'mixed.yaml', '--account', 'any', '-o', 'planned.yaml');
    expect([generated.code, generated.stderr]).toEqual([
      0,
      expect.stringMatching(
        /debug_scheduler: 1 allocation of 1 node[^]*debug_2_[^]*debug_3_scheduler: 1 allocation of 2 nodes/,
      ),
    ]);
    const { code, stdout, stderr } = await call('submit', 'planned.yaml', '-o', 'mixed');
    expect([code, stderr]).toEqual([0, expect.stringContaining('with ID=')]);
    const id = Number(/workflow (\d+)/.exec(stdout)?.[1]);
    await until(
      () => statuses(id),
      (found) => found.length === 13 && found.every((status) => status === 'completed'),
      'all jobs to be completed',
      120_000,
    );
  });

  it('of the partitions here the default one is planned for, not the first by name, and what another one does not take is said', async () => {
    const nodes = `Nodes=${nodeName('[1-2]')}`;
    cluster.run('scontrol', 'create', 'PartitionName=aaa_private', nodes, 'AllowAccounts=others');
    cluster.run('scontrol', 'create', 'PartitionName=aab_down', nodes, 'State=DOWN');
    const words = ['slurm', 'generate', 'bare.yaml', '--account', 'any', '--dry-run'];
    expect((await call(...words)).stdout).toContain('partition: debug');
    for (const [name, why] of [
      ['aaa_private', 'takes only the accounts others'],
      ['aab_down', 'is DOWN'],
    ] as const) {
      const { stdout, stderr } = await call(...words, '-p', name);
      expect([stdout, stderr]).toEqual([
        expect.stringContaining(`partition ${name} (--partition; the default is debug)`),
        expect.stringContaining(`Partition '${name}' ${why}`),
      ]);
      cluster.run('scontrol', 'delete', `PartitionName=${name}`);
    }
  });

  it('the workflow of steps on the page about allocations, of a job of a minute, is planned, submitted and completed', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/how-to/run-inside-slurm.md'), 'utf8');
    const text = /```yaml\n(name: steps\n[^]*?)```/.exec(page)?.[1] as string;
    expect(text).toContain('runtime: PT1M');
    writeFileSync(join(folder, 'steps.yaml'), text);
    const generated = await call('slurm', 'generate', 'steps.yaml', '--account', 'any', '-o', 'planned.yaml');
    // Partition `short` ends jobs after two minutes, in which no step can start.
    expect([generated.code, generated.stderr]).toEqual([
      0,
      expect.stringContaining('1 allocation of 1 node for 1 job, walltime 00:04:00, partition debug'),
    ]);
    const { code, stdout, stderr } = await call('submit', 'planned.yaml', '-o', 'steps');
    expect([code, stderr]).toEqual([0, expect.stringContaining('with ID=')]);
    const id = Number(/workflow (\d+)/.exec(stdout)?.[1]);
    await until(
      () => statuses(id),
      (found) => found.length === 1 && found.every((status) => status === 'completed'),
      'the job to be completed',
    );
  });

  it('a runner whose allocation is too short for any step takes no job and leaves, and a recovery runs them in one that is long enough', async () => {
    const short = flow.replace('"00:10:00"', '"00:01:30"').replace('num_allocations: 2', 'num_allocations: 1');
    writeFileSync(join(folder, 'short.yaml'), `${short}execution_config: {mode: slurm}\n`);
    const submitted = await call('submit', 'short.yaml', '-o', 'short', '--skip-checks');
    const id = Number(/workflow (\d+)/.exec(submitted.stdout)?.[1]);
    expect(submitted.stderr).toContain('ready jobs need more time than an allocation has');
    // A watch would cancel an allocation that waits and is too short for every job.
    await until(
      () => allocations(id),
      (rows) => rows.every(({ status }) => status === 'complete'),
      'the runner to leave',
    );
    const watched = await call('watch', String(id), '--recover', '-p', '1', '-o', 'short');
    expect([watched.code, watched.stderr]).toEqual([0, expect.stringContaining('Workflow completed successfully')]);
    expect(await statuses(id)).toEqual(Array.from({ length: 7 }, () => 'completed'));
    const nodes = (await server.client.listComputeNodes({ query: { workflow_id: id } })).items;
    const results = (await server.client.listResults({ query: { workflow_id: id } })).items;
    expect(nodes).toHaveLength(2);
    expect(new Set(results.map(({ compute_node_id: node }) => node))).toEqual(new Set([nodes[1]?.id]));
    // It left long before its end, and claimed nothing.
    expect(nodes[0]?.duration_seconds).toBeLessThan(30);
    const logs = readdirSync(join(folder, 'short')).filter((name) => name.startsWith('job_runner_slurm_'));
    const text = logs.map((name) => readFileSync(join(folder, 'short', name), 'utf8')).join('');
    expect(text).toContain('too little time is left to start a job');
    expect(text).not.toContain('step was refused');
  });

  it('what Slurm would refuse is shown before anything is submitted', async () => {
    const named = (partition: string) => flow.replace('account: any,', `account: any, partition: ${partition},`);
    writeFileSync(join(folder, 'nowhere.yaml'), named('nowhere'));
    const refused = await call('submit', 'nowhere.yaml', '-o', 'out');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining(
        'Slurm would refuse allocations of nodes (account any, partition nowhere): invalid partition specified: nowhere',
      ),
    ]);
    writeFileSync(join(folder, 'wide.yaml'), named('debug').replace('nodes: 1,', 'nodes: 9,'));
    const warned = await call('submit', 'wide.yaml', '-o', 'out');
    expect([warned.code, warned.stderr]).toEqual([
      0,
      expect.stringContaining('Slurm cannot start allocations of nodes as the cluster is now'),
    ]);
    const id = /workflow (\d+)/.exec(warned.stdout)?.[1] as string;
    expect((await allocations(Number(id))).length).toBe(2);
    await call('cancel', id, '--no-prompts');
  });

  it.each([
    [
      'a program that is not on the node',
      'program',
      '--export=PATH=/usr/bin:/bin',
      () => {},
      [/\(FAILED, exit code 127\)/, /torc-slurm-job-runner: not found/],
    ],
    [
      'a file in place of its output folder',
      'output',
      '--hold',
      // Without anything there, 26.05.3 makes the folder.
      (out: string, job: string) => {
        renameSync(out, `${out}-away`);
        writeFileSync(out, '');
        cluster.run('scontrol', 'release', job);
      },
      [/\(FAILED 0:53: Slurm could not open its output file on the node; /],
    ],
  ])(
    'watch, status, explain and recover say how an allocation ended before a runner began, and quote its last words: %s',
    async (_, name, extra, then, expected) => {
      const text = flow
        .replace('num_allocations: 2', 'num_allocations: 1')
        .replace('mem: 500m}', `mem: 500m, extra: "${extra}"}`);
      writeFileSync(join(folder, `${name}.yaml`), text);
      const submitted = await call('submit', `${name}.yaml`, '-o', name);
      const id = /workflow (\d+)/.exec(submitted.stdout)?.[1] as string;
      const [job = ''] = (await allocations(Number(id))).map((each) => String(jobOfAllocation(each)));
      then(join(folder, name), job);
      await until(
        () => cluster.run('squeue', '-h', '-t', 'all', '-j', job, '-o', '%T').trim(),
        (state) => state === 'FAILED',
        'the allocation to fail',
      );
      if (statSync(join(folder, name)).isFile()) rmSync(join(folder, name));
      const [one] = (await server.client.listJobs({ query: { workflow_id: Number(id), status: 'ready', limit: 1 } }))
        .items;
      const faces = [
        await call('status', id),
        await call('jobs', 'explain', String(one?.id)),
        await call('watch', id, '-p', '1', '-o', name),
        // Its record is corrected now.
        await call('status', id),
        await call('recover', id, '--dry-run', '-o', name),
      ];
      for (const [at, { stdout, stderr }] of faces.entries())
        for (const each of [/llocation \d+ ended before a runner (of it )?began/, ...expected])
          expect([at, stdout + stderr]).toEqual([at, expect.stringMatching(each)]);
      expect(faces.map(({ stdout, stderr }) => stdout + stderr).join('')).not.toContain('slurm_output_*');
    },
  );

  it('an allocation without a size of memory offers what Slurm granted, and says which nodes stay idle', async () => {
    const wide = flow
      .replace('nodes: 1, ', 'nodes: 2, ')
      .replace(', mem: 500m', '')
      .replace('num_allocations: 2', 'num_allocations: 1');
    writeFileSync(join(folder, 'wide.yaml'), wide);
    const { code, stdout, stderr } = await call('submit', 'wide.yaml', '-o', 'wide');
    expect([code, stderr]).toEqual([0, expect.stringContaining('with ID=')]);
    const id = Number(/workflow (\d+)/.exec(stdout)?.[1]);
    await until(
      () => statuses(id),
      (found) => found.every((status) => status === 'completed'),
      'all jobs to be completed',
      120_000,
    );
    // The cluster gives 1,000 MiB for each of the two CPUs.
    const [node] = (await server.client.listComputeNodes({ query: { workflow_id: id } })).items;
    expect([node?.num_cpus, (node?.memory_gb ?? 0) * 1024]).toEqual([2, 2000]);
    const log = readdirSync(join(folder, 'wide')).find((name) => name.startsWith('job_runner_slurm_')) as string;
    // A runner writes its log a moment later: the jobs may have completed before.
    await until(
      () => Promise.resolve(readFileSync(join(folder, 'wide', log), 'utf8')),
      (text) => text.includes('The allocation has 2 nodes, and this runner uses one'),
      'the warning in the log',
    );
  });

  it('while the last job runs, a runner for which no job is left leaves after ten seconds, and allocations in the queue are canceled', async () => {
    const [schedulers, jobs] = [flow.indexOf('slurm_schedulers:'), flow.indexOf('jobs:')];
    const last = `slurm_defaults: {cpus-per-task: 4}
${flow.slice(schedulers, jobs)}jobs:
  - {name: last, command: "until [ -e last ]; do sleep 0.1; done", resource_requirements: four}
  - {name: first, command: "sleep 2", resource_requirements: four}
${flow.slice(flow.indexOf('actions:')).replace('num_allocations: 2', 'num_allocations: 4')}`;
    const four = `name: last\nresource_requirements:\n  - {name: four, num_cpus: 4, memory: 50m, runtime: PT1M}\n`;
    writeFileSync(join(folder, 'last.yaml'), four + last);
    const { code, stdout, stderr } = await call('submit', 'last.yaml', '-o', 'last_out');
    expect([code, stderr]).toEqual([0, expect.stringContaining('with ID=')]);
    const id = Number(/workflow (\d+)/.exec(stdout)?.[1]);
    const found = await until(
      () => allocations(id),
      (rows) =>
        rows
          .map(({ status }) => status)
          .toSorted()
          .join(' ') === 'active canceled canceled complete',
      'the runner without work to leave, and the allocations in the queue to be canceled',
    );
    expect(await statuses(id)).toEqual(['running', 'completed']);
    const jobsOf = (wanted: string) =>
      found.flatMap((each) => (each.status === wanted ? [String(jobOfAllocation(each))] : []));
    const canceled = jobsOf('canceled');
    // The allocations are tasks of a job array: the one that runs stays.
    const array = String(found[0]?.array_job_id);
    const left = cluster.run('squeue', '-hr', '-t', 'PENDING,RUNNING', '-j', array, '-o', '%i').trim().split('\n');
    expect([left.filter((job) => canceled.includes(job)), left]).toEqual([
      [],
      expect.arrayContaining(jobsOf('active')),
    ]);
    const eventsOf = async (category: string) =>
      (await server.client.listEvents({ query: { workflow_id: id, category } })).items.map(({ data }) => data);
    expect(await eventsOf('scheduler')).toEqual([
      expect.objectContaining({ action: 'cancel_unneeded_pending_allocations', slurm_job_ids: canceled }),
    ]);
    const reason = 'no job is left or to come that this runner could take: 1 elsewhere';
    expect(await eventsOf('runner_left')).toEqual([expect.objectContaining({ ending: 'idle', reason })]);
    writeFileSync(join(folder, 'last'), '');
    const logs = () =>
      readdirSync(join(folder, 'last_out'))
        .filter((name) => name.startsWith('job_runner_slurm_'))
        .map((name) => readFileSync(join(folder, 'last_out', name), 'utf8'))
        .join('');
    await until(
      () => statuses(id),
      (all) => all.every((status) => status === 'completed'),
      'the last job to be completed',
    );
    await until(
      () => Promise.resolve(logs()),
      (text) =>
        text.includes(reason) &&
        text.includes('Queued allocations were canceled: no job is left that could run in them'),
      'both in the logs',
    );
  });

  it('torc sonar reports the jobs and nodes of the cluster, and each state of a job once', async () => {
    // It looks like the record of another job.
    const name = 'a|b\nJobId=1 JobName=x UserId=bob(7) JobState=COMPLETED Reservation=r';
    cluster.run('sbatch', '-o', '/dev/null', '--array=0-1', `--job-name=${name}`, '--wrap', 'srun true; exit 3');
    const sonar = async (...args: string[]) => {
      const { code, stdout, stderr } = await call('sonar', ...args, '--cluster', 'test.cluster');
      expect([code, stderr]).toEqual([0, '']);
      const record = JSON.parse(stdout) as { data: { attributes: { slurm_jobs: SonarSlurmJob[] } } };
      expect([...refusalsOf(record), ...checkEnvelope(record).problems]).toEqual([]);
      return record.data.attributes;
    };
    const tasks = (jobs: readonly SonarSlurmJob[]) => jobs.filter(({ array_job_id: whole }) => whole !== undefined);
    const reported = join(folder, 'reported.json');
    const seen: SonarSlurmJob[] = [];
    await until(
      async () => {
        const { slurm_jobs: news } = await sonar('jobs', '--state', reported);
        seen.push(...news);
        return new Set(
          seen.flatMap((job) => (job.job_state === 'FAILED' ? [`${job.job_id}.${job.job_step ?? ''}`] : [])),
        );
      },
      // The tasks and their batch steps.
      (failed) => failed.size >= 4,
      'both tasks to be reported as failed',
    );
    const { slurm_jobs: all } = await sonar('jobs', '--stateless');
    const ended = tasks(all).filter(({ job_state: state, job_step: step }) => state === 'FAILED' && step === undefined);
    expect(ended.map((job) => [job.array_task_id ?? 0, job.exit_code, job.job_name])).toEqual([
      [0, 3, name],
      [1, 3, name],
    ]);
    for (const { start_time: start = '', end_time: end = '', submit_time: submit = '' } of ended)
      expect([submit, start, end].toSorted()).toEqual([submit, start, end]);
    expect(
      tasks(all).filter(({ job_step: step, job_state: state }) => step === '0' && state === 'COMPLETED'),
    ).toHaveLength(2);
    // Of other tests on this cluster, accounting may still have a job that runs.
    expect(tasks(all).every(({ job_state: state }) => state !== 'PENDING' && state !== 'RUNNING')).toBe(true);
    expect(all.filter(({ user_name: user }) => user === 'bob')).toEqual([]);
    // What was reported is not reported again, unless something changed.
    const { slurm_jobs: again } = await sonar('jobs', '--state', reported);
    expect(tasks(again).filter(({ array_task_id: task }) => task === 1)).toEqual([]);

    const { nodes, partitions } = (await sonar('cluster')) as unknown as Record<string, Record<string, string[]>[]>;
    expect(partitions?.flatMap(({ nodes: names = [] }) => names)).not.toEqual([]);
    expect(nodes?.every(({ names = [], states = [] }) => names.length > 0 && states.length > 0)).toBe(true);
  });
});
