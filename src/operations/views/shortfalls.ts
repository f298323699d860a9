import type { JobStatusCounts } from '../../core/contract/job.ts';
import type { RunSummary } from '../../runner/facts/options.ts';

type Ended = Pick<RunSummary, 'ending' | 'counts' | 'countsAtStart' | 'tally'>;

/** What keeps a run from being a success: `2 failed`, `1 canceled`, `3 not run`. Nothing where all jobs completed. */
export function shortfalls({ counts, ending }: Pick<Ended, 'counts' | 'ending'>): string[] {
  if (counts === undefined) return [];
  const left = ending === 'complete' ? 0 : openJobs(counts);
  return [
    ...(counts.failed > 0 ? [`${counts.failed} failed`] : []),
    ...(counts.terminated > 0 ? [`${counts.terminated} terminated`] : []),
    ...(counts.canceled > 0 ? [`${counts.canceled} canceled`] : []),
    ...(left > 0 ? [`${left} not finished`] : []),
  ];
}

/** The jobs that have not ended, by the words for them: none that is 0. */
export function openJobsByKind(counts: JobStatusCounts): readonly (readonly [kind: string, jobs: number])[] {
  const kinds: readonly (readonly [string, number])[] = [
    ['running', counts.running],
    ['ready', counts.ready + counts.pending],
    ['blocked', counts.blocked],
    ['uninitialized', counts.uninitialized],
    ['waiting for a decision', counts.pending_failed],
  ];
  return kinds.filter(([, jobs]) => jobs > 0);
}

const openJobs = (counts: JobStatusCounts): number => openJobsByKind(counts).reduce((sum, [, jobs]) => sum + jobs, 0);

/** The option of `torc run` that goes on from here, and what it does. */
export interface NextStep {
  readonly says: string;
  readonly flag: '--resume' | '--retry-failed';
}

/** How to go on with a workflow after this end; undefined where a command of its own would not help. */
export function nextStep({ counts, ending }: Pick<Ended, 'counts' | 'ending'>): NextStep | undefined {
  const { failed = 0, terminated = 0, canceled = 0, uninitialized = 0, pending_failed: undecided = 0 } = counts ?? {};
  const isInterrupted = terminated + canceled > 0;
  const retry: NextStep = { says: 'To run the failed jobs again', flag: '--retry-failed' };
  switch (ending) {
    case 'stopped':
      return counts === undefined || isInterrupted || openJobs(counts) > 0
        ? { says: 'To resume', flag: '--resume' }
        : undefined;
    case 'canceled':
    case 'deadline':
      return counts === undefined || isInterrupted || openJobs(counts) > 0
        ? { says: 'To go on', flag: '--resume' }
        : failed > 0
          ? retry
          : undefined;
    case 'complete':
      if (failed > 0) return retry;
      return isInterrupted ? { says: 'To run the interrupted jobs again', flag: '--resume' } : undefined;
    case 'stuck':
      if (uninitialized > 0) return { says: 'To make the jobs ready', flag: '--resume' };
      return failed + undecided > 0 ? retry : undefined;
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
 * `this run: 3 ran, 6 up to date`, `nothing to run: 20 failed earlier`.
 */
export function thisRun({ counts, countsAtStart, tally }: Omit<Ended, 'ending'>): string | undefined {
  if (counts === undefined || countsAtStart === undefined) return undefined;
  const ran = tally.completed + tally.failed + tally.terminated;
  const elsewhere = Math.max(0, ranOf(counts) - ranOf(countsAtStart) - ran);
  // A job that was canceled and then reset elsewhere has ended in this run.
  const earlier = EARLIER.map(([status, words]) => ({ count: Math.min(countsAtStart[status], counts[status]), words }))
    .filter(({ count }) => count > 0)
    .map(({ count, words }) => `${count} ${words}`);
  if (earlier.length === 0 && elsewhere === 0) return undefined;
  const others = elsewhere > 0 ? [`${elsewhere} ran on other runners`] : [];
  if (ran === 0 && elsewhere === 0 && openJobs(counts) === 0) return `nothing to run: ${earlier.join(', ')}`;
  return `this run: ${[`${ran} ran`, ...others, ...earlier].join(', ')}`;
}

const EARLIER = [
  ['completed', 'up to date'],
  ['failed', 'failed earlier'],
  ['terminated', 'terminated earlier'],
  ['canceled', 'canceled earlier'],
] as const;

const ranOf = ({ completed, failed, terminated }: NonNullable<Ended['counts']>) => completed + failed + terminated;
