import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, start, startServer, temporaryFolder, torc } from '../support/programs.ts';
import { said } from '../support/words.ts';

/** Steps of Slurm with stand-ins for its programs, as users and Torc's own tests name them: `TORC_FAKE_SRUN` and the like. */

let server: RunningServer;
let folder: string;
beforeAll(async () => {
  folder = temporaryFolder();
  server = await startServer(folder);
});

const program = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/bash\n${text}`);
  chmodSync(path, 0o755);
  return path;
};

/** An srun that notes its options and runs what follows them. */
const srun = () =>
  program(
    'fake-srun',
    `printf '%s\\n' "$*" | head -1 >> ${folder}/sruns\nwhile [[ $1 == --* ]]; do shift; done\nexec "$@"\n`,
  );

const allocation = {
  SLURM_JOB_ID: '42',
  SLURM_NODEID: '0',
  SLURM_TASK_PID: '77',
  SLURM_JOB_NUM_NODES: '1',
  SLURM_JOB_NODELIST: 'node7',
  SLURM_CPUS_ON_NODE: '2',
  SLURM_MEM_PER_NODE: '1024',
  SLURM_NTASKS: '2',
  SLURM_JOB_END_TIME: String(Math.floor(Date.now() / 1000) + 3600),
  SLURM_JOB_GPUS: '',
  CUDA_VISIBLE_DEVICES: undefined,
};

async function created(text: string): Promise<number> {
  const file = join(folder, 'flow.yaml');
  writeFileSync(file, text);
  const { stdout, stderr } = await said(['--url', server.url, 'create', file], {});
  const id = /\d+/.exec(stdout)?.[0];
  if (id === undefined) throw new Error(stderr);
  await said(['--url', server.url, 'workflows', 'init', id], {});
  return Number(id);
}

const runner = (workflow: number, environment: Record<string, string | undefined>) =>
  start('torc-slurm-job-runner', [server.url, String(workflow), `out-${workflow}`], { cwd: folder, environment }).ended;

const resultsOf = async (id: number) => {
  const { items } = await server.client.listResults({ query: { workflow_id: id } });
  return items
    .map(({ job_id: job, status, return_code: code }) => ({ job, status, code }))
    .sort((a, b) => a.job - b.job);
};

const flow = (mode: string) => `
name: flow
execution_config: {mode: ${mode}}
resource_requirements: [{name: small, num_cpus: 1, memory: 100m, runtime: PT1M}]
jobs:
  - {name: good, command: "echo $SLURM_NTASKS-$TORC_JOB_NAME", resource_requirements: small}
  - {name: bad, command: "exit 200", resource_requirements: small}
