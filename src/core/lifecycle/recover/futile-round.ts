import type { EndOrigin } from './recovery.ts';

/**
 * Whether another round of recovery can bring a workflow further: decided before anything is reset or submitted.
 *
 * What a job did itself it does again, unless its requirements were raised or another job completed meanwhile. What came from outside
 * (a preemption, a canceled allocation, a node, a killed runner) says nothing about the next round, however often it happens.
 */

/** A job that a round would repeat. */
interface Repeated {
  readonly id: number;
  readonly why: string;
  readonly returnCode: number | undefined;
  readonly origin: EndOrigin;
}

export interface NextRound<Job> {
  /** Jobs of the workflow that have completed. */
  readonly completed: number;
  /** Requirements that it would raise. */
  readonly raised: number;
  readonly repeated: readonly Job[];
}

/** How often a job was lost in a row, and how many jobs had completed in the round before the first of these. */
interface Losses {
  readonly times: number;
  readonly completedBefore: number;
}

/** What is known of the rounds before. */
export interface RoundsBefore {
  readonly completed: number;
  /** What was repeated, and why: equal texts are the same jobs that failed for the same reasons. */
  readonly outcome: string | undefined;
  readonly losses: ReadonlyMap<number, Losses>;
}

export const NO_ROUNDS: RoundsBefore = { completed: 0, outcome: undefined, losses: new Map() };

/**
 * Lost so often in a row while others completed, a job ends its runner or its node itself.
 *
 * Fewer, and a bad night of a cluster stops a long job that has done nothing; more, and each costs another allocation, and what ran
 * beside it.
 */
export const MOST_LOSSES = 5;

export interface RoundJudgement<Job> {
  readonly isFutile: boolean;
  /** Jobs that are not repeated any more: each was lost too often, while others completed. */
  readonly left: readonly Job[];
  readonly rounds: RoundsBefore;
}

export function judgeRound<Job extends Repeated>(
  before: RoundsBefore,
  { completed, raised, repeated }: NextRound<Job>,
): RoundJudgement<Job> {
  const losses = new Map(before.losses);
  for (const { id, origin } of repeated) {
    // Proven to come from outside, an end between two losses says nothing about them.
    if (origin === 'itself') losses.delete(id);
    if (origin !== 'loss') continue;
    const { times, completedBefore } = losses.get(id) ?? { times: 0, completedBefore: before.completed };
    losses.set(id, { times: times + 1, completedBefore });
  }
  const isLeft = ({ id, origin }: Job) => {
    const { times, completedBefore } = losses.get(id) ?? { times: 0, completedBefore: completed };
    return origin === 'loss' && times >= MOST_LOSSES && completed > completedBefore;
  };
  const again = repeated.filter((job) => !isLeft(job));
  const outcome = JSON.stringify(again.map(({ id, why, returnCode }) => [id, why, returnCode]));
  const isFutile =
    again.length > 0 &&
    raised === 0 &&
    again.every(({ origin }) => origin === 'itself') &&
    completed === before.completed &&
    outcome === before.outcome;
  return { isFutile, left: repeated.filter(isLeft), rounds: { completed, outcome, losses } };
}
