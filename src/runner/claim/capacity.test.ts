import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Need } from '../../core/contract/exchange.ts';
import { type Capacity, createCapacity, createSlots, type Lease } from './capacity.ts';

const need = (over: Partial<Need> = {}): Need => ({
  num_cpus: 1,
  memory_bytes: 0,
  num_gpus: 0,
  num_nodes: 1,
  runtime_seconds: 60,
  ...over,
});
const node = (devices: readonly string[] = []) => createCapacity([{ name: 'n1', cpus: 4, memoryBytes: 100, devices }]);
const cluster = (...names: readonly string[]) =>
  createCapacity(names.map((name) => ({ name, cpus: 4, memoryBytes: 100, devices: ['0', '1'] })));

describe('a node', () => {
  it.each<[string, Partial<Need>, Partial<Need>]>([
    ['CPUs', { num_cpus: 4 }, { num_cpus: 5 }],
    ['memory', { memory_bytes: 100 }, { memory_bytes: 101 }],
    ['devices', { num_gpus: 2 }, { num_gpus: 3 }],
    ['nodes', { num_nodes: 1 }, { num_nodes: 2 }],
  ])('a node accepts a job that needs all of its %s, and refuses one that needs more', (_, all, more) => {
    expect(node(['0', '1']).lease(need(more))).toBeUndefined();
    expect(node(['0', '1']).lease(need(all))).toMatchObject({ need: all });
  });

  it('a node that was dropped is counted no longer and gets no job, also when a job there ends; the last node stays', () => {
    const capacity = cluster('n1', 'n2');
    const first = capacity.lease(need()) as Lease;
    capacity.drop('n1');
    capacity.release(first);
    expect([capacity.total, capacity.free()]).toEqual(Array(2).fill({ cpus: 4, memoryBytes: 100, gpus: 2 }));
    expect(capacity.lease(need({ num_nodes: 2 }))).toBeUndefined();
    for (let left = 4; left > 0; left -= 1) expect(capacity.lease(need())?.nodes).toEqual(['n2']);
    expect(capacity.lease(need())).toBeUndefined();
    capacity.drop('n2');
    expect(capacity.nodes()).toHaveLength(1);
  });

  it('a refused job changes nothing', () => {
    const capacity = node(['0']);
    capacity.lease(need({ num_cpus: 2, num_gpus: 2 }));
    expect(capacity.free()).toEqual(capacity.total);
  });

  it('devices are leased in turn, so that all are used equally, and a job has its own in the order of the node', () => {
    const capacity = node(['a', 'b', 'c']);
    const first = capacity.lease(need({ num_gpus: 2 })) as Lease;
    capacity.release(first);
    expect(first.gpus).toEqual(['a', 'b']);
    expect(capacity.lease(need({ num_gpus: 2 }))?.gpus).toEqual(['a', 'c']);
  });
});

describe('several nodes', () => {
  it('a job fits only if a single node has room for it', () => {
    const capacity = cluster('n1', 'n2');
    capacity.lease(need({ num_cpus: 3 }));
    capacity.lease(need({ num_cpus: 2 }));
    expect(capacity.free().cpus).toBe(3);
    expect(capacity.lease(need({ num_cpus: 3 }))).toBeUndefined();
    expect(capacity.lease(need({ num_cpus: 2 }))?.nodes).toEqual(['n2']);
  });

  it('nodes are filled one after the other, so that idle ones stay free for jobs that need whole nodes', () => {
    const capacity = cluster('n1', 'n2', 'n3');
    const narrow = [1, 2, 3, 4].map(() => capacity.lease(need()) as Lease);
    expect(narrow.flatMap(({ nodes }) => nodes)).toEqual(['n1', 'n1', 'n1', 'n1']);
    expect(capacity.lease(need({ num_nodes: 2 }))?.nodes).toEqual(['n2', 'n3']);
  });

  it('a job of several nodes gets whole nodes, however little it needs of each', () => {
    const capacity = cluster('n1', 'n2');
    const wide = capacity.lease(need({ num_nodes: 2 })) as Lease;
    expect(capacity.free()).toEqual({ cpus: 0, memoryBytes: 0, gpus: 0 });
    expect(capacity.lease(need())).toBeUndefined();
    capacity.release(wide);
    expect(capacity.free()).toEqual(capacity.total);
  });

  it('a partly used node is not given to a job of several nodes', () => {
    const capacity = cluster('n1', 'n2');
    const narrow = capacity.lease(need()) as Lease;
    expect(capacity.lease(need({ num_nodes: 2 }))).toBeUndefined();
    capacity.release(narrow);
    expect(capacity.lease(need({ num_nodes: 2 }))?.nodes).toEqual(['n1', 'n2']);
  });

  it('each node has its own devices, with the same numbers', () => {
    const capacity = cluster('n1', 'n2');
    const leases = [1, 2].map(() => capacity.lease(need({ num_gpus: 2 })));
    expect(leases.map((lease) => [lease?.nodes, lease?.gpus])).toEqual([
      [['n1'], ['0', '1']],
      [['n2'], ['0', '1']],
    ]);
    expect(capacity.lease(need({ num_gpus: 1 }))).toBeUndefined();
  });
});

