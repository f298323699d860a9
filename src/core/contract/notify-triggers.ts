/** What a message is about, the most important first: what is found at one look is one message, under the first of these. */
export const triggers = [
  'end',
  'stuck',
  'runner_lost',
  'budget',
  'many_failures',
  'first_failure',
  'time',
  'silent',
  'begin',
] as const;
export type Trigger = (typeof triggers)[number];
