import type { JobHour } from '../store/rows/hours.ts';

/** Lengths of the steps of a profile that may be chosen; the command has the same for `--every`. */
const STEP_SECONDS = [300, 1800, 3600, 43_200, 86_400, 604_800] as const;

/** Of one node. More are neither read by a person nor drawn by a program. */
const MOST_STEPS = 300;

export type Counted = Pick<JobHour, 'cluster' | 'node' | 'epoch' | 'user' | 'first' | 'last' | 'samples'>;

/** What the steps of a profile belong to: a job on one node. */
export const sampleKeyOf = ({ cluster, node, epoch, user }: Omit<Counted, 'first' | 'last' | 'samples'>): string =>
  `${cluster} ${node} ${epoch} ${user}`;

/**
 * The length of steps in seconds: 0, each sample, where no node has more than 300; otherwise the least of the usual lengths that makes
 * at most 300 steps of the time from the first to the last sample, and an hour at least for more than a day: hours of closed days are kept.
 */
export function chooseStepSeconds(counted: readonly Counted[]): number {
  const samples = new Map<string, number>();
  let [first, last] = [Infinity, 0];
  for (const each of counted) {
    const id = sampleKeyOf(each);
    samples.set(id, (samples.get(id) ?? 0) + each.samples);
    first = Math.min(first, each.first);
    last = Math.max(last, each.last);
  }
  const most = samples.values().reduce((greatest, each) => Math.max(greatest, each), 0);
  if (most <= MOST_STEPS) return 0;
  const length = last - first;
  const least = length > 86_400 ? 3600 : 0;
  return STEP_SECONDS.find((seconds) => seconds >= least && length / seconds <= MOST_STEPS) ?? 604_800;
}
