import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Need } from '../../core/contract/exchange.ts';
import { fitsNode, roomOf } from './room.ts';

const need = (over: Partial<Need>): Need => ({
  num_cpus: 1,
  memory_bytes: 0,
  num_gpus: 0,
  num_nodes: 1,
  runtime_seconds: 60,
  ...over,
});
const offer = (over: Partial<Parameters<typeof roomOf>[0]>) => ({
  cpus: 4,
  memoryBytes: 100,
  gpus: 0,
  nodes: 1,
  ...over,
});

describe('the room of an offer', () => {
  it('jobs are taken until the CPUs are used', () => {
    const room = roomOf(offer({ cpus: 2 }));
    expect([room.take(need({})), room.take(need({})), room.take(need({}))]).toEqual([true, true, false]);
  });

  it('a wide job is skipped and a narrow one behind it is taken', () => {
    const room = roomOf(offer({ cpus: 4 }));
    expect([room.take(need({ num_cpus: 3 })), room.take(need({ num_cpus: 2 })), room.take(need({}))]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('memory and devices are counted like CPUs', () => {
    const room = roomOf(offer({ gpus: 1 }));
    expect(room.take(need({ memory_bytes: 101 }))).toBe(false);
    expect(room.take(need({ num_gpus: 1, memory_bytes: 100 }))).toBe(true);
    expect(room.take(need({ num_gpus: 1 }))).toBe(false);
    expect(room.take(need({ memory_bytes: 1 }))).toBe(false);
  });

  it('offered resources are per node: a job of one node never gets more than one node has', () => {
    const room = roomOf(offer({ cpus: 4, nodes: 2 }));
    expect(room.take(need({ num_cpus: 5 }))).toBe(false);
    expect([room.take(need({ num_cpus: 4 })), room.take(need({ num_cpus: 4 })), room.take(need({}))]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('a job of several nodes gets whole nodes, only while the other jobs still fit into the rest', () => {
    const room = roomOf(offer({ cpus: 4, nodes: 3 }));
    expect(room.take(need({ num_cpus: 1, num_nodes: 2 }))).toBe(true);
    expect(room.take(need({ num_cpus: 4 }))).toBe(true);
    expect(room.take(need({}))).toBe(false);

    const shared = roomOf(offer({ cpus: 4, nodes: 2 }));
    expect(shared.take(need({ num_cpus: 4 }))).toBe(true);
    expect(shared.take(need({ num_cpus: 1 }))).toBe(true);
    expect(shared.take(need({ num_nodes: 2 }))).toBe(false);
  });
});

const anyNeed = fc.record({
  num_cpus: fc.integer({ min: 1, max: 8 }),
  memory_bytes: fc.integer({ min: 0, max: 60 }),
  num_gpus: fc.integer({ min: 0, max: 2 }),
  num_nodes: fc.integer({ min: 1, max: 3 }),
  runtime_seconds: fc.constant(60),
});
const anyOffer = fc.record({
  cpus: fc.integer({ min: 0, max: 16 }),
  memoryBytes: fc.integer({ min: 0, max: 100 }),
  gpus: fc.integer({ min: 0, max: 4 }),
  nodes: fc.integer({ min: 1, max: 4 }),
});

it('the claimed jobs never exceed the offer, for any ready jobs', () => {
  fc.assert(
    fc.property(fc.array(anyNeed), anyOffer, (waiting, given) => {
      const room = roomOf(given);
      const taken = waiting.filter((each) => room.take(each));
      const exclusive = taken
        .filter(({ num_nodes: nodes }) => nodes > 1)
        .reduce((sum, { num_nodes: nodes }) => sum + nodes, 0);
      const shared = taken.filter(({ num_nodes: nodes }) => nodes === 1);
      const left = given.nodes - exclusive;
      const sum = (field: 'num_cpus' | 'memory_bytes' | 'num_gpus') =>
        shared.reduce((total, each) => total + each[field], 0);
      return (
        left >= 0 &&
        taken.every((each) => fitsNode(each, given)) &&
        sum('num_cpus') <= given.cpus * left &&
        sum('memory_bytes') <= given.memoryBytes * left &&
        sum('num_gpus') <= given.gpus * left
      );
    }),
  );
});

it('requirements that did not fit once never fit later', () => {
  fc.assert(
    fc.property(fc.array(anyNeed), anyOffer, anyNeed, (waiting, given, refused) => {
      const room = roomOf(given);
      if (room.take(refused)) return true;
      for (const each of waiting) room.take(each);
      return !room.take(refused);
    }),
  );
});
