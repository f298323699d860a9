import { GRACE_SECONDS } from '../../core/lifecycle/runtime-fit.ts';

/**
 * When a runner with a time limit signals its jobs, and when it kills the remaining ones.
 *
 * Counted back from the end: `headroomSeconds` before it the runner kills the remaining jobs, so that their results can
 * be reported; `leadSeconds` before that it signals all of them. A run shorter than twice both would never run a job:
 * there they are reduced in proportion to half of the run.
 *
 * A process that waits for a hanging disk does not even end by SIGKILL. The runner waits for it during half of the
 * headroom; the other half is for reporting.
 */
export interface Deadline {
  readonly askAtMs: number;
  readonly killAtMs: number;
  readonly abandonAtMs: number;
  readonly endAtMs: number;
}

export function deadlineOf(startMs: number, endAtMs: number, headroomSeconds: number, leadSeconds: number): Deadline {
  const wanted = (headroomSeconds + leadSeconds) * 1000;
  const most = Math.max(0, endAtMs - startMs) / 2;
  const scale = wanted > most && wanted > 0 ? most / wanted : 1;
  const killAtMs = endAtMs - headroomSeconds * 1000 * scale;
  return {
    askAtMs: killAtMs - leadSeconds * 1000 * scale,
    killAtMs,
    abandonAtMs: (killAtMs + endAtMs) / 2,
    endAtMs,
  };
}

/** When the last script of the runner must have ended: half of the time after the jobs is for reporting. */
export const scriptsEndAt = ({ killAtMs, endAtMs }: Deadline): number => (killAtMs + endAtMs) / 2;

/**
 * The time limit of a claim: the remaining time with the grace period, in hours and minutes, and one minute if the end
 * has passed.
 */
export function claimLimit(nowMs: number, endAtMs: number): string {
  const seconds = Math.floor((endAtMs - nowMs) / 1000);
  if (seconds <= 0) return 'PT1M';
  const minutes = Math.max(1, Math.floor((seconds + GRACE_SECONDS) / 60));
  const hours = Math.floor(minutes / 60);
  return `PT${hours > 0 ? `${hours}H` : ''}${minutes % 60 > 0 || hours === 0 ? `${minutes % 60}M` : ''}`;
}
