import type { Want } from '../../core/contract/exchange.ts';
import type { Client } from '../client.ts';
import type { PlainJob } from './plain-job.ts';

/** As in Torc's runner: with less memory no job can be claimed. */
const LEAST_MEMORY_GB = 0.1;

/** Asks the server for jobs, by number or by resources, with Torc's route for each. */
export async function askForJobs(client: Client, workflowId: number, want: Want, limit: number): Promise<PlainJob[]> {
  const { offer, labels, strict_scheduler_match: isStrict } = want;
  const params = { id: workflowId, limit };
  if (!offer) {
    const query = { limit, ...(labels && labels.length > 0 ? { labels: labels.join(',') } : {}) };
    return ((await client.claimNextJobs({ params, query })).jobs ?? []) as PlainJob[];
  }
  if (offer.num_cpus <= 0 || offer.memory_gb < LEAST_MEMORY_GB) return [];
  const query = isStrict === true ? { strict_scheduler_match: true } : {};
  return ((await client.claimJobsBasedOnResources({ params, query, body: offer })).jobs ?? []) as PlainJob[];
}
