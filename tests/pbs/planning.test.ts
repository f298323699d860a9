import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { pbsIsMissing } from './cluster.ts';
import { openLane, type PbsLane } from './lane.ts';

const needs = `
resource_requirements:
  - {name: small, num_cpus: 1, memory: 100m, runtime: PT1M}
  - {name: wide, num_cpus: 4, memory: 1g, runtime: PT2M}
`;
const jobs = `
jobs:
  - {name: "part_{i}", parameters: {i: "1:4"}, command: "echo {i} >> parts", resource_requirements: small}
  - {name: join, command: "echo joined >> parts", resource_requirements: wide, depends_on_regexes: ["part_.*"]}
`;
/** What a person reads on a site with PBS must name no other batch system; the command \`torc slurm\` is called so. */
const other = /\bSlurm|squeue|sbatch|scancel|sacct|sinfo/;

const queues = [
  'create queue slow queue_type=e',
  'set queue slow resources_max.walltime=01:00:00',
  'set queue slow max_queued="[u:PBS_GENERIC=1]"',
  'set queue slow enabled=true',
  'set queue slow started=true',
  'create queue closed queue_type=e',
  'set queue closed acl_user_enable=true',
  'set queue closed acl_users=ann',
  'set queue closed enabled=true',
  'set queue closed started=true',
];

