import type { AllocationScript, Tested } from '../../cluster/batch/allocation-script.ts';
import type { BatchScripts } from '../../cluster/batch/batch-system.ts';
import type { Client } from '../../client/client.ts';
import { all } from '../../client/every.ts';
import type { SlurmScheduler } from '../../core/contract/scheduling.ts';
import { requestOf } from '../../core/allocation/request.ts';

/** A scheduler, and what the batch system says of its allocations without submitting one. */
export interface TestedScheduler {
  readonly name: string;
  /** What decides whether they are taken at all. */
  readonly asks: Pick<SlurmScheduler, 'account' | 'qos' | 'partition'>;
  readonly tested: Tested;
}

/** Asks about one allocation with these options; what it starts does not matter. Undefined where nothing may be asked. */
export function testAllocation(
  batch: BatchScripts,
  asked: Pick<AllocationScript, 'scheduler' | 'defaults' | 'needs'>,
): Promise<Tested | undefined> {
  const runner = { url: '', workflowId: 0, outputDir: '.', pollIntervalSeconds: 1 };
  return batch.testScript(batch.scriptOf({ ...asked, jobName: 'torc-test', runner }));
}

/** Asks about an allocation of each scheduler for which the due actions of a workflow submit some. */
export async function testDueActions(
  client: Client,
  workflowId: number,
  batch: BatchScripts,
): Promise<TestedScheduler[]> {
  const due = await client.listPendingActions({ params: { id: workflowId } });
  const ids = new Set(due.flatMap((action) => requestOf(action)?.schedulerId ?? []));
  if (ids.size === 0) return [];
  const workflow = await client.getWorkflow({ params: { id: workflowId } });
  const query = { workflow_id: workflowId };
  const needs = await all((page) => client.listResourceRequirements({ query: { ...query, ...page } }));
  const defaults = workflow.slurm_defaults ?? {};
  const found: TestedScheduler[] = [];
  for (const id of ids) {
    const asks: SlurmScheduler = await client.getSlurmScheduler({ params: { id } });
    // One that waits for another of its name would not be asked about its options alone.
    const scheduler = { ...asks, serialize_allocations: false };
    const tested = await testAllocation(batch, { scheduler, defaults, needs });
    if (tested !== undefined) found.push({ name: asks.name ?? String(id), asks, tested });
  }
  return found;
}
