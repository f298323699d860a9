import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { unchangedCompat } from '../../src/core/contract/sonar/compat.ts';
import { encodeEnvelope } from '../../src/core/contract/sonar/encode.ts';
import type { SampleProcess } from '../../src/core/contract/sonar/sample.ts';
import { formatTimestamp } from '../../src/core/contract/sonar/timestamp.ts';
import { EnvelopeReader } from '../../src/telemetry/format/envelope-reader.ts';
import { EmbeddedStore } from '../../src/telemetry/store/embedded/embedded-store.ts';
import { ingestInto } from '../../src/telemetry/receive/files/ingest.ts';
import { temporaryFolder } from '../support/programs.ts';

const START = 1_772_323_200;
const window = { from: START, until: START + 3600 };

const sampleAt = (time: number, processes: readonly SampleProcess[]) =>
  encodeEnvelope(
    {
      meta: { producer: 'sonar', version: '0.19.0' },
      data: {
        type: 'sample',
        attributes: {
          time: formatTimestamp(time),
          cluster: 'fox',
          node: 'n1',
          jobs: [{ job: 7, user: 'ada', processes }],
        },
      },
    },
    unchangedCompat,
  );

async function storeOf(samples: readonly (readonly SampleProcess[])[], path = join(temporaryFolder(), 'sonar.db')) {
  const opened = new EmbeddedStore(path);
  await opened.addCluster('fox', 0);
  const reader = new EnvelopeReader();
  const text = samples.map((processes, index) => sampleAt(START + index * 60, processes)).join('\n');
  await ingestInto(opened, [...reader.push(Buffer.from(text)), ...reader.end()], {
    received: START + 366 * 86_400,
    origin: 'test',
  });
  return opened;
}

const kept = (opened: EmbeddedStore) => Number(opened.database.get('select count(*) as n from job_sums')?.['n']);
const samplesOf = async (opened: EmbeddedStore) =>
  (await Array.fromAsync(opened.rows.jobSamples(window, { job: 7 }))).flat();

const processes = (count: number, more: SampleProcess = {}): SampleProcess[] =>
  Array.from({ length: count }, (_, index) => ({
    pid: index + 1,
    ppid: index,
    cpu_avg: index / 10,
    cpu_time: 300 * index,
    resident_memory: 1000,
    ...more,
  }));

it('the sums of a job of many processes are stored with its sample, and those of a few are not', async () => {
  const opened = await storeOf([processes(64), processes(3)]);
  expect(kept(opened)).toBe(1);
  const [many, few] = await samplesOf(opened);
  expect(many).toMatchObject({ processes: 64, rssKb: 64_000, cpuAvg: 201.6 });
  expect(many?.names).toEqual(Array.from({ length: 64 }, (_, index) => index + 1));
  expect(many?.cpuTimes.at(-1)).toBe(63 * 300);
  expect(few).toMatchObject({ processes: 3, rssKb: 3000 });
  await opened.close();
});

it.each([
  ['a process that was rolled up', { pid: 0, rolledup: 2 }],
  ['a counter beyond what a number holds exactly', { cpu_time: 2n ** 63n }],
  ['memory beyond what a number holds exactly', { resident_memory: 2n ** 64n - 1n }],
] as const)('with %s the rows themselves are added up', async (_, more) => {
  const opened = await storeOf([[...processes(20), { pid: 99, ...more }]]);
  expect(kept(opened)).toBe(0);
  const [found] = await samplesOf(opened);
  expect(found?.names).toHaveLength(21);
  await opened.close();
});

it('samples that were stored before there were sums, or with them, are shown alike', async () => {
  const number = fc.oneof(
    fc.nat(300),
    fc.nat(),
    fc.nat(2 ** 31).map((each) => each * 1000),
  );
  const process = fc.record(
    {
      pid: fc.integer({ min: 1, max: 4_194_304 }),
      ppid: number,
      cpu_time: number,
      resident_memory: number,
      cpu_avg: fc.oneof(
        fc.nat(100_000).map((each) => each / 1000),
        fc.double({ min: 0, max: 1e6, noNaN: true }),
      ),
    },
    { requiredKeys: ['pid'] },
  );
  const entry = fc
    .tuple(fc.uniqueArray(process, { minLength: 14, maxLength: 30, selector: ({ pid }) => pid }), fc.nat(4))
    .map(([own, rare]) => (rare === 0 ? [...own, { pid: 0, ppid: 1, cpu_time: 5 }] : own));
  let withSums = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 4 }), async (samples) => {
      const opened = await storeOf(samples, ':memory:');
      withSums += kept(opened);
      const found = await samplesOf(opened);
      opened.database.run('delete from job_sums');
      expect(await samplesOf(opened)).toEqual(found);
      expect(found).toHaveLength(samples.length);
      await opened.close();
    }),
    { numRuns: 60 },
  );
  expect(withSums).toBeGreaterThan(10);
});

it('sums go with their samples when these are deleted', async () => {
  const opened = await storeOf([processes(64)]);
  expect(await opened.prune(START + 3600)).toBe(1);
  expect(kept(opened)).toBe(0);
  await opened.close();
});
