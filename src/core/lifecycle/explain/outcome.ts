import type { JobStatus } from '../../job/job-statuses.ts';
import { grouped } from '../../quantity/count-text.ts';
import {
  type Counts,
  countOf,
  FAILED,
  NOT_RUN,
  RUNS_NOW,
  STOPPED,
  type StatusSet,
  SUCCEEDED,
} from '../../job/statuses.ts';

/**
 * What became of the jobs of a workflow, in five numbers that every face shows with the same words. Together they are all jobs
 * but those that a user has disabled.
 */
export interface JobsByOutcome {
  readonly completed: number;
  readonly failed: number;
  readonly stopped: number;
  readonly running: number;
  readonly notRun: number;
}

export const outcomeOf = (counts: Counts): JobsByOutcome => ({
  completed: countOf(counts, SUCCEEDED),
  failed: countOf(counts, FAILED),
  stopped: countOf(counts, STOPPED),
  running: countOf(counts, RUNS_NOW),
  notRun: countOf(counts, NOT_RUN),
});

/** The same for programs. */
export function outcomeRecord(counts: Counts) {
  const { notRun, ...others } = outcomeOf(counts);
  return { ...others, not_run: notRun };
}

/** A number of jobs with its word, and what some of them are more exactly. */
interface Part {
  readonly jobs: number;
  readonly word: string;
  readonly kinds: readonly string[];
}

const WORDS: readonly (readonly [word: string, set: StatusSet])[] = [
  ['completed', SUCCEEDED],
  ['failed', FAILED],
  ['stopped', STOPPED],
  ['running', RUNS_NOW],
  ['not run', NOT_RUN],
];

/** More exact words, where a word is not the status itself. */
const KINDS: Partial<Record<JobStatus, string>> = {
  pending_failed: 'waiting for a decision',
  pending: 'about to start',
};

/** The parts of the jobs, none that is 0. */
export const outcomeParts = (counts: Counts): Part[] =>
  WORDS.flatMap(([word, set]) => {
    const jobs = countOf(counts, set);
    return jobs === 0 ? [] : [{ word, jobs, kinds: kindsOf(counts, word, set, jobs) }];
  });

function kindsOf(counts: Counts, word: string, set: StatusSet, jobs: number): string[] {
  return [...set].flatMap((status) => {
    const count = counts[status] ?? 0;
    if (count === 0 || status === word) return [];
    const kind = KINDS[status] ?? status;
    return [count === jobs ? kind : `${grouped(count)} ${kind}`];
  });
}

/** `3 not run`. */
export const partText = ({ jobs, word }: Part): string => `${grouped(jobs)} ${word}`;

/** `3 not run (2 ready, 1 blocked)`, `2 stopped (terminated)`. */
export const exactPartText = (part: Part): string =>
  part.kinds.length === 0 ? partText(part) : `${partText(part)} (${part.kinds.join(', ')})`;
