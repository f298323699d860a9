import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/programs.ts';
import { pbsIsMissing } from './cluster.ts';
import { openLane, type PbsLane } from './lane.ts';

const onNodes = (jobs: string, { nodes = 3, walltime = '00:10:00', more = '' } = {}) => `
pbs_schedulers: [{name: all, walltime: "${walltime}", select: "${nodes}:ncpus=2:mem=600mb", place: scatter}]
resource_requirements:
  - {name: one, num_cpus: 1, memory: 50m, runtime: PT10S}
  - {name: node, num_cpus: 2, memory: 50m, runtime: PT10S}
  - {name: two, num_cpus: 1, memory: 50m, runtime: PT10S, num_nodes: 2}
${more}jobs:
${jobs}
actions:
  - {trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: all, scheduler_type: pbs}
`;

describe.skipIf(pbsIsMissing !== undefined)('jobs on the nodes of an allocation of PBS', () => {
  let lane: PbsLane;
  beforeAll(async () => {
    lane = await openLane({ nodes: 3 });
  });

  const printed = async (id: number, output: string) => {
    const { items: jobs } = await lane.server.client.listJobs({ query: { workflow_id: id } });
    const folder = join(lane.folder, output, 'job_stdio');
    return Object.fromEntries(
      readdirSync(folder)
        .filter((name) => name.endsWith('.o'))
        .map((name) => {
          const job = jobs.find((each) => name.includes(`_j${each.id}_`))?.name ?? name;
          return [job, readFileSync(join(folder, name), 'utf8').trim().split('\n')];
        }),
    );
  };
  /** A file that a job on a node which is not the runner's writes: a job of a whole node is on each. */
  const onEach = (command: string, more = '') =>
    `  - {name: "on_{i}", parameters: {i: "1:2"}, command: "${command}", resource_requirements: node${more}}`;
  const begun = async (name: string, text: string) => {
    const { id, jobs } = await lane.submitted(name, text);
    await lane.written(`${name}.begun`, 2);
    await until(
      () => lane.statuses(id),
      (found) => Object.values(found).every((status) => status === 'running'),
      `the server to know that ${name} runs`,
    );
    return { id, job: jobs[0] as number };
  };
  const programOf = (job: number, program: string) =>
    lane.processesOf(job).filter((pid) => {
      const [first = '', ...words] = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0');
      return first.endsWith('node') && words.some((word) => word.includes(program));
    });
  const resultsOf = async (id: number) =>
    (await lane.server.client.listResults({ query: { workflow_id: id, all_runs: true } })).items;

  it('a job of two nodes starts on the first of them, with a file of both, and starts programs on both; other jobs use all nodes', async () => {
    const command =
      'hostname; cat $PBS_NODEFILE; for n in $(cat $PBS_NODEFILE); do pbs_tmrsh $n touch $PWD/{name}.$n; done';
    const both = `  - {name: both, command: "${command.replaceAll('{name}', 'both')}", resource_requirements: two, priority: 9}\n`;
    const ones = `  - {name: "one_{i}", parameters: {i: "1:3"}, command: "hostname; cat $PBS_NODEFILE; sleep 2", resource_requirements: node, depends_on: [both]}`;
    const { id, jobs } = await lane.submitted('parts', onNodes(both + ones));
    await lane.completed(id);
    await lane.over(jobs[0] as number);
    const lines = await printed(id, 'out-parts');
    expect(lines['both']).toHaveLength(3);
    const [first, ...part] = lines['both'] as string[];
    expect(part[0]).toBe(first);
    expect(new Set(part).size).toBe(2);
    expect(
      readdirSync(lane.folder)
        .filter((name) => name.startsWith('both.'))
        .toSorted(),
    ).toEqual(part.map((node) => `both.${node}`).toSorted());
    const ran = [1, 2, 3].map((number) => lines[`one_${number}`] as string[]);
    for (const [host, ...own] of ran) expect(own).toEqual([host]);
    expect(ran.map(([host = '']) => host).toSorted()).toEqual(['n1', 'n2', 'n3']);
    await lane.noProcessOf(jobs[0] as number);
    expect(readdirSync(join(lane.folder, 'out-parts/pbs')).filter((name) => !name.endsWith('.OU'))).toEqual([]);
  });

  it('jobs of a runner that was killed end on all nodes, those in sessions of their own too', async () => {
    const text = onEach('echo $(hostname) >> killed.begun; setsid sleep 600 & sleep 600');
    const { id, job } = await begun('killed', onNodes(text, { nodes: 2 }));
    expect(new Set(lane.lines('killed.begun')).size).toBe(2);
    const [runner] = programOf(job, 'torc-slurm-job-runner');
    process.kill(runner as number, 'SIGKILL');
    await lane.over(job);
    await lane.noProcessOf(job);
    expect(Object.values(await lane.statuses(id))).toEqual(['running', 'running']);
  });

  it('a job whose launcher is killed has failed with its node, what it started ends, and the next job starts there', async () => {
    const text = onEach('echo $(hostname) >> lost.begun; [ -e lost.go ] || exec sleep 600');
    const { id, job } = await begun('lost', onNodes(text, { nodes: 2 }));
    const [launcher] = programOf(job, 'step-launcher');
    writeFileSync(join(lane.folder, 'lost.go'), '');
    process.kill(launcher as number, 'SIGKILL');
    const [lost] = await until(
      () => resultsOf(id),
      (found) => found.length === 1,
      'the job to have failed',
      60_000,
    );
    expect(lost).toMatchObject({ status: 'failed', cause_code: 'node' });
    const why = (await lane.call('jobs', 'explain', String(lost?.job_id))).stdout;
    expect(why).toMatch(/what had started it on n\d ended before it/);
    await lane.call('cancel', String(id), '--no-prompts');
    await lane.over(job);
    await lane.noProcessOf(job);
  });

  it('a job on another node ends while its runner is stopped for more than a minute, and has failed with its node', async () => {
    const text = onEach('echo $(hostname) >> silent.begun; exec sleep 600');
    const { id, job } = await begun('silent', onNodes(text, { nodes: 2 }));
    const [runner] = programOf(job, 'torc-slurm-job-runner');
    const jobsLeft = () =>
      lane.processesOf(job).filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'latin1').startsWith('sleep'));
    expect(jobsLeft()).toHaveLength(2);
    process.kill(runner as number, 'SIGSTOP');
    await until(jobsLeft, (left) => left.length === 1, 'the job of the other node to end');
    process.kill(runner as number, 'SIGCONT');
    const [lost] = await until(
      () => resultsOf(id),
      (found) => found.length === 1,
      'the job to have failed',
    );
    expect(lost).toMatchObject({ status: 'failed', cause_code: 'node' });
    expect(jobsLeft()).toHaveLength(1);
    await lane.call('cancel', String(id), '--no-prompts');
    await lane.over(job);
    await lane.noProcessOf(job);
  });

  it('a job on another node is ended for its own memory alone, and one that is near the walltime has time to clean up', async () => {
    const eats =
      'echo $(hostname) >> limits.begun; [ $(hostname) = n1 ] && sleep 30 || head -c 300m /dev/zero | tail | sleep 30';
    const { id, job } = await begun('limits', onNodes(onEach(eats), { nodes: 2 }));
    const [lost] = await until(
      () => resultsOf(id),
      (found) => found.length > 0,
      'a job to be ended',
      60_000,
    );
    expect(lost?.cause_code ?? lost?.cause).toMatch(/memory/i);
    expect(Object.values(await lane.statuses(id)).toSorted()).toEqual(['failed', 'running']);
    lane.cluster.run('qdel', `${job}.pbs`);
    await lane.over(job);
    await lane.noProcessOf(job);
    const ends =
      "trap 'echo ended >> asked.ends; exit 3' TERM; echo $(hostname) >> asked.begun; while :; do sleep 0.1; done";
    const asked = await begun('asked', onNodes(onEach(ends), { nodes: 2 }));
    lane.cluster.run('qdel', `${asked.job}.pbs`);
    await lane.over(asked.job);
    expect(lane.lines('asked.ends')).toEqual(['ended', 'ended']);
    await lane.noProcessOf(asked.job);
  });

  it('a runner on each node gives its jobs that node alone', async () => {
    const text = onNodes(onEach('hostname; cat $PBS_NODEFILE; sleep 2'), { nodes: 2 }).replace(
      'scheduler_type: pbs}',
      'scheduler_type: pbs, start_one_worker_per_node: true}',
    );
    const { id } = await lane.submitted('workers', text);
    await lane.completed(id);
    const lines = Object.values(await printed(id, 'out-workers'));
    expect(lines.map(([host = '']) => host).toSorted()).toEqual(['n1', 'n2']);
    for (const [host, ...own] of lines) expect(own).toEqual([host]);
  });

  it('where a node of the allocation crashes, its job has failed with it, and the others run on the nodes that are left', async () => {
    const text = `  - {name: "on_{i}", parameters: {i: "1:4"}, command: "echo $(hostname) >> crash.begun; until [ -e crash.go ]; do sleep 0.2; done; hostname", resource_requirements: node}`;
    const { id, jobs } = await lane.submitted('crash', onNodes(text, { nodes: 2 }));
    const job = jobs[0] as number;
    await lane.written('crash.begun', 2);
    const [own = '', other = ''] = [...(lane.cluster.field(job, 'exec_host') ?? '').matchAll(/n\d/g)].map(String);
    lane.cluster.does('node', 'crash', other);
    writeFileSync(join(lane.folder, 'crash.go'), '');
    const statuses = await until(
      () => lane.statuses(id),
      (found) => Object.values(found).every((status) => status === 'completed' || status === 'failed'),
      'the jobs to end',
    );
    expect(Object.values(statuses).toSorted()).toEqual(['completed', 'completed', 'completed', 'failed']);
    const results = await resultsOf(id);
    expect(results.find(({ status }) => status === 'failed')?.cause_code).toBe('node');
    expect(
      Object.values(await printed(id, 'out-crash'))
        .flat()
        .filter(Boolean),
    ).toEqual([own, own, own]);
    lane.cluster.does('node', 'start', other);
  });
});