describe('a runner that counts jobs', () => {
  it('a runner that counts jobs ignores their requirements', () => {
    const vast = need({ num_cpus: 1_000, memory_bytes: 2 ** 50, num_nodes: 9 });
    expect(createSlots(1, []).lease(vast)).toEqual({ need: vast, nodes: [], gpus: [] });
  });

  it('a runner that counts jobs runs at most its number at once, and another one when one has ended', () => {
    const slots = createSlots(2, []);
    const [first] = [slots.lease(need()), slots.lease(need())] as Lease[];
    expect(slots.lease(need())).toBeUndefined();
    slots.release(first as Lease);
    expect(slots.lease(need())).toBeDefined();
  });

  it('a runner that counts jobs assigns devices in turn, and the same one twice if jobs request more than there are', () => {
    const slots = createSlots(4, ['a', 'b', 'c']);
    const asked = [2, 2, 9, 0].map((gpus) => slots.lease(need({ num_gpus: gpus }))?.gpus);
    expect(asked).toEqual([['a', 'b'], ['a', 'c'], ['a', 'b', 'c'], []]);
  });
});

describe('leases for any order of jobs', () => {
  const anyNeed = fc.record({
    num_cpus: fc.integer({ min: 0, max: 6 }),
    memory_bytes: fc.integer({ min: 0, max: 120 }),
    num_gpus: fc.integer({ min: 0, max: 4 }),
    num_nodes: fc.integer({ min: 1, max: 2 }),
    runtime_seconds: fc.constant(60),
  });
  const turns = fc.array(fc.oneof(fc.record({ lease: anyNeed }), fc.record({ release: fc.nat(20) })));
  const devices = ['a', 'b', 'c'];

  /** Executes all steps and checks the present leases after each. */
  const play = (
    capacity: Capacity,
    all: readonly ({ lease: Need } | { release: number })[],
    look: (live: Lease[]) => void,
  ) => {
    const live: Lease[] = [];
    for (const turn of all) {
      if ('release' in turn) for (const lease of live.splice(turn.release, 1)) capacity.release(lease);
      else {
        const lease = capacity.lease(turn.lease);
        if (lease !== undefined) live.push(lease);
      }
      look(live);
    }
    for (const lease of live) capacity.release(lease);
  };

  it('a node never leases more than it has, and no device to two jobs', () => {
    fc.assert(
      fc.property(turns, (all) => {
        const capacity = node(devices);
        play(capacity, all, (live) => {
          const sum = (field: 'num_cpus' | 'memory_bytes') => live.reduce((total, each) => total + each.need[field], 0);
          const leased = live.flatMap(({ gpus }) => gpus);
          expect(new Set(leased).size).toBe(leased.length);
          expect(live.every((each) => each.gpus.length === each.need.num_gpus)).toBe(true);
          expect(capacity.free()).toEqual({
            cpus: 4 - sum('num_cpus'),
            memoryBytes: 100 - sum('memory_bytes'),
            gpus: devices.length - leased.length,
          });
          expect(Math.min(...Object.values(capacity.free()))).toBeGreaterThanOrEqual(0);
        });
        expect(capacity.free()).toEqual(capacity.total);
      }),
    );
  });

  it('several nodes never lease more than each of them has, and nothing of a node that a job has whole', () => {
    const names = ['n1', 'n2', 'n3'];
    fc.assert(
      fc.property(turns, (all) => {
        const capacity = cluster(...names);
        play(capacity, all, (live) => {
          for (const name of names) {
            const here = live.filter(({ nodes }) => nodes.includes(name));
            const sum = (field: 'num_cpus' | 'memory_bytes' | 'num_gpus') =>
              here.reduce((total, each) => total + each.need[field], 0);
            expect(sum('num_cpus')).toBeLessThanOrEqual(4);
            expect(sum('memory_bytes')).toBeLessThanOrEqual(100);
            expect(sum('num_gpus')).toBeLessThanOrEqual(2);
            const devices = here.flatMap(({ gpus }) => gpus);
            expect(new Set(devices).size).toBe(devices.length);
            const needy = here.filter(
              (lease) => lease.need.num_cpus + lease.need.memory_bytes + lease.need.num_gpus > 0,
            );
            if (here.some((lease) => lease.need.num_nodes > 1)) expect(needy.length).toBeLessThanOrEqual(1);
          }
          for (const lease of live) expect(new Set(lease.nodes).size).toBe(lease.need.num_nodes);
        });
        expect(capacity.free()).toEqual(capacity.total);
      }),
    );
  });

  it('a runner that counts jobs never holds more jobs than slots, and no job gets a device twice', () => {
    fc.assert(
      fc.property(turns, (all) => {
        const slots = createSlots(3, devices);
        play(slots, all, (live) => {
          expect(slots.free().cpus).toBe(3 - live.length);
          expect(live.length).toBeLessThanOrEqual(3);
          for (const { gpus } of live) expect(new Set(gpus).size).toBe(gpus.length);
        });
        expect(slots.free()).toEqual(slots.total);
      }),
    );
  });
});
