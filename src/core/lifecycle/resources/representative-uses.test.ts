import fc from 'fast-check';
import { expect, it } from 'vitest';
import { correctResources, type JobUse } from './correct-resources.ts';
import { createRepresentatives } from './representative-uses.ts';
import { lackOf, lacksAnything, type Limits } from './resource-use.ts';

const GIB = 2 ** 30;
const limits = fc.record<Limits>({
  memoryBytes: fc.constantFrom(1, GIB, 8 * GIB),
  numCpus: fc.integer({ min: 1, max: 8 }),
  runtimeSeconds: fc.constantFrom(undefined, 60, 36_000),
});
const use = fc.record({
  isSuccess: fc.boolean(),
  isEndedForTime: fc.boolean(),
  mayBeMemory: fc.boolean(),
  causeCode: fc.constantFrom(undefined, 'memory' as const),
  seconds: fc.double({ min: 0, max: 40_000, noNaN: true }),
  peakMemoryBytes: fc.option(fc.integer({ min: 0, max: 10 * GIB }), { nil: undefined }),
  peakCpuPercent: fc.option(fc.double({ min: 0, max: 900, noNaN: true }), { nil: undefined }),
});
const succeeded = use.map((each) => ({
  ...each,
  isSuccess: true,
  isEndedForTime: false,
  mayBeMemory: false,
  causeCode: undefined,
}));
const jobOf = (given: typeof use) =>
  fc.record({ isCompleted: fc.boolean(), use: fc.option(given, { nil: undefined, freq: 20 }) });
const jobs = fc
  .oneof(
    fc.array(jobOf(use), { maxLength: 60 }),
    // Without these, hardly any case would lower the requirements.
    fc.array(
      succeeded.map((each) => ({ isCompleted: true, use: each })),
      { maxLength: 60 },
    ),
  )
  .map((list) => list.map((each, index): JobUse => ({ id: index, name: `j${index}`, requirementsId: 1, ...each })));

it('requirements are corrected to the same by representatives as by all jobs, whatever these used', () => {
  let changes = 0;
  fc.assert(
    fc.property(limits, jobs, fc.boolean(), (asked, all, downsizes) => {
      const representatives = createRepresentatives(asked);
      for (const job of all) representatives.add(job);
      const correct = (some: readonly JobUse[]) =>
        correctResources(new Map([[1, asked]]), some, { memory: 1.2, cpu: 1.2, runtime: 1.2 }, { downsizes }).map(
          ({ direction, memoryBytes, numCpus, runtimeSeconds }) => [direction, memoryBytes, numCpus, runtimeSeconds],
        );
      changes += correct(all).length;
      expect(correct(representatives.jobs)).toEqual(correct(all));
      expect(representatives.lacking).toBe(
        all.filter((job) => job.use !== undefined && lacksAnything(lackOf(asked, job.use))).length,
      );
    }),
    { numRuns: 1_000 },
  );
  expect(changes).toBeGreaterThan(100);
});

it('there are few representatives, however many jobs there are', () => {
  fc.assert(
    fc.property(limits, fc.array(use, { minLength: 2_000, maxLength: 2_000 }), (asked, uses) => {
      const representatives = createRepresentatives(asked);
      for (const [id, each] of uses.entries())
        representatives.add({ id, name: 'j', requirementsId: 1, isCompleted: true, use: each });
      expect(representatives.jobs.length).toBeLessThan(100);
    }),
    { numRuns: 5 },
  );
});
