import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createCapacity } from '../../src/runner/claim/capacity.ts';
import { roomOfNodes } from '../../src/server/claim/room.ts';

const size = { cpus: fc.integer({ min: 1, max: 8 }), memoryBytes: fc.integer({ min: 1, max: 100 }) };
const anyNodes = fc.array(fc.record({ ...size, devices: fc.constantFrom([], ['0'], ['0', '1']) }), {
  minLength: 1,
  maxLength: 4,
});
const anyNeed = fc.record({
  num_cpus: fc.integer({ min: 1, max: 8 }),
  memory_bytes: fc.integer({ min: 0, max: 60 }),
  num_gpus: fc.integer({ min: 0, max: 2 }),
  num_nodes: fc.integer({ min: 1, max: 3 }),
  runtime_seconds: fc.constant(60),
});

it('a runner has room for everything that it was handed to start at once, and for nothing that was kept back', () => {
  fc.assert(
    fc.property(anyNodes, fc.array(anyNeed), fc.array(anyNeed), (nodes, running, waiting) => {
      const capacity = createCapacity(nodes.map((node, index) => ({ name: `n${index}`, ...node })));
      for (const need of running) capacity.lease(need);
      const room = roomOfNodes(capacity.nodes());
      for (const need of waiting) expect(capacity.lease(need) !== undefined).toBe(room.take(need));
    }),
  );
});
