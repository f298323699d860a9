import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Ended, type RunningServer, start, startServer, temporaryFolder, until } from '../support/programs.ts';
import { said } from '../support/words.ts';

let server: RunningServer;
let folder: string;
beforeAll(async () => {
  folder = temporaryFolder();
  server = await startServer(folder);
});

/** An hour from now, as Slurm sets it: Unix seconds. */
const later = String(Math.floor(Date.now() / 1000) + 3600);

/** What Slurm sets for a task on one node of allocation 42. */
const allocation = {
  SLURM_JOB_ID: '42',
  SLURM_NODEID: '0',
  SLURM_TASK_PID: '77',
  SLURM_JOB_NUM_NODES: '1',
  SLURM_CPUS_ON_NODE: '2',
  SLURM_MEM_PER_NODE: '1024',
  SLURM_JOB_END_TIME: later,
  SLURM_JOB_GPUS: '',
  CUDA_VISIBLE_DEVICES: undefined,
};

/** A workflow by its id, ready to run. */
async function created(text: string): Promise<string> {
  const file = join(folder, 'flow.yaml');
  writeFileSync(file, text);
  const { stdout, stderr } = await said(['--url', server.url, 'create', file], {});
  const id = /\d+/.exec(stdout)?.[0];
  if (id === undefined) throw new Error(stderr);
  await said(['--url', server.url, 'workflows', 'init', id], {});
  return id;
}

const runner = (
  workflow: string,
  environment: Record<string, string | undefined>,
  ...options: string[]
): Promise<Ended> =>
  start('torc-slurm-job-runner', [server.url, workflow, `out-${workflow}`, ...options], { cwd: folder, environment })
    .ended;

const nodesOf = async (workflow: string) =>
  (await server.client.listComputeNodes({ query: { workflow_id: Number(workflow) } })).items;

const statusesOf = async (workflow: string) => {
  const { items } = await server.client.listJobs({ query: { workflow_id: Number(workflow) } });
  return Object.fromEntries(items.map(({ name, status }) => [name, status]));
};

