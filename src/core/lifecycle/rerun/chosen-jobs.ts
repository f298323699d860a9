import { Refusal } from '../../contract/refusals.ts';
import type { JobStatus } from '../../job/job-statuses.ts';
import { someOf } from '../../quantity/count-text.ts';
import { patternText } from '../../text/pattern-text.ts';

/** A job as far as a choice depends on it. */
export interface ChoosableJob {
  readonly id: number;
  readonly name: string;
  /** Absent of one that is not created yet. */
  readonly status?: JobStatus;
  /** Paths of its outputs. */
  readonly makes: readonly string[];
}

/** Whether a name is one that a person gave, or matches it as a pattern with `*`. */
export function nameMatcher(given: string): (name: string) => boolean {
  const pattern = new RegExp(`^${given.split('*').map(patternText).join('.*')}$`, 'su');
  return (name) => pattern.test(name);
}

/**
 * The ids of the jobs that a person chooses, with all that they wait for, directly or not.
 *
 * Each word is the name of a job, a pattern of names (`align_*`), or the path of a file that a job makes; names come first. Paths are the
 * same where `keyOf` gives the same. `before` are the ids that one waits for. Disabled jobs are not chosen.
 *
 * Throws: `NOT_FOUND` for a word that means no job.
 */
export function chosenJobs(
  jobs: readonly ChoosableJob[],
  words: readonly string[],
  { keyOf, before }: { readonly keyOf: (path: string) => string; readonly before: (id: number) => Iterable<number> },
): ReadonlySet<number> {
  const enabled = jobs.filter(({ status }) => status !== 'disabled');
  const chosen = new Set<number>();
  let makers: Map<string, number[]> | undefined;
  for (const word of words) {
    const isMeant = nameMatcher(word);
    const named = enabled.filter(({ name }) => isMeant(name)).map(({ id }) => id);
    if (named.length === 0) makers ??= makersOf(enabled, keyOf);
    const found = named.length > 0 ? named : (makers?.get(keyOf(word)) ?? []);
    if (found.length === 0) throw new Refusal('NOT_FOUND', unknownWords(word, enabled));
    for (const id of found) chosen.add(id);
  }
  const disabled = new Set(jobs.flatMap(({ id, status }) => (status === 'disabled' ? [id] : [])));
  // A set goes on with what is added to it meanwhile.
  for (const id of chosen) for (const other of before(id)) if (!disabled.has(other)) chosen.add(other);
  return chosen;
}

function makersOf(jobs: readonly ChoosableJob[], keyOf: (path: string) => string): Map<string, number[]> {
  const makers = new Map<string, number[]>();
  for (const { id, makes } of jobs)
    for (const path of makes) {
      const key = keyOf(path);
      const known = makers.get(key);
      if (known === undefined) makers.set(key, [id]);
      else known.push(id);
    }
  return makers;
}

function unknownWords(word: string, jobs: readonly ChoosableJob[]): string {
  const start = word.slice(0, 3).toLowerCase();
  const alike = jobs.filter(({ name }) => name.toLowerCase().startsWith(start)).map(({ name }) => name);
  const known = alike.length > 0 ? `; jobs that begin alike: ${someOf(alike)}` : '';
  return `--only: no job is named "${word}", matches it as a pattern, or makes a file of this path${known}`;
}
