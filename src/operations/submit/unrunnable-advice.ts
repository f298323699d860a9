import type { Client } from '../../client/client.ts';
import type { UnclaimableJobs } from '../../core/contract/unclaimable.ts';
import type { HpcPartition } from '../../hpc/profile.ts';
import { noPartition } from '../../core/lifecycle/explain/no-partition.ts';
import { needOf } from '../../core/lifecycle/resources/resource-use.ts';

/** What helps jobs that no allocation of their workflow could run. */
export interface UnrunnableAdvice {
  /** Whether a plan of new allocations helps one of them; true where the partitions of the site are not known. */
  readonly isPlanUseful: boolean;
  /** Why no partition could run others, and what lowers their requirements. */
  readonly nowhere: readonly { readonly reasons: readonly string[]; readonly next: readonly string[] }[];
}

/** Compares the example of each reason with the partitions of the site. */
export async function unrunnableAdvice(
  client: Client,
  reasons: readonly UnclaimableJobs[],
  partitions: readonly HpcPartition[] | undefined,
): Promise<UnrunnableAdvice> {
  const found = await Promise.all(
    reasons.map(async ({ job_id: id, job_name: name }) => {
      const job = await client.getJob({ params: { id } });
      const requirementsId = job.resource_requirements_id as number;
      const requirements = await client.getResourceRequirements({ params: { id: requirementsId } });
      const { labels, scheduler_id: schedulerId } = job;
      const facts = { labels: labels ?? [], schedulerId: schedulerId ?? null, requirementsId, partitions };
      const nowhere = noPartition({ ...facts, need: needOf(requirements) });
      return nowhere && { reasons: nowhere.reasons.map(({ message }) => `${name}: ${message}`), next: nowhere.next };
    }),
  );
  return {
    isPlanUseful: found.includes(undefined),
    nowhere: found.filter((each) => each !== undefined),
  };
}
