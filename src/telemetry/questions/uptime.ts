import type { TelemetryUptime } from '../../core/contract/telemetry.ts';
import type { AnswerOf } from '../answers.ts';
import type { NodeHour } from '../store/rows/hours.ts';
import { byNodeAndTime, type SampleTime } from '../store/rows/samples.ts';
import type { TelemetryRows, AskedWindow } from '../store/rows/rows.ts';

/** A time during which a node sent samples, or did not. */
export type UptimeSpan = AnswerOf<typeof TelemetryUptime>;

/** Where the interval of samples is not known: the longest that is usual. */
const USUAL_SECONDS = 300;
/** Samples come late: sending is spread over a window. */
const LATE = 2.5;

/**
 * When nodes sent samples. Without an interval, a node is down where the gap is 2.5 times its median gap, and at least as much of 5
 * minutes.
 */
export async function uptimeOf(
  source: TelemetryRows,
  window: AskedWindow,
  intervalSeconds?: number,
): Promise<UptimeSpan[]> {
  const hours = (await source.nodeHours(window)).flatMap(timesOf);
  const samples = await source.sampleTimes(window);
  const all = hours.length === 0 ? samples : [...hours, ...samples].toSorted(byNodeAndTime);
  const nodes = Map.groupBy(all, ({ cluster, node }) => `${cluster} ${node}`);
  return [...nodes.values()].flatMap((own) => {
    const gap = LATE * (intervalSeconds ?? Math.max(USUAL_SECONDS, medianGap(own.map(({ time }) => time))));
    const spans: UptimeSpan[] = [];
    let open: { from: number; last: number; samples: number; boot: number | undefined; isBooted: boolean } | undefined;
    const { cluster, node } = own[0] as SampleTime;
    const close = (until: number) => {
      if (open === undefined) return;
      const { from, last, samples: count, isBooted } = open;
      spans.push({ cluster, node, state: 'up', from, until: last, samples: count, isBooted });
      if (until - last > gap)
        spans.push({ cluster, node, state: 'down', from: last, until, samples: 0, isBooted: false });
    };
    for (const { time, boot } of own) {
      // A second is what the clock of a node is corrected by.
      const isBooted = open?.boot !== undefined && boot !== undefined && boot > open.boot + 60;
      if (open === undefined || time - open.last > gap || isBooted) {
        close(time);
        open = { from: time, last: time, samples: 0, boot, isBooted };
      }
      open.last = time;
      open.samples++;
      open.boot = boot ?? open.boot;
    }
    close(window.until);
    return spans;
  });
}

/** Of an hour without samples only the first and the last time are known: the others are taken as even. */
const timesOf = ({ cluster, node, first, last, samples, boot }: NodeHour): SampleTime[] =>
  Array.from({ length: samples }, (_, index) => ({
    cluster,
    node,
    time: samples === 1 ? first : Math.round(first + (index * (last - first)) / (samples - 1)),
    boot,
  }));

function medianGap(times: readonly number[]): number {
  const gaps = times
    .slice(1)
    .map((time, index) => time - (times[index] ?? 0))
    .toSorted((one, other) => one - other);
  return gaps[Math.floor(gaps.length / 2)] ?? 0;
}
