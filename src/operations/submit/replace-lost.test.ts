import { describe, expect, it } from 'vitest';
import { all } from '../../client/every.ts';
import { Kill, mortal } from '../../../tests/support/kill.ts';
import { type Lane, lane, LEASE_MS, never, submit, toolsOf } from '../../../tests/support/submission-lane.ts';
import { replaceLost } from './replace-lost.ts';
import { submitPlanned } from './settle-submissions.ts';

const rowsOf = ({ service, id }: Lane) =>
  all((page) => service.client.listScheduledComputeNodes({ query: { workflow_id: id, ...page } }));

/** Three allocations that were submitted. */
async function submitted() {
  const of = await lane(3);
  await submit(toolsOf(of), of);
  return { of, lost: (await rowsOf(of)).slice(0, 2).map(({ id }) => id) };
}

describe('allocations in the place of lost ones', () => {
  it('each lost one is replaced once, from its own scheduler, whichever caller asks again', async () => {
    const { of, lost } = await submitted();
    const { client } = of.service;
    expect(await replaceLost(client, of.id, lost)).toBe(2);
    expect(await replaceLost(client, of.id, lost)).toBe(0);
    const planned = (await rowsOf(of)).slice(3);
    expect(planned.map(({ status, plan }) => [status, plan])).toEqual(
      lost.map((replaces) => ['planned', { allocations: 1, replaces }]),
    );
    expect(planned.map((row) => row.scheduler_config_id)).toEqual([of.schedulerId, of.schedulerId]);
    expect(await submitPlanned(toolsOf(of), of.id)).toHaveLength(2);
    expect((await rowsOf(of)).map(({ status }) => status)).toEqual(Array<string>(5).fill('pending'));
    expect(await replaceLost(client, of.id, lost)).toBe(0);
  });

  it('killed at any step and asked again, it has replaced each once', async () => {
    const counting = never();
    const whole = await submitted();
    await replaceLost(mortal(whole.of.service.client, counting), whole.of.id, whole.lost);
    for (let at = 1; at <= counting.taken; at += 1)
      for (const isAfter of [false, true]) {
        const { of, lost } = await submitted();
        const kill = new Kill(at, isAfter);
        await Promise.race([replaceLost(mortal(of.service.client, kill), of.id, lost), kill.died]);
        await kill.arrived();
        of.service.clock.now += LEASE_MS;
        await replaceLost(of.service.client, of.id, lost);
        expect([at, isAfter, (await rowsOf(of)).length]).toEqual([at, isAfter, 5]);
      }
  });

  it('an allocation of a record without a plan is not replaced', async () => {
    const of = await lane(1);
    const body = { workflow_id: of.id, scheduler_config_id: of.schedulerId, scheduler_type: 'slurm' };
    const { id } = await of.service.client.createScheduledComputeNode({
      body: { ...body, scheduler_id: 7, status: 'complete' },
    });
    expect(await replaceLost(of.service.client, of.id, [id])).toBe(0);
  });
});
