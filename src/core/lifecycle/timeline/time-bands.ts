import { type AttemptList, FAILED, RETRY } from './attempt-list.ts';
import { createBins, type TimeBins } from './time-bins.ts';

/** A part of the attempts, such as those of a family of jobs. */
export interface TimeBand {
  /** Which part; undefined for all that have no band of their own. */
  readonly part: number | undefined;
  readonly attempts: number;
  readonly retries: number;
  readonly bins: TimeBins;
}

/** A time: attempts that overlap it count as far as they do. */
export interface TimeWindow {
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly bins: number;
}

export interface TimeBands {
  readonly whole: TimeBand;
  /** Those with the most running time, by their part; behind them all others as one, if there are any. */
  readonly bands: readonly TimeBand[];
  readonly bandsLeftOut: number;
  /** Positions of the attempts that overlap the time, if they are few enough. */
  readonly few: readonly number[] | undefined;
}

interface BandsOptions {
  /** Another number than 0 to `parts` - 1 has no band of its own. Without it, there are no bands. */
  readonly partOf?: ((attempt: number) => number) | undefined;
  readonly parts: number;
  /** What an attempt weighs in `running`; 1 by default. */
  readonly weightOf?: ((attempt: number) => number) | undefined;
  readonly mostBands: number;
  readonly mostFew: number;
}

/** Attempts between two yields: less than a millisecond. */
const STEPS = 5_000;

/**
 * Attempts of a time, all together and in bands. Which bands are the largest is known after all attempts were seen, and a hundred thousand
 * families have no room for bins of their own, so the attempts are gone through twice. Yields often, so that the caller can pause.
 */
export function* bandsOf(
  list: AttemptList,
  window: TimeWindow,
  { partOf, parts, weightOf = () => 1, mostBands, mostFew }: BandsOptions,
): Generator<undefined, TimeBands> {
  const { fromSeconds, toSeconds } = window;
  const overlaps = (attempt: number) =>
    (list.startSeconds[attempt] as number) <= toSeconds && endOf(list, attempt) >= fromSeconds;
  const busySeconds = new Float64Array(parts);
  const counts = new Uint32Array(parts);
  const few: number[] = [];
  const whole = createBand(window);
  for (let attempt = 0; attempt < list.length; attempt += 1) {
    if (attempt % STEPS === 0) yield;
    if (!overlaps(attempt)) continue;
    if (few.length <= mostFew) few.push(attempt);
    whole.add(list, attempt, weightOf(attempt));
    const part = partOf?.(attempt) ?? -1;
    if (part < 0 || part >= parts) continue;
    counts[part] = (counts[part] as number) + 1;
    const start = Math.max(fromSeconds, list.startSeconds[attempt] as number);
    busySeconds[part] = (busySeconds[part] as number) + Math.max(0, Math.min(toSeconds, endOf(list, attempt)) - start);
  }
  const found: { bands: TimeBand[]; bandsLeftOut: number } =
    partOf === undefined ? { bands: [], bandsLeftOut: 0 } : yield* separate(partOf);
  return { ...found, whole: whole.finish(undefined), few: few.length > mostFew ? undefined : few };

  function* separate(of: (attempt: number) => number) {
    const present = [...counts.keys()].filter((part) => (counts[part] as number) > 0);
    const largest = present
      .toSorted((one, other) => (busySeconds[other] as number) - (busySeconds[one] as number) || one - other)
      .slice(0, mostBands)
      .toSorted((one, other) => one - other);
    const builders = new Map(largest.map((part) => [part, createBand(window)] as const));
    const others = createBand(window);
    for (let attempt = 0; attempt < list.length; attempt += 1) {
      if (attempt % STEPS === 0) yield;
      if (overlaps(attempt)) (builders.get(of(attempt)) ?? others).add(list, attempt, weightOf(attempt));
    }
    const rest = others.finish(undefined);
    return {
      bands: [...[...builders].map(([part, each]) => each.finish(part)), ...(rest.attempts === 0 ? [] : [rest])],
      bandsLeftOut: present.length - largest.length,
    };
  }
}

/** The end of an attempt; of one that runs, now. */
const endOf = ({ endSeconds, nowSeconds, startSeconds }: AttemptList, attempt: number): number => {
  const end = endSeconds[attempt] as number;
  return Math.max(startSeconds[attempt] as number, Number.isNaN(end) ? nowSeconds : end);
};

function createBand({ fromSeconds, toSeconds, bins }: TimeWindow) {
  const builder = createBins(fromSeconds, toSeconds, bins);
  let [attempts, retries] = [0, 0];
  return {
    add(list: AttemptList, attempt: number, weight: number) {
      const marks = list.marks[attempt] as number;
      attempts += 1;
      if ((marks & RETRY) !== 0) retries += 1;
      builder.add({
        startSeconds: list.startSeconds[attempt] as number,
        endSeconds: endOf(list, attempt),
        hasEnded: !Number.isNaN(list.endSeconds[attempt]),
        hasFailed: (marks & FAILED) !== 0,
        weight,
      });
    },
    finish: (part: number | undefined): TimeBand => ({ part, attempts, retries, bins: builder.finish() }),
  };
}