describe('torc-slurm-job-runner URL WORKFLOW OUTPUT_DIR', () => {
  it('torc-slurm-job-runner URL WORKFLOW OUTPUT_DIR runs the jobs of a workflow with what the allocation has, and leaves with 0 also when some failed', async () => {
    const workflow = await created(
      'name: flow\njobs:\n  - {name: good, command: echo hello}\n  - {name: bad, command: exit 3}\n',
    );
    const { code, stdout, stderr } = await runner(workflow, allocation);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain('Runner ended (complete): 1 completed, 1 failed, 0 terminated');
    expect(await statusesOf(workflow)).toEqual({ good: 'completed', bad: 'failed' });
    const printed = readdirSync(join(folder, `out-${workflow}/job_stdio`)).filter((name) => name.endsWith('.o'));
    const texts = printed.map((name) => readFileSync(join(folder, `out-${workflow}/job_stdio`, name), 'utf8'));
    expect(texts.join('')).toBe('hello\n');
    const log = `job_runner_slurm_wf${workflow}_sl42_n0_pid77.log`;
    expect(readFileSync(join(folder, `out-${workflow}`, log), 'utf8')).toContain('Job runner starting');
    expect(await nodesOf(workflow)).toEqual([
      expect.objectContaining({
        compute_node_type: 'slurm',
        num_cpus: 2,
        memory_gb: 1,
        num_gpus: 0,
        is_active: false,
        scheduler: expect.objectContaining({ slurm_job_id: '42', slurm_node_id: 0, slurm_task_pid: 77 }),
      }),
    ]);
  });

  it('torc-slurm-job-runner URL WORKFLOW OUTPUT_DIR stands for the scheduler that its allocation was made for, and says how the allocation stands', async () => {
    const workflow = await created(
      'name: bound\nslurm_schedulers: [{name: long, account: a, nodes: 1, walltime: "01:00:00"}]\njobs:\n  - {name: bound, scheduler: long, command: "until [ -e go ]; do sleep 0.05; done"}\n',
    );
    const { client } = server;
    const query = { workflow_id: Number(workflow) };
    const [scheduler] = (await client.listSlurmSchedulers({ query })).items;
    const configId = scheduler?.id as number;
    const { id } = await client.createScheduledComputeNode({
      body: {
        ...query,
        scheduler_id: 42,
        scheduler_config_id: configId,
        scheduler_type: 'slurm',
        status: 'pending',
      },
    });
    const status = async () => (await client.getScheduledComputeNode({ params: { id: id } })).status;
    const ended = runner(workflow, allocation);
    await until(
      () => statusesOf(workflow),
      (found) => found['bound'] === 'running',
      'the job to run',
    );
    expect(await status()).toBe('active');
    writeFileSync(join(folder, 'go'), '');
    expect((await ended).code).toBe(0);
    expect(await status()).toBe('complete');
    expect(await nodesOf(workflow)).toEqual([
      expect.objectContaining({
        scheduler_config_id: configId,
        scheduler: {
          type: 'slurm',
          scheduler_id: id,
          slurm_job_id: '42',
          slurm_node_id: 0,
          slurm_task_pid: 77,
          slurm_restarts: 0,
        },
      }),
    ]);
    const { items } = await client.listSlurmJobCorrelations({ params: { id: Number(workflow) }, query: {} });
    expect(items).toEqual([{ slurm_job_id: '42', job_id: expect.any(Number), job_name: 'bound' }]);
  });

  it('torc-slurm-job-runner URL WORKFLOW OUTPUT_DIR leaves the status of an allocation that was canceled', async () => {
    const workflow = await created(
      'name: stopped\nslurm_schedulers: [{name: long, account: a, nodes: 1, walltime: "01:00:00"}]\njobs: [{name: stopped, command: "until [ -e stop ]; do sleep 0.05; done"}]\n',
    );
    const { client } = server;
    const query = { workflow_id: Number(workflow) };
    const configId = (await client.listSlurmSchedulers({ query })).items[0]?.id as number;
    const body = {
      ...query,
      scheduler_id: 42,
      scheduler_config_id: configId,
      scheduler_type: 'slurm',
      status: 'pending',
    };
    const { id } = (await client.createScheduledComputeNode({ body })) as { id: number };
    const ended = runner(workflow, allocation);
    await until(
      () => statusesOf(workflow),
      (found) => found['stopped'] === 'running',
      'the job to run',
    );
    await client.updateScheduledComputeNode({ params: { id }, body: { status: 'canceled' } });
    writeFileSync(join(folder, 'stop'), '');
    expect((await ended).code).toBe(0);
    expect((await client.getScheduledComputeNode({ params: { id } })).status).toBe('canceled');
  });

  it('torc-slurm-job-runner URL WORKFLOW OUTPUT_DIR leaves what the allocation has no room for to others', async () => {
    const workflow = await created(`
name: narrow
compute_node_wait_for_new_jobs_seconds: 1
resource_requirements:
  - {name: all, num_cpus: 2, memory: 1g, runtime: PT1M}
  - {name: cpus, num_cpus: 3, memory: 1m, runtime: PT1M}
  - {name: memory, num_cpus: 1, memory: 1025m, runtime: PT1M}
jobs:
  - {name: fits, command: "true", resource_requirements: all}
  - {name: wide, command: "true", resource_requirements: cpus}
  - {name: large, command: "true", resource_requirements: memory}
`);
    const { code, stderr } = await runner(workflow, allocation);
    expect(await statusesOf(workflow)).toEqual({ fits: 'completed', wide: 'ready', large: 'ready' });
    expect(stderr).toContain(
      '1 completed, 0 failed, 0 terminated; this runner can take none of the jobs that are ready',
    );
    expect(code).toBe(0);
  });

  it('torc-slurm-job-runner URL WORKFLOW OUTPUT_DIR gives its jobs the devices of the allocation, by their numbers', async () => {
    const workflow = await created(`
name: devices
resource_requirements: [{name: two, num_cpus: 1, memory: 1m, num_gpus: 2, runtime: PT1M}]
jobs: [{name: seen, command: "echo $CUDA_VISIBLE_DEVICES > devices.txt", resource_requirements: two}]
`);
    await runner(workflow, { ...allocation, SLURM_JOB_GPUS: '3,5' });
    expect(readFileSync(join(folder, 'devices.txt'), 'utf8')).toBe('3,5\n');
    expect((await nodesOf(workflow)).map(({ num_gpus }) => num_gpus)).toEqual([2]);
  });

  it('torc-slurm-job-runner URL WORKFLOW OUTPUT_DIR takes a share of the node when it is one of several there', async () => {
    const workflow = await created('name: shared\njobs: [{name: a, command: "true"}]\n');
    await runner(workflow, { ...allocation, SLURM_CPUS_PER_TASK: '1' }, '--is-subtask');
    expect((await nodesOf(workflow)).map(({ num_cpus, memory_gb }) => [num_cpus, memory_gb])).toEqual([[1, 0.5]]);
  });

  it('torc-slurm-job-runner URL WORKFLOW OUTPUT_DIR ends its jobs before the allocation ends', async () => {
    const workflow = await created(`
name: short
execution_config: {sigkill_headroom_seconds: 1, sigterm_lead_seconds: 1}
resource_requirements: [{name: brief, num_cpus: 1, memory: 1m, runtime: PT1S}]
jobs: [{name: long, command: exec sleep 600, resource_requirements: brief}]
`);
    const end = String(Math.ceil(Date.now() / 1000) + 12);
    const { code, stderr } = await runner(workflow, { ...allocation, SLURM_JOB_END_TIME: end });
    expect(await statusesOf(workflow)).toEqual({ long: 'terminated' });
    expect(stderr).toContain('Runner ended (deadline): 0 completed, 0 failed, 1 terminated');
    expect(code).toBe(0);
  });
});

