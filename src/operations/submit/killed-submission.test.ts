import { describe, expect, it } from 'vitest';
import { Kill } from '../../../tests/support/kill.ts';
import {
  expectEachOnce,
  type Lane,
  lane,
  LEASE_MS,
  never,
  submit,
  toolsOf,
} from '../../../tests/support/submission-lane.ts';
import { scheduleNodes } from './schedule-nodes.ts';
import type { SubmitTools } from './submit-tools.ts';

describe('a submission that is killed', () => {
  const ways = [
    { title: 'one by one', allocations: 3, mostTasks: 1, calls: 3 },
    { title: 'as job arrays of at most three tasks', allocations: 5, mostTasks: 3, calls: 2 },
  ];

  it.each(ways)(
    'killed at any of its steps and repeated once, torc submit has submitted each allocation once: $title',
    async ({ allocations, mostTasks, calls, title }) => {
      const whole = await lane(allocations);
      const counting = never();
      await submit(toolsOf(whole, { kill: counting, mostTasks }), whole);
      await expectEachOnce(whole, allocations, 'undisturbed');
      expect(whole.played.calls('sbatch')).toHaveLength(calls);
      for (let at = 1; at <= counting.taken; at += 1) {
        for (const isAfter of [false, true]) {
          const of = await lane(allocations);
          const kill = new Kill(at, isAfter);
          const killed = submit(toolsOf(of, { kill, mostTasks }), of);
          expect(await Promise.race([killed, kill.died])).toBe('killed');
          await kill.arrived();
          of.service.clock.now += LEASE_MS;
          await submit(toolsOf(of, { mostTasks }), of);
          const place = `${title}, killed ${isAfter ? 'after' : 'before'} step ${at} of ${counting.taken}`;
          await expectEachOnce(of, allocations, place);
        }
      }
    },
  );

  it('killed at any of its steps before the last id is stored and repeated once, slurm schedule-nodes has submitted each allocation once', async () => {
    const request = { allocations: 4, startOneWorkerPerNode: true, maxParallelJobs: 2, jobPrefix: 'n_' };
    const schedule = (tools: SubmitTools, { id: workflowId, schedulerId }: Lane) =>
      scheduleNodes(tools, { ...request, workflowId, schedulerId });
    const whole = await lane(1);
    const counting = never();
    await schedule(toolsOf(whole, { kill: counting, mostTasks: 1001 }), whole);
    // The last step gives the lease back; the one before stores the ids.
    for (let at = 1; at < counting.taken; at += 1) {
      const of = await lane(1);
      const kill = new Kill(at, false);
      await Promise.race([schedule(toolsOf(of, { kill, mostTasks: 1001 }), of), kill.died]);
      await kill.arrived();
      of.service.clock.now += LEASE_MS;
      const repeated = await schedule(toolsOf(of, { mostTasks: 1001 }), of);
      const place = `killed before step ${at} of ${counting.taken}`;
      await expectEachOnce(of, 4, place);
      expect([place, repeated.jobIds]).toEqual([place, ['101_0', '101_1', '101_2', '101_3']]);
    }
  });

  it('repeated after it was done, slurm schedule-nodes adds what it is asked for', async () => {
    const of = await lane(1);
    const request = { workflowId: of.id, schedulerId: of.schedulerId, allocations: 2 };
    const more = { startOneWorkerPerNode: false, maxParallelJobs: undefined };
    const first = await scheduleNodes(toolsOf(of), { ...request, ...more });
    const second = await scheduleNodes(toolsOf(of), { ...request, ...more });
    expect([first, second]).toEqual([
      { jobIds: [101, 102], isRepeat: false },
      { jobIds: [103, 104], isRepeat: false },
    ]);
  });

  it('an interrupted request is no reason to leave out a different one', async () => {
    const of = await lane(2);
    const kill = new Kill(2, true);
    await Promise.race([submit(toolsOf(of, { kill }), of), kill.died]);
    await kill.arrived();
    of.service.clock.now += LEASE_MS;
    const request = { workflowId: of.id, schedulerId: of.schedulerId, allocations: 2 };
    const more = { startOneWorkerPerNode: false, maxParallelJobs: undefined };
    expect(await scheduleNodes(toolsOf(of), { ...request, ...more })).toMatchObject({ isRepeat: false });
    await expectEachOnce(of, 4, 'both');
  });
});
