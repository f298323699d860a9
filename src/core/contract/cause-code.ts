import * as z from 'zod';

/**
 * Why an attempt ended, where something proves it: a return code of 137 alone does not say who killed a job. `core/attempt/cause.ts`
 * says what each means. A success has one only where its work may be incomplete, or where it did not run.
 */
export const causeCodes = [
  'exit',
  'not_found',
  'not_executable',
  'crash',
  'signal',
  'killed',
  'memory',
  'time',
  'node',
  'allocation',
  'stopped',
  'canceled',
  'lost',
  'unproven',
  'asked',
  'missing_output',
  'stale_output',
  'disk',
  'dependency',
  'adopted',
] as const;

export type CauseCode = (typeof causeCodes)[number];

export const causeCode = z.enum(causeCodes);

/**
 * Why a failure handler gives a job no more memory or time: its attempt had the `max` of the handler, or was the last of the
 * `attempts` that the handler allows.
 */
export const handlerLimit = z.enum(['max', 'attempts']);
export type HandlerLimit = z.output<typeof handlerLimit>;
