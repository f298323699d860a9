import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unchangedCompat } from '../../src/core/contract/sonar/compat.ts';
import { encodeEnvelope } from '../../src/core/contract/sonar/encode.ts';
import type { Envelope } from '../../src/core/contract/sonar/envelope.ts';
import { formatTimestamp } from '../../src/core/contract/sonar/timestamp.ts';
import { jobsOf } from '../../src/telemetry/questions/jobs.ts';
import { EnvelopeReader } from '../../src/telemetry/read/envelope-reader.ts';
import { EmbeddedStore } from '../../src/telemetry/store/embedded-store.ts';
import { ingest } from '../../src/telemetry/store/ingest.ts';

const START = 1_772_323_200;
const window = { from: START, until: START + 86_400 };

/** What the one process of a job says on a node, so many seconds behind the start. */
interface Said {
  readonly node: string;
  readonly at: number;
  readonly rss: number;
  readonly gpu: number;
  readonly util: number;
  readonly cpuTime: number;
}

const envelopeOf = ({ node, at, rss, gpu, util, cpuTime }: Said): Envelope =>
  ({
    meta: { producer: 'sonar', version: '0.19.0' },
    data: {
      type: 'sample',
      attributes: {
        cluster: 'fox',
        time: formatTimestamp(START + at),
        node,
        jobs: [
          {
            job: 7,
            user: 'ada',
            processes: [
              {
                pid: 1,
                cpu_time: cpuTime,
                resident_memory: rss,
                gpus: [{ index: 0, uuid: `${node}-A`, gpu_util: util, gpu_memory: gpu }],
              },
            ],
          },
        ],
      },
    },
  }) as unknown as Envelope;

/** In the order in which they arrive. */
async function answered(said: readonly Said[]) {
  const store = new EmbeddedStore(':memory:');
  await store.addCluster('fox', 0);
  const reader = new EnvelopeReader();
  const text = said.map((each) => encodeEnvelope(envelopeOf(each), unchangedCompat)).join('\n');
  await ingest(store, [...reader.push(Buffer.from(text)), ...reader.end()], {
    received: START + 366 * 86_400,
    origin: 'test',
  });
  const uses = await jobsOf(store.rows, window);
  expect(uses).toHaveLength(1);
  return uses[0] as (typeof uses)[number];
}

/** The definitions of docs/reference/telemetry-figures.md, each looked up in all samples. */
function expectedOf(said: readonly Said[]) {
  const nodes = [...new Set(said.map(({ node }) => node))].map((node) =>
    said.filter((each) => each.node === node).toSorted((one, other) => one.at - other.at),
  );
  const times = said.map(({ at }) => at);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const rateOf = (own: readonly Said[], index: number) => {
    const [before, now] = [own[index - 1], own[index] as Said];
    return before === undefined ? 0 : (100 * (now.cpuTime - before.cpuTime)) / (now.at - before.at);
  };
  const peakOf = (value: (own: readonly Said[], index: number) => number) =>
    Math.max(
      ...times.map((time) =>
        nodes.reduce((sum, own) => {
          const index = own.findLastIndex(({ at }) => at <= time);
          const [held, next] = [own[index], own[index + 1]];
          const counts =
            held !== undefined && (held.at === time || (next !== undefined && next.at - held.at <= 15 * 60));
          return counts ? sum + value(own, index) : sum;
        }, 0),
      ),
    );
  const sumOf = (value: (own: readonly Said[]) => number) => nodes.reduce((sum, own) => sum + value(own), 0);
  const spanOf = (own: readonly Said[]) => (own.at(-1) as Said).at - (own[0] as Said).at;
  // Before a node's first sample, only the use on a node that was sampled before is known to be of this window.
  const begins = (own: readonly Said[]) => (own[0] as Said).cpuTime;
  const cpuSeconds = sumOf((own) => (own.at(-1) as Said).cpuTime - begins(own));
  return {
    cpuSeconds,
    cpuPercent: last > first ? (100 * cpuSeconds) / (last - first) : 0,
    peakCpuPercent: peakOf(rateOf),
    peakMemoryKb: peakOf((own, index) => (own[index] as Said).rss),
    peakGpuMemoryKb: peakOf((own, index) => (own[index] as Said).gpu),
    gpuPercent: sumOf(
      (own) =>
        (own.reduce((sum, { util }) => sum + util, 0) / own.length) * (last > first ? spanOf(own) / (last - first) : 1),
    ),
  };
}

