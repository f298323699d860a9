import type { AllocationPlan, ScheduledComputeNode } from '../contract/allocation.ts';
import type { WorkflowAction } from '../contract/scheduling.ts';

/** Allocations of a scheduler that are to be submitted. */
export interface AllocationRequest {
  readonly workflowId: number;
  readonly schedulerId: number;
  readonly allocations: number;
  readonly startOneWorkerPerNode: boolean;
  readonly maxParallelJobs: number | undefined;
  readonly jobPrefix?: string | undefined;
}

/** Due actions with these triggers are carried out by `torc submit`; those of runners and of the end by a runner. */
export const submitTriggers: ReadonlySet<string> = new Set([
  'on_workflow_start',
  'on_jobs_ready',
  'on_jobs_complete',
  'on_first_failure',
]);

/** The allocations that an action asks for; undefined for other actions. */
export function requestOf(action: WorkflowAction): Omit<AllocationRequest, 'workflowId'> | undefined {
  const config = action.action_config;
  if (action.action_type !== 'schedule_nodes' || typeof config !== 'object' || config === null) return undefined;
  const fields = config as Readonly<Record<string, unknown>>;
  const schedulerId = numberOf(fields['scheduler_id']);
  if (fields['scheduler_type'] !== 'slurm' || schedulerId === undefined) return undefined;
  return {
    schedulerId,
    allocations: numberOf(fields['num_allocations']) ?? 1,
    startOneWorkerPerNode: fields['start_one_worker_per_node'] === true,
    maxParallelJobs: numberOf(fields['max_parallel_jobs']),
  };
}

const numberOf = (value: unknown) => (typeof value === 'number' ? value : undefined);

/** What a record has to say so that the process that finds it can submit it. */
export const planOf = (request: AllocationRequest): AllocationPlan => ({
  allocations: request.allocations,
  ...(request.startOneWorkerPerNode ? { start_one_worker_per_node: true } : {}),
  ...(request.maxParallelJobs === undefined ? {} : { max_parallel_jobs: request.maxParallelJobs }),
  ...((request.jobPrefix ?? '') === '' ? {} : { job_prefix: request.jobPrefix }),
});

/** The request that a record belongs to. */
export const requestOfRecord = ({
  workflow_id: workflowId,
  scheduler_config_id: schedulerId,
  plan,
}: ScheduledComputeNode): AllocationRequest => ({
  workflowId,
  schedulerId,
  allocations: plan?.allocations ?? 1,
  startOneWorkerPerNode: plan?.start_one_worker_per_node === true,
  maxParallelJobs: plan?.max_parallel_jobs ?? undefined,
  jobPrefix: plan?.job_prefix ?? undefined,
});
