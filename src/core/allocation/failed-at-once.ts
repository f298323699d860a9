import type { QueueState } from './slurm-state.ts';

/** An allocation that was submitted, as Slurm and the server know it. */
export interface SubmittedAllocation {
  readonly recordId: number;
  readonly state: QueueState | undefined;
  /** Slurm's word: `FAILED`, `CANCELLED by 1000`. */
  readonly word: string;
  readonly seconds: number | undefined;
  readonly hasRunner: boolean;
}

/** So many in a row have the same fault: a folder that the nodes do not see, a program that is not there. */
const IN_A_ROW = 3;
/** A runner registers within this time, unless it never starts. Too long, and a busy node looks like a fault. */
const AT_ONCE_SECONDS = 10;

/**
 * The last allocations if so many in a row ended at once and without a runner, in the order in which they were submitted:
 * the next one would do the same. Empty otherwise.
 *
 * Those that wait or run say nothing yet, and one that a user canceled says nothing about the others.
 */
export function failedAtOnce(submitted: readonly SubmittedAllocation[]): readonly SubmittedAllocation[] {
  const reported = submitted.filter(({ state, word }) => state === 'ended' && !word.startsWith('CANCELLED'));
  const last = reported.slice(-IN_A_ROW);
  const isFault = ({ seconds, hasRunner }: SubmittedAllocation) =>
    !hasRunner && seconds !== undefined && seconds <= AT_ONCE_SECONDS;
  // A runner that works shows that the nodes are as they should be.
  const works = submitted.some(({ hasRunner, recordId }) => hasRunner && recordId > (last[0]?.recordId ?? 0));
  return last.length === IN_A_ROW && last.every(isFault) && !works ? last : [];
}
