import type { StartMode } from '../../core/allocation/execution-mode.ts';
import type { WorkflowFacts } from '../facts/workflow-facts.ts';
import type { Steps } from '../step/steps.ts';
import { GROWING_AGES_MS, SPARSE_AGES_MS } from './sample-times.ts';
import { createWatch, type Watch } from './watch.ts';
import { memoryLimitOf } from './memory-limit.ts';
import type { MetricsFile } from './metrics-file.ts';
import type { MonitorPlan } from './plan.ts';

export interface JobWatchOptions {
  readonly reads: Pick<WorkflowFacts, 'defaultRequirements'>;
  readonly steps: Pick<Steps, 'observe'>;
  /** How its jobs run. */
  readonly mode: StartMode;
}

/** Monitors the jobs of a runner. Samples go to the file, if there is one. */
export async function watchJobs(
  plan: MonitorPlan,
  { reads, steps, mode }: JobWatchOptions,
  file: MetricsFile | undefined,
): Promise<Watch> {
  const defaultId = plan.limitsMemory ? await reads.defaultRequirements() : undefined;
  return createWatch({
    intervalSeconds: plan.sampleSeconds,
    observe: steps.observe,
    limitOf: (job) => (plan.limitsMemory ? memoryLimitOf(job, defaultId) : undefined),
    onSample: file?.job,
    agesMs: mode === 'direct' ? GROWING_AGES_MS : SPARSE_AGES_MS,
  });
}