`;

describe('steps with stand-ins for the programs of Slurm', () => {
  it('each job is started by srun with the options of its step, and without the variables of the runner', async () => {
    const sacct = program('no-sacct', 'exit 1\n');
    const id = await created(flow('auto'));
    const { code } = await runner(id, { ...allocation, TORC_FAKE_SRUN: srun(), TORC_FAKE_SACCT: sacct });
    expect(code).toBe(0);
    const results = await resultsOf(id);
    expect(results).toMatchObject([
      { status: 'completed', code: 0 },
      { status: 'failed', code: 200 },
    ]);
    const calls = readFileSync(join(folder, 'sruns'), 'utf8').trim().split('\n').sort();
    expect(calls[0]).toMatch(
      new RegExp(
        `^--jobid=42 --ntasks=1 --cpu-bind=none --exact --job-name=wf${id}_j${results[0]?.job}_r1_a1 --nodes=1 --cpus-per-task=1 --mem=100M --time=5[78] bash -c `,
      ),
    );
    const outputs = readdirSync(join(folder, `out-${id}/job_stdio`)).filter((name) => name.endsWith('.o'));
    const texts = outputs.map((name) => readFileSync(join(folder, `out-${id}/job_stdio`, name), 'utf8'));
    expect(texts.join('')).toBe('-good\n');
  });

  it('what sacct has is stored, and a State OUT_OF_MEMORY makes the result', async () => {
    const id = await created(flow('slurm'));
    const { items } = await server.client.listJobs({ query: { workflow_id: id } });
    const [good, bad] = items.map(({ id: job }) => `wf${id}_j${job}_r1_a1`);
    const sacct = program(
      'sacct',
      `echo "${good}|2048K|4096K|1M|2M|00:00:30|node7|COMPLETED"\necho "${bad}|1024K|||||node7|OUT_OF_MEMORY"\n`,
    );
    await runner(id, { ...allocation, TORC_FAKE_SRUN: srun(), TORC_FAKE_SACCT: sacct });
    expect(await resultsOf(id)).toMatchObject([
      { status: 'completed', code: 0 },
      { status: 'failed', code: 137 },
    ]);
    const { items: stats } = await server.client.listSlurmStats({ query: { workflow_id: id } });
    // They are stored as they come.
    expect(stats.sort((one, other) => one.job_id - other.job_id)).toMatchObject([
      {
        slurm_job_id: '42',
        max_rss_bytes: 2 ** 21,
        max_vm_size_bytes: 2 ** 22,
        max_disk_read_bytes: 2 ** 20,
        max_disk_write_bytes: 2 ** 21,
        ave_cpu_seconds: 30,
        node_list: 'node7',
      },
      { max_rss_bytes: 2 ** 20 },
    ]);
    const { items: results } = await server.client.listResults({ query: { workflow_id: id } });
    const result = results.find(({ job_id: job }) => job === items[0]?.id);
    expect(result?.peak_memory_bytes).toBe(2 ** 21);
    expect(result?.avg_cpu_percent).toBeGreaterThan(0);
  });

  it('mode direct starts no srun, although the runner is in an allocation', async () => {
    const id = await created(flow('direct'));
    const fake = program('unused-srun', `touch ${folder}/used; exit 1\n`);
    await runner(id, { ...allocation, TORC_FAKE_SRUN: fake });
    expect(await resultsOf(id)).toMatchObject([{ status: 'completed' }, { status: 'failed', code: 200 }]);
    expect(readdirSync(folder)).not.toContain('used');
  });

  it('a step that srun refuses leaves its job ready, and no result', async () => {
    const id = await created(`${flow('slurm')}compute_node_wait_for_new_jobs_seconds: 1\n`);
    const fake = program('refusing-srun', 'echo "srun: error: Unable to create step for job 42: no" >&2; exit 1\n');
    const { stdout } = await said(['-f', 'json', '--url', server.url, 'workflows', 'get', String(id)], {});
    expect(stdout).toContain('"mode": "slurm"');
    const end = String(Math.floor(Date.now() / 1000) + 130);
    const environment = { ...allocation, SLURM_JOB_END_TIME: end, TORC_FAKE_SRUN: fake, TORC_FAKE_SACCT: '/bin/true' };
    const running = start('torc-slurm-job-runner', [server.url, String(id), `out-${id}`], { cwd: folder, environment });
    await running.says(/its step was refused.*Unable to create step for job 42: no/);
    running.child.kill('SIGTERM');
    await running.ended;
    const { items } = await server.client.listJobs({ query: { workflow_id: id } });
    expect(items.map(({ status }) => status)).toEqual(['ready', 'ready']);
    expect(await resultsOf(id)).toEqual([]);
  });

  it('mode slurm outside of an allocation is refused before anything is claimed', async () => {
    const id = await created(flow('slurm'));
    const { code, stderr } = await torc(['--url', server.url, 'run', String(id)], {
      cwd: folder,
      environment: { SLURM_JOB_ID: undefined },
    });
    expect(code).toBe(1);
    expect(stderr).toContain('asks for execution mode slurm, and this runner is not inside a Slurm allocation');
    const { items } = await server.client.listJobs({ query: { workflow_id: id } });
    expect(items.map(({ status }) => status)).toEqual(['ready', 'ready']);
  });
});

describe('jobs inside one long step, with stand-ins for the programs of Slurm', () => {
  const batched = flow('slurm').replace('{mode: slurm}', '{mode: slurm, step_batching: true}');
  const quiet = () => program('quiet-sacct', 'exit 1\n');

  it('one srun starts all jobs of a node, and their results come with the step that carried them', async () => {
    const calls = join(folder, 'long-steps');
    const srun = program(
      'srun-of-a-launcher',
      `printf '%s\\n' "$*" >> ${calls}\nwhile [[ $1 == --* ]]; do shift; done\nSLURM_STEP_ID=3 exec "$@"\n`,
    );
    const id = await created(batched);
    const { code } = await runner(id, { ...allocation, TORC_FAKE_SRUN: srun, TORC_FAKE_SACCT: quiet() });
    expect(code).toBe(0);
    expect(await resultsOf(id)).toMatchObject([
      { status: 'completed', code: 0 },
      { status: 'failed', code: 200 },
    ]);
    const [call, ...more] = readFileSync(calls, 'utf8').trim().split('\n');
    expect(more).toEqual([]);
    expect(call).toMatch(
      new RegExp(
        `^--jobid=42 --ntasks=1 --overlap --job-name=wf${id}_r1_jobs_node7 --nodes=1 --cpus-per-task=2 --mem=0 `,
      ),
    );
    const { items: stats } = await server.client.listSlurmStats({ query: { workflow_id: id } });
    expect(stats).toMatchObject([
      { slurm_job_id: '42', slurm_step: '42.3', node_list: 'node7' },
      { slurm_job_id: '42', slurm_step: '42.3', node_list: 'node7' },
    ]);
    expect(stats.every(({ ave_cpu_seconds: cpu }) => cpu === undefined || cpu === null || cpu >= 0)).toBe(true);
  });

  it('where no long step begins, jobs are steps of their own, and the log says why', async () => {
    const srun = program(
      'srun-without-long-steps',
      `[[ "$*" == *--overlap* ]] && { echo "srun: error: no long steps here" >&2; exit 1; }\nwhile [[ $1 == --* ]]; do shift; done\nexec "$@"\n`,
    );
    const id = await created(batched);
    const { code } = await runner(id, { ...allocation, TORC_FAKE_SRUN: srun, TORC_FAKE_SACCT: quiet() });
    expect(code).toBe(0);
    expect(await resultsOf(id)).toMatchObject([
      { status: 'completed', code: 0 },
      { status: 'failed', code: 200 },
    ]);
    const log = readdirSync(join(folder, `out-${id}`)).find((name) => name.endsWith('.log')) as string;
    expect(readFileSync(join(folder, `out-${id}`, log), 'utf8')).toContain('no long steps here');
    const { items: stats } = await server.client.listSlurmStats({ query: { workflow_id: id } });
    expect(stats.map(({ slurm_step: step }) => step ?? undefined)).toEqual([undefined, undefined]);
  });
});
