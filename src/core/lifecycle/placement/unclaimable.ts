import { type ObstacleReason, obstacleReasons } from '../../contract/obstacle-reasons.ts';
import type { UnclaimableJobs } from '../../contract/unclaimable.ts';
import { type JobKind, nearestObstacles, type RunnerRoom } from './obstacles.ts';

/** Ready jobs of one kind: their number, and an example. */
export interface ReadyKind extends JobKind {
  readonly jobs: number;
  readonly exampleId: number;
  readonly exampleName: string;
}

/**
 * The ready jobs that none of these runners can take, counted by reason.
 *
 * A job counts once: for the first reason of the runner that comes nearest to taking it. Without any runner there is
 * nothing to compare with, and the result is empty.
 */
export function unclaimable(kinds: readonly ReadyKind[], rooms: readonly RunnerRoom[]): UnclaimableJobs[] {
  const byReason = new Map<ObstacleReason, UnclaimableJobs>();
  for (const kind of kinds) {
    const nearest = nearestObstacles(kind, rooms);
    const first = nearest.toSorted((a, b) => rank(a.reason) - rank(b.reason))[0];
    if (first === undefined || kind.jobs === 0) continue;
    const known = byReason.get(first.reason);
    byReason.set(
      first.reason,
      known === undefined
        ? { ...first, jobs: kind.jobs, job_id: kind.exampleId, job_name: kind.exampleName }
        : { ...known, jobs: known.jobs + kind.jobs },
    );
  }
  return [...byReason.values()].toSorted((a, b) => b.jobs - a.jobs || rank(a.reason) - rank(b.reason));
}

const rank = (reason: ObstacleReason) => obstacleReasons.indexOf(reason);

const wants: Readonly<Record<ObstacleReason, string>> = {
  labels: 'want other labels than the runner has',
  scheduler: 'belong to another scheduler',
  cpus: 'need more CPUs than the runner has',
  memory: 'need more memory than the runner has',
  gpus: 'need more GPUs than the runner has',
  nodes: 'need more nodes than the runner has',
  time: 'need more time than the runner has left',
  limit: 'need more than a limit allows',
};

/**
 * `2 ready jobs need more CPUs than the runner has: wide (job 3) needs 8 CPUs, it has 4 CPUs`; of future allocations
 * `1 ready job needs more CPUs than an allocation has: wide (job 3) needs 8 CPUs, scheduler s asks for 4 CPUs`.
 */
export function unclaimableWords(one: UnclaimableJobs): string {
  const { reason, jobs, job_id: id, job_name: name, needs, has, scheduler } = one;
  const isFuture = scheduler !== undefined && scheduler !== null;
  const want = isFuture ? wants[reason].replace(/the runner has.*/, 'an allocation has') : wants[reason];
  const plural = jobs === 1 ? want.replace(/^(want|need|belong)/, '$1s') : want;
  const who = isFuture ? `scheduler ${shortened(scheduler)} asks for` : reason === 'limit' ? 'at most' : 'it has';
  return `${jobs} ready ${jobs === 1 ? 'job' : 'jobs'} ${plural}: ${shortened(name)} (job ${id}) needs ${needs}, ${who} ${has}${reason === 'limit' ? ' may be held' : ''}`;
}

/** A name may have thousands of characters. */
const shortened = (name: string) => (name.length > 60 ? `${name.slice(0, 57)}…` : name);
