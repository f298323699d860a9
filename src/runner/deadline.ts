import { standardExecution } from '../core/contract/execution.ts';
import type { ExecutionConfig } from '../core/contract/workflow.ts';

/**
 * When a runner that has an end asks its jobs to end, and when it kills those that did not.
 *
 * Counted back from the end: `headroomSeconds` before it the survivors are killed, so that their results can be told;
 * `leadSeconds` before that all are asked. A run that is shorter than twice both would never do anything: there they
 * are shortened in proportion to half of the run.
 *
 * A process that waits for a disk which hangs does not even end when it is killed. It is waited for during half of the
 * headroom; the other half belongs to what has to be told.
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

/** How long jobs have between being asked to end and being killed, and the runner between that and its own end. */
export const terminationOf = ({
  sigterm_lead_seconds: lead,
  sigkill_headroom_seconds: headroom,
}: ExecutionConfig): { leadSeconds: number; headroomSeconds: number } => ({
  leadSeconds: lead ?? standardExecution.sigterm_lead_seconds,
  headroomSeconds: headroom ?? standardExecution.sigkill_headroom_seconds,
});

/** When the last script of the runner's own must have ended: half of what is left after the jobs is for telling the server. */
export const scriptsEndAt = ({ killAtMs, endAtMs }: Deadline): number => (killAtMs + endAtMs) / 2;

/** Seconds that a claimed job may outlive the end: it is asked to end like any other, and many jobs ask for more than they need. */
const GRACE_SECONDS = 120;

/** The time limit of a claim: what is left with the grace, in hours and minutes, and a minute when the end has passed. */
export function claimLimit(nowMs: number, endAtMs: number): string {
  const seconds = Math.floor((endAtMs - nowMs) / 1000);
  if (seconds <= 0) return 'PT1M';
  const minutes = Math.max(1, Math.floor((seconds + GRACE_SECONDS) / 60));
  const hours = Math.floor(minutes / 60);
  return `PT${hours > 0 ? `${hours}H` : ''}${minutes % 60 > 0 || hours === 0 ? `${minutes % 60}M` : ''}`;
}
