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
