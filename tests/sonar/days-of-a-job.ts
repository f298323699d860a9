import * as fc from 'fast-check';

export const START = 1_772_323_200;
export const DAY = 86_400;

/** What the one process of a job says on a node, so many seconds behind the start. */
export interface Said {
  readonly node: string;
  readonly at: number;
  readonly rss: number;
  readonly gpu: number;
  readonly util: number;
  readonly cpuTime: number;
  readonly cpuAvg: number;
}

/** The definitions of docs/reference/telemetry-figures.md, each looked up in all samples. */
export function expectedOf(said: readonly Said[]) {
  const nodes = [...new Set(said.map(({ node }) => node))].map((node) =>
    said.filter((each) => each.node === node).toSorted((one, other) => one.at - other.at),
  );
  const times = said.map(({ at }) => at);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const rateOf = (own: readonly Said[], index: number) => {
    const [before, now] = [own[index - 1], own[index] as Said];
    return before === undefined ? now.cpuAvg : (100 * (now.cpuTime - before.cpuTime)) / (now.at - before.at);
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
    cpuPercent: last > first ? (100 * cpuSeconds) / (last - first) : sumOf((own) => (own[0] as Said).cpuAvg),
    peakCpuPercent: peakOf(rateOf),
    peakMemoryKb: peakOf((own, index) => (own[index] as Said).rss),
    peakGpuMemoryKb: peakOf((own, index) => (own[index] as Said).gpu),
    gpuPercent: sumOf(
      (own) =>
        (own.reduce((sum, { util }) => sum + util, 0) / own.length) * (last > first ? spanOf(own) / (last - first) : 1),
    ),
  };
}

export type Figure = keyof ReturnType<typeof expectedOf>;

/** Days of a job: nodes that join and leave, gaps, several cadences, and samples that come late, twice and in any order. */
export const days = fc
  .array(
    fc.record({
      // Some go on over midnight.
      start: fc.oneof(fc.nat(20_000), fc.integer({ min: DAY - 5000, max: DAY + 5000 })),
      gaps: fc.array(fc.constantFrom(60, 60, 60, 61, 300, 900, 901, 5000), { maxLength: 12 }),
      figures: fc.array(
        fc.record({
          rss: fc.nat(1_000_000),
          gpu: fc.nat(1_000_000),
          util: fc.nat(100),
          used: fc.nat(500),
          avg: fc.nat(400),
        }),
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
        const { rss, gpu, util, used, avg } = figures[place] as (typeof figures)[number];
        cpuTime += used;
        return { node: `n${index}`, at, rss, gpu, util, cpuTime, cpuAvg: avg };
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