/** Days of a job: nodes that join and leave, gaps, several cadences, and samples that come late, twice and in any order. */
const days = fc
  .array(
    fc.record({
      start: fc.nat(20_000),
      gaps: fc.array(fc.constantFrom(60, 60, 60, 61, 300, 900, 901, 5000), { maxLength: 12 }),
      figures: fc.array(
        fc.record({ rss: fc.nat(1_000_000), gpu: fc.nat(1_000_000), util: fc.nat(100), used: fc.nat(500) }),
        { minLength: 13, maxLength: 13 },
      ),
      isAligned: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((nodes) =>
    nodes.flatMap(({ start, gaps, figures, isAligned }, index) => {
      let at = isAligned ? 600 : start;
      let cpuTime = 0;
      return [0, ...gaps].map((gap, place): Said => {
        at += gap;
        const { rss, gpu, util, used } = figures[place] as (typeof figures)[number];
        cpuTime += used;
        return { node: `n${index}`, at, rss, gpu, util, cpuTime };
      });
    }),
  )
  .chain((said) =>
    fc.record({
      said: fc.constant(said),
      doubled: fc.subarray([...said]),
      order: fc.array(fc.nat(1_000_000), { minLength: said.length * 2, maxLength: said.length * 2 }),
    }),
  )
  .map(({ said, doubled, order }) => ({
    said,
    arriving: [...said, ...doubled]
      .map((each, index) => ({ each, place: order[index] as number }))
      .toSorted((one, other) => one.place - other.place)
      .map(({ each }) => each),
  }));

describe('the figures of a job', () => {
  it('the figures of a job are those that are looked up in all samples, whatever order and how often they arrive', async () => {
    await fc.assert(
      fc.asyncProperty(days, async ({ said, arriving }) => {
        const use = await answered(arriving);
        const expected = expectedOf(said);
        for (const [name, value] of Object.entries(expected))
          expect(use[name as keyof typeof expected], name).toBeCloseTo(value, 2);
      }),
      { numRuns: 150 },
    );
  });

  const at = (node: string, seconds: number, rss: number, more: Partial<Said> = {}): Said => ({
    node,
    at: seconds,
    rss,
    gpu: rss,
    util: 70,
    cpuTime: seconds,
    ...more,
  });

  it('a peak on two nodes is of one moment, and not the sum of what each had at another', async () => {
    const said = [at('n1', 0, 10), at('n2', 0, 1000), at('n1', 60, 1000), at('n2', 60, 10)];
    expect(await answered(said)).toMatchObject({ peakMemoryKb: 1010, peakGpuMemoryKb: 1010, gpuPercent: 140 });
  });

  it('a node that a job has left does not count any more', async () => {
    const said = [at('n1', 0, 500), at('n1', 60, 500), at('n2', 60, 100), at('n2', 120, 900), at('n2', 180, 100)];
    expect(await answered(said)).toMatchObject({ peakMemoryKb: 900 });
    expect(await answered([...said, at('n1', 120, 500)])).toMatchObject({ peakMemoryKb: 1400 });
  });

  it('the nodes of a job are in the order of their names, whichever was sampled first', async () => {
    const said = [at('n3', 0, 1), at('n1', 60, 1), at('n2', 60, 1)];
    expect(await answered(said)).toMatchObject({ nodes: ['n1', 'n2', 'n3'] });
  });

  it('the greatest CPU use on several nodes is at least the average', async () => {
    const said = [0, 60, 120].flatMap((seconds) => [at('n1', seconds, 1), at('n2', seconds, 1), at('n3', seconds, 1)]);
    expect(await answered(said)).toMatchObject({ cpuPercent: 300, peakCpuPercent: 300 });
  });
});
