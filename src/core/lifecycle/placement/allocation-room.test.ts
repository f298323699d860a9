import fc from 'fast-check';
import { expect, it } from 'vitest';
import { allocationRoom } from './allocation-room.ts';

const limit = (name: string, most: number, held = 0, scope: 'workflow' | 'user' | 'server' = 'workflow') => ({
  scope,
  name,
  most,
  held,
});
const NONE = { nodes: 0, cores: 0, gpus: 0 };
const each = { nodes: 2, cores: 8, gpus: 0 };

it.each([
  [[], NONE, undefined],
  [[limit('matlab', 1), limit('gpus', 0)], NONE, undefined],
  [[limit('nodes', 5)], NONE, 2],
  [[limit('nodes', 5)], { ...NONE, nodes: 4 }, 0],
  [[limit('nodes', 1)], NONE, 0],
  // A runner takes as many jobs as the cores allow.
  [[limit('cores', 4)], NONE, 1],
  [[limit('cores', 4)], { ...NONE, cores: 8 }, 0],
  [[limit('cores', 0)], NONE, 0],
  [[limit('nodes', 9), limit('cores', 20, 4, 'user')], NONE, 2],
  [[limit('nodes', 9), limit('nodes', 4, 3, 'server')], NONE, 0],
])('limits %j leave, beside %j, room for %s more allocations of two nodes and eight cores', (limits, used, room) => {
  expect(allocationRoom(limits, used, each)?.allocations).toBe(room);
});

it('allocations that fit into the room together never have more nodes than a limit allows', () => {
  const amount = fc.nat(9);
  fc.assert(
    fc.property(amount, amount, amount, fc.integer({ min: 1, max: 4 }), (most, used, held, nodes) => {
      const room = allocationRoom([limit('nodes', most, held)], { ...NONE, nodes: used }, { ...NONE, nodes });
      const more = Math.max(0, room?.allocations ?? 0) * nodes;
      expect(more === 0 || Math.max(used, held) + more <= most).toBe(true);
      // One more would not fit.
      expect(Math.max(used, held) + more + nodes).toBeGreaterThan(most);
    }),
  );
});

it('the words name the limit, whose it is, and what is taken of it', () => {
  expect(allocationRoom([limit('nodes', 4, 3, 'user')], NONE, each)?.why).toBe(
    'at most 4 nodes of its user, and 3 are in use or asked for',
  );
  expect(allocationRoom([limit('nodes', 1)], NONE, each)?.why).toBe(
    'at most 1 node of its workflow, and an allocation has 2',
  );
});