describe('the end of the allocation', () => {
  const { SLURM_JOB_END_TIME: _, ...unreported } = allocation;
  const squeue = (name: string, script: string) => {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return { ...unreported, SLURM_JOB_END_TIME: '', TORC_FAKE_SQUEUE: path };
  };

  it('the end of the allocation is asked of squeue where the environment does not have it', async () => {
    const workflow = await created('name: asked\njobs: [{name: a, command: "true"}]\n');
    const answer = squeue('squeue-says', 'test "$3" = 42 && echo 2099-01-01T00:00:00');
    expect((await runner(workflow, answer)).code).toBe(0);
    const [node] = await nodesOf(workflow);
    // Less the time of the answer.
    expect(Math.abs(Date.parse(node?.end_time as string) - Date.parse('2099-01-01T00:00:00'))).toBeLessThan(20_000);
  });

  it('the end of the allocation is asked again while the controller is away', async () => {
    const workflow = await created('name: away\njobs: [{name: a, command: "true"}]\n');
    const script = `[ -e '${join(folder, 'asked')}' ] && exec echo 2099-01-01T00:00:00; touch '${join(folder, 'asked')}'
echo "slurm_load_jobs error: Unable to contact slurm controller (connect failure)" >&2; exit 1`;
    const { code, stderr } = await runner(workflow, squeue('squeue-returns', script));
    expect([code, stderr]).toEqual([0, expect.stringContaining('the controller of Slurm is away')]);
  });

  it('the end of the allocation is not guessed: where squeue fails too, its words are said, with what helps, and nothing runs', async () => {
    const workflow = await created('name: unknown\njobs: [{name: a, command: "true"}]\n');
    const failing = squeue('squeue-fails', 'echo "slurm_load_jobs error: Invalid job id specified" >&2; exit 1');
    const { code, stderr } = await runner(workflow, failing);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^Error: the end of allocation 42 is unknown: .*Invalid job id specified.*SLURM_JOB_END_TIME/,
    );
    expect(await nodesOf(workflow)).toEqual([]);
  });
});

describe('a runner for Slurm that cannot run', () => {
  it('a runner for Slurm that cannot run says so outside of an allocation, and does not show up at the server', async () => {
    const workflow = await created('name: outside\njobs: [{name: a, command: "true"}]\n');
    const { code, stdout, stderr } = await runner(workflow, { ...allocation, SLURM_JOB_ID: '' });
    expect([code, stdout, stderr]).toEqual([
      1,
      '',
      'Error: neither SLURM_JOB_ID nor PBS_JOBID names an allocation: this program runs inside one of Slurm or PBS, and not in a job of a PBS array; elsewhere use torc run\n',
    ]);
    expect(await nodesOf(workflow)).toEqual([]);
  });

  it('a runner for Slurm that cannot run says that a workflow has to be initialized first', async () => {
    const { id } = await server.client.createWorkflow({ body: { name: 'raw', user: 'tester' } });
    await server.client.createJob({ body: { workflow_id: id, name: 'a', command: 'true' } });
    expect((await runner(String(id), allocation)).stderr).toContain(
      'no job that is left can start, and no running job can change that: 1 uninitialized',
    );
  });

  it('a runner for Slurm that cannot run says so of a workflow that is not there, and of words that are missing', async () => {
    const absent = await runner('9999', allocation);
    expect([absent.code, absent.stderr.includes('was not found (404)')]).toEqual([1, true]);
    const { code, stderr } = await start('torc-slurm-job-runner', [server.url, '1'], { cwd: folder }).ended;
    expect([code, stderr]).toEqual([2, "error: missing required argument 'output-dir'\n"]);
  });
});

it('torc status names an allocation of several nodes on which one runner starts jobs, and says what uses the others', async () => {
  const workflow = await created(
    'name: wide\njobs: [{name: one, command: "until [ -e seen-idle ]; do sleep 0.1; done"}]\n',
  );
  const ended = runner(workflow, { ...allocation, SLURM_JOB_NUM_NODES: '3' });
  await until(
    () => statusesOf(workflow),
    ({ one }) => one === 'running',
    'the job to run',
  );
  const text = await said(['--url', server.url, 'status', workflow], {});
  expect(text.stdout).toContain('Allocation 42 has 3 nodes, and 2 are idle: start a runner on each');
  const json = await said(['--url', server.url, '-f', 'json', 'status', workflow], {});
  expect(JSON.parse(json.stdout)).toMatchObject({ idle_nodes: [{ slurm_job_id: '42', nodes: 3, idle_nodes: 2 }] });
  writeFileSync(join(folder, 'seen-idle'), '');
  await ended;
  const after = await said(['--url', server.url, 'status', workflow], {});
  expect(after.stdout).not.toContain('idle');
});
