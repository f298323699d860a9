import * as z from 'zod';

/**
 * What ended an attempt that did not complete, where something proves it: a return code of 137 alone does not say who killed a
 * job. Decisions about failures go by this code; `cause` says it in words to a person.
 */
export const CAUSES = {
  memory: 'it used more memory than it may: the runner or Slurm killed it for that, or its peak was near its limit',
  time: 'it reached its time limit, or the end of its runner',
  node: 'its node failed, or the process that started it was killed',
  allocation: 'its allocation ended, or was being ended',
  stopped: 'its runner was stopped',
  canceled: 'a user canceled its step',
  killed: 'it was killed, and nothing says by whom',
  unproven: 'it exited with 0 after a signal that it does not handle: a part of its work may be missing',
  missing_output: 'it exited with 0 and did not write a declared output',
  lost: 'its runner was lost',
  disk: 'its output had no room on the disk when it failed',
} as const;

export type CauseCode = keyof typeof CAUSES;

export const causeCode = z.enum(Object.keys(CAUSES) as [CauseCode, ...CauseCode[]]);

/**
 * Why a failure handler gives a job no more memory or time: its attempt had the `max` of the handler, or was the last of the
 * `attempts` that the handler allows.
 */
export const handlerLimit = z.enum(['max', 'attempts']);
export type HandlerLimit = z.output<typeof handlerLimit>;
