import type { Amounts } from '../../job/amounts.ts';

/**
 * What a job has of the machine, as its environment says. A run that a job starts takes from that and asks nothing of the machine:
 * it would wait for what its own job holds.
 */
export const JOB_SHARE_VARIABLE = 'TORC_JOB_SHARE';

export interface JobShare {
  /** Names the attempt: all runs in it share what it has. */
  readonly of: string;
  readonly has: Amounts;
}

export const jobShareText = (share: JobShare): string => JSON.stringify(share);

/** Undefined where there is none, or where it cannot be read. */
export function jobShareOf(text: string | undefined): JobShare | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    const { of, has } = JSON.parse(text) as { of?: unknown; has?: unknown };
    if (typeof of !== 'string' || typeof has !== 'object' || has === null) return undefined;
    return Object.values(has).every((amount) => Number.isFinite(amount)) ? { of, has: has as Amounts } : undefined;
  } catch {
    return undefined;
  }
}
