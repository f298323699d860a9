import { beforeAll, describe, expect, it } from 'vitest';
import { isCi } from '../support/in-ci.ts';
import { pbsIsMissing } from './cluster.ts';
import { tryPbsKill } from './kills.ts';
import { openLane, type PbsLane } from './lane.ts';

/** `TORC_KILL_SEEDS=1-100` tries other seeds, and prints each verdict. */
const chosen = process.env['TORC_KILL_SEEDS'];
const [first = 1, last = first] = (chosen ?? (isCi ? '1-6' : '1-3')).split('-').map(Number);

describe.skipIf(pbsIsMissing !== undefined)('kills on a PBS cluster', () => {
  let lane: PbsLane;
  beforeAll(async () => {
    lane = await openLane({ nodes: 3, set: ['set server node_fail_requeue=5'] });
  });

  it(
    'whichever process dies, no job of PBS is completed without its work, none is lost, and none does its work twice',
    { timeout: 36_000_000 },
    async () => {
      const failed: unknown[] = [];
      for (let seed = first; seed <= last; seed += 1) {
        const verdict = await tryPbsKill(lane, seed);
        if (chosen !== undefined) console.error(JSON.stringify(verdict));
        if (verdict.faults.length > 0) failed.push(verdict);
      }
      expect(failed).toEqual([]);
    },
  );
});
