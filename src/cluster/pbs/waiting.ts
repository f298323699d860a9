import type { PbsRecord } from './dsv.ts';
import { pbsStateOf } from './states.ts';

const HOLDS: readonly (readonly [RegExp, words: string])[] = [
  [/u/, 'Held: by its owner'],
  [/o/, 'Held: by an operator'],
  [/s/, 'Held: by the system'],
];
/** The substate of a job that waits for another one. */
const DEPENDS = '22';

/** Why a job waits, in the words of PBS where it has any; undefined if it does not wait. */
export function waitingWords({ fields }: PbsRecord): string | undefined {
  const letter = fields.get('job_state');
  if (pbsStateOf(letter) !== 'queued') return undefined;
  if (letter === 'W') return `Waiting: until ${fields.get('Execution_Time') ?? 'its time'}`;
  if (letter === 'H') {
    if (fields.get('substate') === DEPENDS) return 'Held: for another job';
    return HOLDS.find(([type]) => type.test(fields.get('Hold_Types') ?? ''))?.[1] ?? 'Held';
  }
  const comment = fields.get('comment');
  // Of the run before: a job that was requeued keeps it until the scheduler has looked at it.
  return comment === undefined || comment.startsWith('Job run at')
    ? 'Not Running: PBS has not looked at it yet'
    : comment;
}
