import type { JobStatusCounts } from '../../../core/contract/job.ts';
import { outcomeRecord } from '../../../core/lifecycle/explain/outcome.ts';
import { SHOWN_ORDER } from '../../../core/job/statuses.ts';
import { counted, grouped } from '../../../core/quantity/count-text.ts';
import { withShortWords } from '../../../core/quantity/short-words.ts';
import type { TopFacts } from '../facts/top.ts';
import type { Hint } from './next-lines.ts';
import { endedOf, progressText, rateOf, secondsLeft } from '../../../core/lifecycle/explain/pace.ts';
import { runningRows } from './running.ts';
import { obstacleLines, stateLine, unservedLabelLines } from './status.ts';

/** A workflow at one moment, for programs. */
export function topRecord(facts: TopFacts, hint: Hint) {
  const { status, pace, nowMs } = facts;
  const rate = rateOf(pace, nowMs);
  return {
    time: new Date(nowMs).toISOString(),
    workflow_id: status.workflow_id,
    workflow_name: status.workflow_name,
    run_id: status.run_id ?? undefined,
    is_complete: status.is_complete,
    is_canceled: status.is_canceled,
    total_jobs: status.total_jobs,
    jobs_by_status: status.jobs_by_status,
    jobs_by_outcome: outcomeRecord(status.jobs_by_status),
    jobs_per_second: rate,
    seconds_left: secondsLeft(status.jobs_by_status, rate),
    active_compute_nodes: status.active_compute_nodes,
    running_jobs: runningRows(facts),
    waiting: waitLines(facts, hint).filter((line) => line !== ''),
  };
}

/** `sweep (workflow 3) of ada, run 1`. */
export const titleLine = ({ status }: Pick<TopFacts, 'status'>): string =>
  withShortWords(
    `${status.workflow_name} (workflow ${status.workflow_id}) of ${status.workflow_user}${typeof status.run_id === 'number' ? `, run ${status.run_id}` : ''}`,
  );

/** What has ended, what is left, and how long that takes. */
export function progressLine({ status, pace, nowMs }: TopFacts): string {
  if (status.is_complete) return stateLine(status);
  return `${percentOf(status.jobs_by_status, status.total_jobs)} · ${progressText(status.jobs_by_status, rateOf(pace, nowMs))}`;
}

/** A percentage of 100 is none of jobs that have not ended. */
const percentOf = (counts: JobStatusCounts, total: number): string =>
  total === 0 ? '0%' : `${Math.floor((100 * endedOf(counts)) / total)}%`;

/** `completed 1,204 · failed 3 · running 2`: the statuses of jobs, none that is 0. */
export const countsLine = (counts: JobStatusCounts): string =>
  [...SHOWN_ORDER]
    .filter((status) => counts[status] > 0)
    .map((status) => `${status} ${grouped(counts[status])}`)
    .join(' · ');

/** Why jobs have not started, and the commands that change it. */
export function waitLines(facts: TopFacts, hint: Hint): string[] {
  const { status, runners, unclaimable } = facts;
  const { blocked, ready, uninitialized, pending } = status.jobs_by_status;
  const able = ready - (unclaimable?.unclaimable_jobs ?? 0);
  const are = (jobs: number, one: string, several: string) => `${counted(jobs, 'job')} ${jobs === 1 ? one : several}`;
  return [
    ...(blocked > 0 ? [are(blocked, 'waits for other jobs', 'wait for other jobs')] : []),
    ...(able > 0 && runners.live > 0
      ? [`${are(able, 'is ready and waits', 'are ready and wait')} for room on ${counted(runners.live, 'runner')}`]
      : []),
    ...(pending > 0 ? [are(pending, 'is about to start', 'are about to start')] : []),
    ...(uninitialized > 0 && !status.is_complete
      ? [`${are(uninitialized, 'is', 'are')} not initialized: ${hint(`torc workflows init ${status.workflow_id}`)}`]
      : []),
    ...unservedLabelLines(facts, hint),
    ...obstacleLines(facts, hint),
  ];
}
