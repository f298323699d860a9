import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/programs.ts';
import { pbsIsMissing } from './cluster.ts';
import { openLane, type PbsLane, waitingFlow } from './lane.ts';

/** What PBS does to an allocation by itself: nothing is completed falsely, and the reason is said. */
describe.skipIf(pbsIsMissing !== undefined)('allocations that PBS takes away', () => {
  let lane: PbsLane;
  beforeAll(async () => {
    lane = await openLane({
      nodes: 1,
      set: [
        'create queue express queue_type=execution,enabled=True,started=True,Priority=200',
        'set queue express kill_delay=3',
      ],
    });
  });

  const begun = (name: string, options = {}) =>
    lane.begun(name, waitingFlow(name, options).replace('ncpus=2', 'ncpus=4'));
  const go = (name: string) => writeFileSync(join(lane.folder, `${name}.go`), '');
  /** A job of a higher priority, that needs the whole node; its end. */
  const express = (seconds: number) => {
    const id = lane.cluster.run(
      'qsub',
      '-j',
      'oe',
      '-o',
      '/dev/null',
      '-q',
      'express',
      '-l',
      'select=1:ncpus=4',
      '--',
      '/bin/sleep',
      String(seconds),
    );
    return () => lane.over(Number.parseInt(id, 10));
  };
  const explain = async (id: number) => {
    const { items } = await lane.server.client.listJobs({ query: { workflow_id: id, name: 'first' } });
    return (await lane.call('jobs', 'explain', String(items[0]?.id))).stdout;
  };
  const isState = (job: number, letter: string) =>
    until(
      () => lane.cluster.field(job, 'job_state'),
      (state) => state === letter,
      `job ${job} to be ${letter}`,
      60_000,
    );

  it('an allocation that is suspended for another job goes on afterwards, and its job runs once', async () => {
    lane.cluster.run('qmgr', '-c', 'set sched preempt_order = S');
    const { id, job } = await begun('suspended');
    const over = express(3);
    await isState(job, 'S');
    expect(await lane.statuses(id)).toEqual({ first: 'running', last: 'blocked' });
    await over();
    await isState(job, 'R');
    go('suspended');
    await lane.completed(id);
    await lane.over(job);
    expect([lane.lines('suspended.first'), lane.cluster.field(job, 'run_count')]).toEqual([['began', 'done'], '1']);
  });

  it('an allocation that is requeued for another job runs what had not ended, once it has its nodes again', async () => {
    lane.cluster.run('qmgr', '-c', 'set sched preempt_order = R');
    const { id, job } = await begun('requeued');
    const over = express(3);
    await over();
    await lane.written('requeued.first', 2);
    go('requeued');
    await lane.completed(id);
    await lane.over(job);
    expect([lane.lines('requeued.first'), lane.lines('requeued.last')]).toEqual([['began', 'began', 'done'], ['last']]);
    expect(lane.cluster.field(job, 'run_count')).toBe('2');
  });

  it('the jobs of an allocation that is deleted for another job are not done, explain says that it was preempted, and recovery runs them', async () => {
    lane.cluster.run('qmgr', '-c', 'set sched preempt_order = D');
    const { id, job } = await begun('deleted');
    const over = express(3);
    await lane.over(job);
    await lane.noProcessOf(job);
    expect((await lane.statuses(id))['first']).not.toBe('completed');
    expect(lane.cluster.field(job, 'comment')).toMatch(/terminated by Scheduler/);
    await over();
    const why = await explain(id);
    expect(why).toMatch(/preempted/i);
    const { code, stdout, stderr } = await lane.call('recover', String(id), '--no-prompts');
    expect([code, `${stdout}${stderr}`]).toEqual([0, expect.stringMatching(/preempt/i)]);
    go('deleted');
    await lane.completed(id);
    expect(lane.lines('deleted.first')).toEqual(['began', 'began', 'done']);
  });

  it('the jobs of an allocation whose walltime PBS ended are not done, and sync-status says that the time was up', async () => {
    const { id, job } = await begun('walltime');
    lane.cluster.run('qalter', '-l', 'walltime=1', `${job}.pbs`);
    await lane.over(job);
    await lane.noProcessOf(job);
    expect(lane.cluster.field(job, 'Exit_status')).toBe('-29');
    await lane.call('workflows', 'sync-status', String(id));
    expect((await lane.statuses(id))['first']).not.toBe('completed');
    expect(await explain(id)).toMatch(/time/i);
    const parsed = await lane.call('slurm', 'parse-logs', 'out-walltime', '-w', String(id));
    expect(`${parsed.stdout}${parsed.stderr}`).toContain('time limit');
  });

  it('an allocation with less memory than a runner needs is ended by PBS for that, and what it was to run says so', async () => {
    const text = waitingFlow('memory').replace('mem=500mb', 'mem=40mb').replace('memory: 50m', 'memory: 1m');
    const { id, jobs } = await lane.submitted('memory', text);
    const job = jobs[0] as number;
    await lane.over(job);
    await lane.noProcessOf(job);
    expect(lane.cluster.field(job, 'Exit_status')).toBe('-27');
    const said = (await lane.call('workflows', 'sync-status', String(id))).stdout;
    expect((await lane.statuses(id))['first']).not.toBe('completed');
    expect(`${said}${await explain(id)}`).toMatch(/OUT_OF_MEMORY|memory/);
    const parsed = await lane.call('slurm', 'parse-logs', 'out-memory', '-w', String(id));
    expect(`${parsed.stdout}${parsed.stderr}`).toContain('Exceeded job memory limit');
  });
});
