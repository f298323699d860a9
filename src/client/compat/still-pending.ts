import type { PlainJob } from './reads.ts';

/**
 * The claimed jobs that are still ours by what the server says of them now: pending, in the attempt that was claimed. The
 * others were canceled with their workflow, or reset by another caller.
 */
export function stillPending(claimed: readonly PlainJob[], now: readonly PlainJob[]): PlainJob[] {
  const attempts = new Map(
    now.filter(({ status }) => status === 'pending').map((job) => [job.id, job.attempt_id ?? 1]),
  );
  return claimed.filter(({ id, attempt_id: attempt }) => {
    const current = attempts.get(id);
    // The reply to a claim may lack the attempt.
    return current !== undefined && (attempt === undefined || attempt === null || attempt === current);
  });
}
