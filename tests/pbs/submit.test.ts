import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer, temporaryFolder, torc, until } from '../support/programs.ts';
import { pbsIsMissing, startPbs, type PbsCluster } from './cluster.ts';

const flow = (allocations: number) => `
name: flow
resource_requirements:
  - {name: two, num_cpus: 2, memory: 50m, runtime: PT1M}
pbs_schedulers:
  - {name: nodes, walltime: "00:10:00", mem: 500m}
jobs:
  - {name: "part_{i}", parameters: {i: "1:6"}, command: "echo on $(hostname) $(umask) $(pwd) $ODD", resource_requirements: two}
  - {name: join, command: "true", resource_requirements: two, depends_on_regexes: ["part_.*"]}
actions:
  - {trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: nodes, scheduler_type: pbs, num_allocations: ${allocations}}
`;
const LONG = `
name: long
pbs_schedulers: [{name: nodes, walltime: "00:10:00", select: "1:ncpus=4:mem=500mb"}]
jobs:
  - {name: long, command: "trap 'echo ended >> ends; exit 3' TERM; echo began >> begins; while :; do sleep 0.1; done"}
actions:
  - {trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: nodes, scheduler_type: pbs, num_allocations: 3}
`;

describe.skipIf(pbsIsMissing !== undefined)('torc submit on a real PBS cluster', () => {
  let cluster: PbsCluster;
  let folder: string;
  let server: RunningServer;
  beforeAll(async () => {
    cluster = await startPbs();
    folder = temporaryFolder();
    server = await startServer(folder);
  });

  const call = (...args: string[]) =>
    torc(['--url', server.url, ...args], {
      cwd: folder,
      environment: { ...process.env, ...cluster.environment, ODD: `a 'b', \\"c"` },
    });
  const submit = async (text: string, output: string) => {
    writeFileSync(join(folder, 'flow.yaml'), text);
    const { code, stdout, stderr } = await call('-f', 'json', 'submit', 'flow.yaml', '-o', output, '-p', '1');
    expect([code, stderr]).toEqual([0, expect.stringContaining('Submitted PBS job name=')]);
    return (JSON.parse(stdout) as { workflow_id: number }).workflow_id;
  };
  const allocations = async (id: number) =>
    (await server.client.listScheduledComputeNodes({ query: { workflow_id: id } })).items;
  const jobs = async (id: number) => (await server.client.listJobs({ query: { workflow_id: id } })).items;

  it('its allocations run the jobs, with the variables, the folder and the umask of the user, and leave nothing', async () => {
    const id = await submit(flow(2), 'out');
    await until(
      () => jobs(id),
      (found) => found.every(({ status }) => status === 'completed'),
      'all jobs to be completed',
      60_000,
    );
    const rows = await until(
      () => allocations(id),
      (found) => found.every(({ status }) => status === 'complete'),
      'the allocations to end',
      60_000,
    );
    const stdio = join(folder, 'out/job_stdio');
    const text = readdirSync(stdio).map((name) => readFileSync(join(stdio, name), 'utf8'));
    expect(text.join('')).toMatch(new RegExp(`^(on n[12] 0022 ${folder} a 'b', \\\\"c"\n){6}$`));
    for (const { scheduler_id: job } of rows) {
      await until(
        () => cluster.field(job, 'job_state'),
        (state) => state === 'F',
        `job ${job} to end`,
      );
      expect(cluster.field(job, 'Exit_status')).toBe('0');
    }
    expect(readdirSync(join(folder, 'out/pbs')).filter((name) => name.endsWith('.sh'))).toEqual([]);
    const [runner] = (await server.client.listComputeNodes({ query: { workflow_id: id } })).items;
    expect(runner).toMatchObject({ num_cpus: 2, memory_gb: 500 / 1024 });
  });

  it('allocations that are canceled end, those that wait and those that run, and their jobs have the time until the kill', async () => {
    const id = await submit(LONG, 'long');
    await until(
      () => existsSync(join(folder, 'begins')),
      (began) => began,
      'the job to begin',
      60_000,
    );
    const rows = await allocations(id);
    // Two nodes run two of the three.
    await until(
      () => rows.filter(({ scheduler_id: job }) => cluster.field(job, 'comment')?.startsWith('Not Running')).length,
      (waiting) => waiting === 1,
      'one allocation to wait',
    );
    const { stdout } = await call('status', String(id));
    expect(stdout).toMatch(/Allocation \d+ waits in the queue of PBS \(Not Running: .*\)/);
    expect((await call('cancel', String(id), '--no-prompts')).code).toBe(0);
    for (const { scheduler_id: job } of rows)
      await until(
        () => cluster.field(job, 'job_state'),
        (state) => state === 'F',
        `job ${job} to end`,
        30_000,
      );
    expect(readFileSync(join(folder, 'ends'), 'utf8')).toBe('ended\n');
    expect((await jobs(id)).map(({ status }) => status)).toEqual(['canceled']);
    // A runner that ends by itself completes its record.
    for (const { status } of await allocations(id)) expect(['canceled', 'complete']).toContain(status);
    expect(readdirSync(join(folder, 'long/pbs')).filter((name) => name.endsWith('.sh'))).toEqual([]);
  });

  it('what can never run is said, with what ends it, by status and by explain', async () => {
    const text = LONG.replace('ncpus=4', 'ncpus=64').replace('num_allocations: 3', 'num_allocations: 1');
    const id = await submit(text, 'never');
    const [row] = await allocations(id);
    const job = row?.scheduler_id;
    await until(
      async () => (await call('status', String(id))).stdout,
      (said) => said.includes('Can Never Run'),
      'PBS to look at the allocation',
      60_000,
    );
    const { stdout } = await call('status', String(id));
    expect(stdout).toContain(
      `Allocation ${job} does not start as requested (Can Never Run: Insufficient amount of resource: ncpus`,
    );
    expect(stdout).toContain(`To give up: qdel ${job}\n`);
    const [waiting] = await jobs(id);
    const why = (await call('jobs', 'explain', String(waiting?.id))).stdout;
    expect(why).toContain('waits for an allocation that PBS has not started');
    expect(why).toContain(`qdel ${job}\n`);
    cluster.run('qdel', `${job}.pbs`);
  });
});
