import { type Trigger, triggers } from '../contract/notify-triggers.ts';

/** Without a choice: everything but the begin. */
export const usualTriggers: readonly Trigger[] = triggers.filter((trigger) => trigger !== 'begin');

/**
 * The words of `sbatch --mail-type`, and what they mean for a workflow. STAGE_OUT never happens here, and ARRAY_TASKS, a message
 * for each job, is refused.
 *
 * Source: sbatch(1), option `--mail-type`.
 */
const MAIL_TYPES: Readonly<Record<string, readonly Trigger[]>> = {
  NONE: [],
  BEGIN: ['begin'],
  END: ['end'],
  FAIL: ['end', 'stuck', 'runner_lost', 'many_failures', 'first_failure'],
  REQUEUE: ['runner_lost'],
  ALL: triggers,
  INVALID_DEPEND: ['stuck'],
  STAGE_OUT: [],
  TIME_LIMIT: ['time'],
  TIME_LIMIT_90: ['time'],
  TIME_LIMIT_80: ['time'],
  TIME_LIMIT_50: ['time'],
};

/** Some triggers, and whether the end counts only where jobs did not complete, as with FAIL and without END. */
export interface ChosenTriggers {
  readonly on: readonly Trigger[];
  readonly endsOnlyBad: boolean;
  /** The percentage of its time at which a runner is near its end, where a word says it. */
  readonly timePercent: number | undefined;
}

/** Reads words of either kind. Returns a fault as text. */
export function chosenTriggers(words: readonly string[]): ChosenTriggers | string {
  const on = new Set<Trigger>();
  let [hasEnd, timePercent] = [false, undefined as number | undefined];
  for (const word of words) {
    const own = triggers.find((trigger) => trigger === word.toLowerCase());
    const [given, type] = [word.toUpperCase(), MAIL_TYPES[word.toUpperCase()]];
    if (given === 'ARRAY_TASKS') return 'ARRAY_TASKS would be a message for each job: a workflow has one';
    if (own === undefined && type === undefined)
      return `expected words of ${triggers.join(', ')} or of ${Object.keys(MAIL_TYPES).join(', ')}, found "${word}"`;
    for (const trigger of own === undefined ? (type ?? []) : [own]) on.add(trigger);
    hasEnd ||= own === 'end' || given === 'END' || given === 'ALL';
    const percent = /^TIME_LIMIT_(\d+)$/.exec(given)?.[1];
    if (percent !== undefined) timePercent = Math.min(timePercent ?? 100, Number(percent));
  }
  return { on: triggers.filter((trigger) => on.has(trigger)), endsOnlyBad: on.has('end') && !hasEnd, timePercent };
}
