/**
 * What is wrong with an envelope. The text lets a reader refuse a whole envelope for one wrong value, so every problem
 * has a level: `unusable` values cost the envelope, `refused` ones break the text but have a clear meaning and are
 * stored, and a `warning` names what the text allows or does not mention.
 */
export type ProblemLevel = 'unusable' | 'refused' | 'warning';

export interface MessageProblem {
  readonly level: ProblemLevel;
  /** `data.attributes.jobs[0].user`, or empty for the envelope itself. */
  readonly field: string;
  readonly found: string;
  readonly expected: string;
}
