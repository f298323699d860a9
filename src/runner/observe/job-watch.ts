import type { Client } from '../../client/client.ts';
import type { Steps } from '../step/steps.ts';
import { createWatch, type Watch } from './watch.ts';
import { memoryLimitOf } from './memory-limit.ts';
import type { MetricsFile } from './metrics-file.ts';
import type { MonitorPlan } from './plan.ts';

export interface JobWatchOptions {
  readonly client: Client;
  readonly workflowId: number;
  readonly steps: Pick<Steps, 'observe'>;
}

/** Monitors the jobs of a runner. Samples go to the file, if there is one. */
export async function watchJobs(
  plan: MonitorPlan,
  { client, workflowId, steps }: JobWatchOptions,
  file: MetricsFile | undefined,
): Promise<Watch> {
  const defaultId = plan.limitsMemory ? await defaultRequirements(client, workflowId) : undefined;
  return createWatch({
    intervalSeconds: plan.sampleSeconds,
    observe: steps.observe,
    limitOf: (job) => (plan.limitsMemory ? memoryLimitOf(job, defaultId) : undefined),
    onSample: file?.job,
  });
}

/** The id of the requirements of jobs that name none. */
export async function defaultRequirements(client: Client, workflowId: number): Promise<number | undefined> {
  const { items } = await client.listResourceRequirements({ query: { workflow_id: workflowId, name: 'default' } });
  return items[0]?.id ?? undefined;
}
