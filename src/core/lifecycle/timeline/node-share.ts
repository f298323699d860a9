import { createBins } from './time-bins.ts';

/** When a runner worked, in Unix seconds. */
interface Lifetime {
  readonly startSeconds: number;
  readonly endSeconds: number;
}

interface ShareOptions {
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly bins: number;
  readonly capacity: number;
  readonly lifetimes: readonly Lifetime[];
}

/**
 * Which share of a node its jobs took in each part of a time, from what they took on average; null where no runner worked. A part in
 * which a job ran counts as one in which a runner worked: its record may say less.
 */
export function sharesOf(
  taken: readonly number[] | undefined,
  { fromSeconds, toSeconds, bins, capacity, lifetimes }: ShareOptions,
): (number | null)[] {
  const alive = createBins(fromSeconds, toSeconds, bins);
  for (const each of lifetimes) alive.add({ ...each, hasEnded: true, hasFailed: false });
  return alive.finish().running.map((runners, bin) => {
    // Sums of fractions leave a rest.
    const share = Math.round(((taken?.[bin] ?? 0) / capacity) * 1e4) / 1e4;
    return share > 0 ? share : runners > 1e-9 ? 0 : null;
  });
}
