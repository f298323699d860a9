import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { bindableCpus, cpuNumbers, createCpuPool } from './cpu-pool.ts';

const need = (num_cpus: number) => ({ num_cpus, memory_bytes: 0, num_gpus: 0, num_nodes: 1, runtime_seconds: 60 });
const job = (cpus: number, requirements = 7) => ({ need: need(cpus), resource_requirements_id: requirements });
const pool = (cpus: readonly number[]) => createCpuPool(cpus, ({ resource_requirements_id: id }) => id !== 1);

it('steps have different CPUs, and those of an ended step are used again', () => {
  const cpus = pool([0, 1, 2, 3]);
  expect([cpus.take('a', job(2)), cpus.take('b', job(1)), cpus.take('c', job(1))]).toEqual([[0, 1], [2], [3]]);
  expect(cpus.take('d', job(1))).toBeUndefined();
  cpus.release('b');
  expect(cpus.take('d', job(1))).toEqual([2]);
});

it('a step has neighbouring CPUs where there are some, and single ones otherwise', () => {
  const cpus = pool([0, 2, 4, 5]);
  expect(cpus.take('a', job(2))).toEqual([4, 5]);
  expect(cpus.take('b', job(2))).toEqual([0, 2]);
});

it('a job without requirements of its own is not bound', () => {
  expect(pool([0, 1]).take('a', job(1, 1))).toBeUndefined();
  expect(pool([0, 1]).take('a', job(1, 2))).toEqual([0]);
});

test('no CPU is leased twice, and none is lost, whatever is taken and released', () => {
  const acts = fc.array(fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd'), count: fc.integer({ min: 0, max: 5 }) }));
  fc.assert(
    fc.property(acts, (list) => {
      const cpus = pool([0, 1, 2, 3, 4, 5]);
      const held = new Map<string, readonly number[]>();
      for (const { id, count } of list) {
        if (held.has(id)) {
          cpus.release(id);
          held.delete(id);
          continue;
        }
        const taken = cpus.take(id, job(count));
        if (taken !== undefined) held.set(id, taken);
      }
      const all = [...held.values()].flat();
      expect(new Set(all).size).toBe(all.length);
      for (const id of held.keys()) cpus.release(id);
      expect(cpus.take('all', job(6))).toEqual([0, 1, 2, 3, 4, 5]);
    }),
  );
});

test.each([
  ['0-3', [0, 1, 2, 3]],
  ['0,2-3,8', [0, 2, 3, 8]],
  ['5\n', [5]],
  ['', []],
])('the list of CPUs %j has these numbers', (text, numbers) => expect(cpuNumbers(text)).toEqual(numbers));

it('jobs are bound only where Slurm gave the step as many CPUs as the allocation has on the node', () => {
  expect(bindableCpus([0, 1], 2)).toEqual([0, 1]);
  expect(bindableCpus([0, 1, 2, 3], 2)).toBeUndefined();
  expect(bindableCpus([0, 1], 4)).toBeUndefined();
  expect(bindableCpus([0, 1], undefined)).toBeUndefined();
  expect(bindableCpus([], 0)).toBeUndefined();
});
