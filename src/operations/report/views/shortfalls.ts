import { outcomeOf, outcomeParts, partText } from '../../../core/lifecycle/explain/outcome.ts';
import { countOf, FAILED, NOT_RUN, RAN, RUNS_NOW, STOPPED, SUCCEEDED } from '../../../core/job/statuses.ts';
import type { RunSummary } from '../../../runner/facts/options.ts';

type Ended = Pick<RunSummary, 'ending' | 'counts' | 'countsAtStart' | 'tally'>;

/** What keeps a run from being a success: `2 failed`, `1 stopped`, `3 not run`. Nothing where all jobs completed. */
export const shortfalls = ({ counts, ending }: Pick<Ended, 'counts' | 'ending'>): string[] =>
  outcomeParts(counts ?? {})
    .filter(
      ({ word }) =>
        word === 'failed' ||
        word === 'stopped' ||
        (word !== 'completed' && ending !== 'complete' && ending !== 'chosen'),
    )
    .map(partText);

/** The option of `torc run` that goes on from here, and what it does. */
export interface NextStep {
  readonly says: string;
  readonly flag: '--resume' | '--retry-failed';
}

/** How to go on with a workflow after this end; undefined where a command of its own would not help. */
export function nextStep({ counts, ending }: Pick<Ended, 'counts' | 'ending'>): NextStep | undefined {
  const { failed, stopped, running, notRun } = outcomeOf(counts ?? {});
  const goesOn = counts === undefined || stopped + running + notRun > 0;
  const retry: NextStep | undefined =
    failed > 0 ? { says: 'To run the failed jobs again', flag: '--retry-failed' } : undefined;
  switch (ending) {
    case 'stopped':
      return goesOn ? { says: 'To resume', flag: '--resume' } : retry;
    case 'canceled':
    case 'deadline':
      return goesOn ? { says: 'To go on', flag: '--resume' } : retry;
    case 'complete':
    case 'chosen':
      return retry ?? (stopped > 0 ? { says: 'To run the stopped jobs again', flag: '--resume' } : undefined);
    case 'stuck':
      if ((counts?.uninitialized ?? 0) > 0) return { says: 'To make the jobs ready', flag: '--resume' };
      return retry;
    case 'idle':
    case 'superseded':
    case 'unreachable':
    case 'behind':
    case 'unable':
      return undefined;
  }
}

/**
 * What this run did where the counts of the workflow do not say it, because some jobs had ended before or ran elsewhere:
 * `this run: 3 ran, 6 completed earlier`, `nothing to run: 20 failed earlier`. Only one whose files were looked at is up to date.
 */
export function thisRun(
  { counts, countsAtStart, tally }: Omit<Ended, 'ending'>,
  /** How many of the jobs that completed are out of date; undefined where it was not asked. */
  outdated?: number,
): string | undefined {
  if (counts === undefined || countsAtStart === undefined) return undefined;
  const ran = Object.values(tally).reduce((sum, jobs) => sum + jobs, 0);
  const elsewhere = Math.max(0, countOf(counts, RAN) - countOf(countsAtStart, RAN) - ran);
  // A job that was canceled and then reset elsewhere has ended in this run.
  const earlier = EARLIER.flatMap(([set, words]) => {
    const jobs = Math.min(countOf(countsAtStart, set), countOf(counts, set));
    if (set !== SUCCEEDED || outdated === undefined) return jobs > 0 ? [`${jobs} ${words}`] : [];
    const upToDate = jobs - outdated;
    return [...(upToDate > 0 ? [`${upToDate} up to date`] : []), ...(outdated > 0 ? [`${outdated} out of date`] : [])];
  });
  if (earlier.length === 0 && elsewhere === 0) return undefined;
  const others = elsewhere > 0 ? [`${elsewhere} ran on other runners`] : [];
  if (ran === 0 && elsewhere === 0 && countOf(counts, RUNS_NOW, NOT_RUN) === 0)
    return `nothing to run: ${earlier.join(', ')}`;
  return `this run: ${[`${ran} ran`, ...others, ...earlier].join(', ')}`;
}

const EARLIER = [
  [SUCCEEDED, 'completed earlier'],
  [FAILED, 'failed earlier'],
  [STOPPED, 'stopped earlier'],
] as const;
