import { type AskedToEnd, provesSuccess } from './asked-to-end.ts';
import type { Shortage } from './full-disk.ts';

/** Why the runner of a job ended it: the end of its own time or of its step, or the timeout of the job, among others. */
export type EndedFor = 'deadline' | 'timeout' | 'stop' | 'cancel' | 'memory';

/**
 * What ended a job from outside, other than its runner: its memory limit, its time limit, a person who canceled its step, the end of
 * its node or of the process that carried it, or the end of its allocation.
 */
export type EndedBy = 'memory' | 'time' | 'cancel' | 'node' | 'allocation';

/** An allocation made room for others or lost its node, its time was up, or it is ended for any other reason. */
export type AllocationEnd = 'preempted' | 'limit' | 'over';

/** What can be known of the end of an attempt. What is not known is absent. */
export interface Evidence {
  /** Of its first process; undefined where a signal ended that. */
  readonly exitCode?: number | undefined;
  readonly signal?: number | undefined;
  readonly endedFor?: EndedFor | undefined;
  /** The runner had to send SIGKILL. */
  readonly wasKilled?: boolean | undefined;
  readonly endedBy?: EndedBy | undefined;
  readonly asked?: AskedToEnd | undefined;
  /** How its allocation is being ended. */
  readonly allocationEnd?: AllocationEnd | undefined;
  /** Declared outputs that do not exist, and those that it did not touch. */
  readonly missingOutputs?: readonly string[] | undefined;
  readonly staleOutputs?: readonly string[] | undefined;
  /** Its workflow says that it fails then. */
  readonly failsForStale?: boolean | undefined;
  /** What its output had too little of when it ended. */
  readonly shortage?: Shortage | undefined;
  /** Its peak of memory as a share of what it asked for. */
  readonly memoryShare?: number | undefined;
}

/** Whether an exit code of 0 proves nothing: the job was asked to end, and its first process does not handle that. */
export const isUnproven = ({ exitCode, asked }: Pick<Evidence, 'exitCode' | 'asked'>): boolean =>
  exitCode === 0 && !provesSuccess(asked);