describe.skipIf(pbsIsMissing !== undefined)('allocations that are planned on a real PBS cluster', () => {
  let lane: PbsLane;
  beforeAll(async () => {
    lane = await openLane({ set: queues });
  });
  const file = (name: string, text: string) => {
    writeFileSync(join(lane.folder, name), text);
    return name;
  };
  const called = async (...args: string[]) => {
    const { code, stdout, stderr } = await lane.call(...args);
    expect(`${stdout}${stderr}`).not.toMatch(other);
    return { code, text: `${stdout}${stderr}` };
  };
  const idIn = (text: string) => Number(/Created workflow (\d+)/.exec(text)?.[1]);
  const jobIn = (text: string) => Number(/with ID=(\d+)/.exec(text)?.[1]);

  it('a file that has only requirements is submitted, in allocations for the queue here, and its jobs run', async () => {
    const { code, text } = await called('submit', file('needs.yaml', `name: needs${needs}${jobs}`), '-p', '1');
    expect([code, text]).toEqual([0, expect.stringMatching(/workq_scheduler: 1 allocation of 1 node for 5 jobs/)]);
    await lane.completed(idIn(text));
    expect(lane.lines('parts').toSorted()).toEqual(['1', '2', '3', '4', 'joined']);
    expect(lane.cluster.field(jobIn(text), 'Resource_List.select')).toBe('1:ncpus=4:mem=1280mb');
  });

  it('a file that says what its allocations are gets no others', async () => {
    const own = `pbs_schedulers: [{name: own, select: "1:ncpus=4:mem=2gb", walltime: "00:10:00"}]
actions: [{trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: own, scheduler_type: pbs}]
`;
    const { text } = await called('submit', file('own.yaml', `name: own${needs}${jobs}${own}`), '-p', '1');
    expect(text).not.toContain('names none');
    expect(lane.cluster.field(jobIn(text), 'Resource_List.select')).toBe('1:ncpus=4:mem=2gb');
    await lane.completed(idIn(text));
  });

  it('the queues are shown with their limits, and with why one takes no job of this user', async () => {
    const { text } = await called('hpc', 'partitions');
    expect(text).toMatch(/slow .* 01:00:00 .* 1 allocations of a user at a time/);
    expect(text).toMatch(/closed .* takes jobs of these users only: ann/);
    const match = await called('hpc', 'match', '--cpus', '2', '--memory', '1g', '--walltime', '00:30:00');
    expect(match.text).toMatch(/workq \(BEST\)/);
    expect(match.text).not.toMatch(/closed|short/);
    for (const words of [['detect'], ['show', 'pbs'], ['generate']])
      expect((await called('hpc', ...words)).code).toBe(0);
  });

  it('what generate writes is submitted as it is, and a plan is shown before', async () => {
    const name = file('plain.yaml', `name: plain${needs}${jobs}`);
    expect((await called('slurm', 'plan-allocations', name)).text).toMatch(/workq_scheduler .* workq .* 5 /);
    expect((await called('slurm', 'generate', name, '-p', 'slow', '-o', 'made.yaml')).code).toBe(0);
    expect(readFileSync(join(lane.folder, 'made.yaml'), 'utf8')).toContain(`pbs_schedulers:
  - name: slow_scheduler
    queue: slow
    select: 1:ncpus=4:mem=1280mb
`);
    const { text } = await called('submit', 'made.yaml', '-p', '1');
    expect(lane.cluster.field(jobIn(text), 'queue')).toBe('slow');
    await lane.completed(idIn(text));
  });

  it('a site that refuses chunks, and wants an option on all jobs, is asked in its own form', async () => {
    writeFileSync(
      join(lane.folder, 'torc.toml'),
      `[client.hpc.profile_overrides.pbs]
resources = ["nodes={nodes}:ppn={cpus}", "mem={memory}"]
options = "-m n -P climate"
`,
    );
    const { text } = await called('submit', file('form.yaml', `name: form${needs}${jobs}`), '-p', '1');
    writeFileSync(join(lane.folder, 'torc.toml'), '');
    const job = jobIn(text);
    expect([lane.cluster.field(job, 'Resource_List.nodes'), lane.cluster.field(job, 'project')]).toEqual([
      '1:ppn=4',
      'climate',
    ]);
    expect(lane.cluster.field(job, 'Resource_List.mem')).toBe(`${1280 * 1024}kb`);
    await lane.completed(idIn(text));
  });

  it('what can never run is said before it is submitted, and what qsub would refuse is not submitted', async () => {
    const with64 = `pbs_schedulers: [{name: huge, select: "1:ncpus=64", walltime: "00:10:00"}, {name: closed, queue: closed, walltime: "00:10:00"}]
actions:
  - {trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: huge, scheduler_type: pbs}
  - {trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: closed, scheduler_type: pbs}
`;
    const { code, text } = await called('submit', file('never.yaml', `name: never${needs}${jobs}${with64}`));
    expect(code).toBe(1);
    expect(text).toContain(
      'PBS cannot start allocations of huge as the cluster is now: queue workq has no node with 64 CPUs',
    );
    expect(text).toContain(
      'PBS would refuse allocations of closed (queue closed): queue closed takes jobs of these users',
    );
    expect(text).not.toContain('with ID=');
  });

  it('a limit of the queue holds allocations back, and they follow', async () => {
    const limited = `pbs_schedulers: [{name: s, queue: slow, select: "1:ncpus=4:mem=1gb", walltime: "00:10:00"}]
actions: [{trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: s, scheduler_type: pbs, num_allocations: 2}]
`;
    const { text } = await called('submit', file('limited.yaml', `name: limited${needs}${jobs}${limited}`), '-p', '1');
    expect(text).toMatch(/1 allocation is not submitted yet \(.*per-user limit/);
    await lane.completed(idIn(text));
  });

  it('a recovery plans new allocations for what was lost, by the same request', async () => {
    const wait = `name: lost${needs}
jobs:
  - {name: long, command: "echo began >> lost; until [ -e go ]; do sleep 0.1; done", resource_requirements: small}
`;
    const { text } = await called('submit', file('lost.yaml', wait), '-p', '1');
    const [id, job] = [idIn(text), jobIn(text)];
    await lane.written('lost', 1);
    lane.cluster.run('qdel', '-W', 'force', `${job}.pbs`);
    await lane.over(job);
    await called('workflows', 'sync-status', String(id));
    const planned = await called('recover', String(id), '--dry-run');
    expect(planned.text).toContain('regenerate PBS schedulers');
    const recovered = await called('recover', String(id), '--no-prompts');
    expect([recovered.code, recovered.text]).toEqual([0, expect.stringMatching(/with ID=\d+/)]);
    expect(lane.cluster.field(jobIn(recovered.text), 'Resource_List.select')).toBe('1:ncpus=1:mem=356mb');
    writeFileSync(join(lane.folder, 'go'), '');
    await lane.completed(id);
    const asked =
      'status,jobs list,results list,compute-nodes list,slurm list,slurm sacct,slurm usage,cancel --no-prompts';
    for (const words of asked.split(',')) await called(...words.split(' '), String(id));
  });
});
