import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/programs.ts';
import { pbsIsMissing } from './cluster.ts';
import { openLane, type PbsLane, waitingFlow } from './lane.ts';

describe.skipIf(pbsIsMissing !== undefined)('how allocations of PBS end, and what is recovered', () => {
  let lane: PbsLane;
  beforeAll(async () => {
    lane = await openLane({ nodes: 3, set: ['set server node_fail_requeue=5'] });
  });

  const go = (name: string) => writeFileSync(join(lane.folder, `${name}.go`), '');
  const begun = (name: string, options = {}) => lane.begun(name, waitingFlow(name, options));
  /** The job went on once more, and what had not ended ran again. */
  const ranTwice = async (name: string, id: number) => {
    await lane.written(`${name}.first`, 2);
    go(name);
    await lane.completed(id);
    expect([lane.lines(`${name}.first`), lane.lines(`${name}.last`)]).toEqual([['began', 'began', 'done'], ['last']]);
  };
  const scripts = (name: string) =>
    readdirSync(join(lane.folder, `out-${name}/pbs`)).filter((file) => file.endsWith('.sh'));

  it('a job that PBS requeues goes on in the next run of its allocation', async () => {
    const { id, job } = await begun('requeued');
    lane.cluster.run('qrerun', `${job}.pbs`);
    await ranTwice('requeued', id);
    await lane.over(job);
    expect([lane.cluster.field(job, 'run_count'), scripts('requeued')]).toEqual(['2', []]);
  });

  it('a job whose node is lost goes on elsewhere, when PBS has started its allocation there', async () => {
    const { id, job } = await begun('crashed');
    const node = (lane.cluster.field(job, 'exec_host') ?? '').split('/')[0] as string;
    lane.cluster.does('node', 'crash', node);
    await ranTwice('crashed', id);
    lane.cluster.does('node', 'start', node);
    await lane.over(job);
  });

  it('the jobs of a runner that was killed end with it, and recovery runs them again', async () => {
    const { id, job } = await begun('killed');
    const runner = lane
      .processesOf(job)
      .find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('torc-slurm-job-runner'));
    process.kill(runner as number, 'SIGKILL');
    await lane.over(job);
    await lane.noProcessOf(job);
    expect(await lane.statuses(id)).toEqual({ first: 'running', last: 'blocked' });
    const { code, stdout, stderr } = await lane.call('recover', String(id), '--no-prompts');
    expect([code, `${stdout}${stderr}`]).toEqual([0, expect.stringContaining('its runner was lost while it ran')]);
    await ranTwice('killed', id);
  });

  it('what is deleted by force leaves nothing that runs, and is not taken for done', async () => {
    const { id, job } = await begun('forced');
    lane.cluster.run('qdel', '-W', 'force', `${job}.pbs`);
    await lane.noProcessOf(job);
    expect((await lane.call('workflows', 'sync-status', String(id))).stdout).toContain(
      `allocation ${job} ended CANCELLED`,
    );
    expect((await lane.statuses(id))['first']).not.toBe('completed');
  });

  it('a runner ends its jobs before the walltime, which may be raised while it runs', async () => {
    const short = await begun('short', { walltime: '00:00:20' });
    const raised = await begun('raised', { walltime: '00:00:25' });
    lane.cluster.run('qalter', '-l', 'walltime=00:10:00', `${raised.job}.pbs`);
    await lane.over(short.job);
    expect([lane.cluster.field(short.job, 'Exit_status'), (await lane.statuses(short.id))['first']]).toEqual([
      '0',
      'terminated',
    ]);
    await until(
      () => lane.cluster.field(raised.job, 'resources_used.walltime'),
      (used) => (used ?? '') > '00:00:27',
      'the first walltime to pass',
      60_000,
    );
    expect((await lane.statuses(raised.id))['first']).toBe('running');
    go('raised');
    await lane.completed(raised.id);
  });

  it('a server of PBS that is restarted takes nothing from the jobs', async () => {
    const { id, job } = await begun('restarted');
    lane.cluster.does('daemon', 'crash', 'server');
    expect((await lane.call('status', String(id))).code).toBe(0);
    lane.cluster.does('daemon', 'start', 'server');
    go('restarted');
    await lane.completed(id);
    await lane.over(job);
    expect(lane.lines('restarted.first')).toEqual(['began', 'done']);
  });

  it('one runner a node has the share of each, and leaves when the work is done', async () => {
    const { id, jobs } = await lane.submitted(
      'nodes',
      `
pbs_schedulers: [{name: s, walltime: "00:10:00", select: "2:ncpus=2:mem=500mb:ngpus=1"}]
resource_requirements: [{name: r, num_cpus: 2, num_gpus: 1, memory: 50m, runtime: PT1S}]
jobs: [{name: "j{i}", parameters: {i: "1:2"}, command: "hostname >> nodes.hosts; until [ $(wc -l < nodes.hosts) = 2 ]; do sleep 0.1; done", resource_requirements: r}]
actions:
  - {trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: s, scheduler_type: pbs, start_one_worker_per_node: true}
`,
    );
    await lane.completed(id);
    expect(new Set(lane.lines('nodes.hosts')).size).toBe(2);
    const runners = (await lane.server.client.listComputeNodes({ query: { workflow_id: id } })).items;
    expect(runners.map(({ num_cpus: cpus, num_gpus: gpus }) => [cpus, gpus])).toEqual([
      [2, 1],
      [2, 1],
    ]);
    await lane.over(jobs[0] as number);
    expect(lane.cluster.field(jobs[0] as number, 'Exit_status')).toBe('0');
  });
});
