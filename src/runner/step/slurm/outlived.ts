import { readFileSync } from 'node:fs';
import { after, type Timer } from '../../../client/long-timers.ts';
import { isFinal } from '../../../cluster/slurm/sacct.ts';
import type { AllocationSteps } from '../../../cluster/slurm/steps.ts';
import type { StepId } from '../../../core/contract/files/job.ts';
import { type Mark, NO_MARK, parseMark } from '../../../core/attempt/step-mark.ts';
import type { StepEnd } from '../steps.ts';

export type SrunEnd = Pick<StepEnd, 'exitCode' | 'signal'>;

/**
 * Whether a step may go on although its srun has ended. One that was killed says nothing about its step. srun exits with 0 or 1 when a
 * node fails and when it gives a step up; any other code is that of a task.
 */
export function mayOutlive({ exitCode, signal }: SrunEnd, mark: Mark): boolean {
  if (mark.code !== undefined) return false;
  return signal !== undefined || (mark.began && (exitCode ?? 0) <= 1);
}

export interface OutlivedOptions {
  readonly slurm: Pick<AllocationSteps, 'ids' | 'accounted'>;
  /** These steps are over, or waited for no longer; with the ends of their sruns. */
  readonly onOver: (ends: readonly { readonly id: StepId; readonly srun: SrunEnd }[]) => void;
}

/** Steps without an srun: each is watched until something proves that it has ended. */
export interface Outlived {
  add(id: StepId, mark: string, srun: SrunEnd): void;
  /** It was sent a signal: its end is looked for soon, and after SIGKILL not waited for longer than that of an srun. */
  signaled(id: StepId, signal: NodeJS.Signals): void;
  close(): void;
}

interface Watched {
  readonly mark: string;
  readonly srun: SrunEnd;
  /** Its srun ended, or it was signaled, on the monotonic clock. */
  sinceMs: number;
  /** Until then it is waited for. */
  untilMs: number;
  /** How often in a row squeue did not list it. */
  absent: number;
}

const MARK_MS = 200;
/** The first questions come fast, because most such steps are killed with their srun; one that goes on for hours costs one in 10 s. */
const FIRST_ASK_MS = 500;
const LATER_ASK_MS = 10_000;
/** A list is made while steps end. */
const ABSENT = 2;
/** The controller counts an ended step for 61 s at most; later, an srun that exited by itself is believed. */
const EXITED_MS = 70_000;
/** As long as an srun whose step is killed. */
const KILLED_MS = 5_000;

export function watchOutlived({ slurm, onOver }: OutlivedOptions): Outlived {
  const watched = new Map<StepId, Watched>();
  let timer: Timer | undefined;
  let isAsking = false;
  let askedAt = -Infinity;

  const report = (ids: readonly StepId[]) => {
    const ends = ids.flatMap((id) => {
      const srun = watched.get(id)?.srun;
      return watched.delete(id) && srun !== undefined ? [{ id, srun }] : [];
    });
    if (ends.length > 0) onOver(ends);
  };

  const ask = async () => {
    const asked = [...watched];
    const [listed, rows] = await Promise.allSettled([slurm.ids(), slurm.accounted()]);
    const over = asked.filter(([id, each]) => {
      const row = rows.status === 'fulfilled' ? rows.value.get(id) : undefined;
      // What cannot be asked says nothing.
      if (listed.status === 'fulfilled') each.absent = listed.value.has(id) ? 0 : each.absent + 1;
      return (row !== undefined && isFinal(row)) || each.absent >= ABSENT;
    });
    report(over.map(([id]) => id));
  };

  const look = () => {
    const nowMs = performance.now();
    const over = [...watched].filter(([, { mark, untilMs }]) => nowMs >= untilMs || readMark(mark).code !== undefined);
    report(over.map(([id]) => id));
    const newestMs = [...watched.values()].reduce((newest, { sinceMs }) => Math.max(newest, sinceMs), -Infinity);
    const pauseMs = Math.min(Math.max((nowMs - newestMs) / 10, FIRST_ASK_MS), LATER_ASK_MS);
    if (watched.size > 0 && !isAsking && nowMs - askedAt >= pauseMs) {
      isAsking = true;
      askedAt = nowMs;
      void ask().finally(() => (isAsking = false));
    }
    timer = watched.size > 0 ? after(MARK_MS, look) : undefined;
  };

  return {
    add(id, mark, srun) {
      const sinceMs = performance.now();
      const untilMs = srun.signal === undefined ? sinceMs + EXITED_MS : Infinity;
      watched.set(id, { mark, srun, sinceMs, untilMs, absent: 0 });
      timer ??= after(MARK_MS, look);
    },
    signaled(id, signal) {
      const each = watched.get(id);
      if (each === undefined) return;
      each.sinceMs = performance.now();
      if (signal === 'SIGKILL') each.untilMs = Math.min(each.untilMs, each.sinceMs + KILLED_MS);
    },
    close() {
      timer?.cancel();
      watched.clear();
    },
  };
}

/** The mark as it is now. */
export function readMark(path: string): Mark {
  try {
    return parseMark(readFileSync(path, 'utf8'));
  } catch {
    return NO_MARK;
  }
}
