import type { Client } from '../../client/client.ts';
import type { JobExplanation } from '../../core/contract/view.ts';
import { explain } from '../../core/lifecycle/explain.ts';
import type { JobFacts } from '../../core/lifecycle/job-facts.ts';
import { gatherFacts } from './facts.ts';
import { MOST_ATTEMPTS } from './recorded-attempts.ts';

/** Reasons that a person reads. */
const MOST_REASONS = 20;

/** The explanation of a job that a server gives its page: it asks no Slurm, and knows nothing of the machine of the user. */
export async function explanationForPage(client: Client, jobId: number, nowMs: number): Promise<JobExplanation> {
  const { facts } = await gatherFacts(client, jobId, { nowMs, environment: {}, isAway: true });
  const { kind, headline, reasons, next, attempts } = explain(facts);
  const unknown = unknownOf(facts);
  return {
    job_id: jobId,
    kind,
    headline,
    reasons: reasons.slice(0, MOST_REASONS),
    reasons_left_out: Math.max(0, reasons.length - MOST_REASONS),
    next: [...next],
    attempts: attempts.slice(-MOST_ATTEMPTS),
    attempts_left_out: Math.max(0, attempts.length - MOST_ATTEMPTS),
    ...(unknown === undefined ? {} : { unknown }),
  };
}

/** What decides whether the job starts and only programs on another machine can say. */
function unknownOf({ status, runners, queued = [], workflow }: JobFacts): string | undefined {
  if (status !== 'ready' || runners.length > 0) return undefined;
  if (queued.length > 0) return 'why Slurm has not started its allocations';
  if (workflow.place?.runsIn === 'allocations') return 'which partitions of the cluster could run it';
  return undefined;
}
