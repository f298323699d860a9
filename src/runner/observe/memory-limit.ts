import type { StepId } from '../../core/contract/files/job.ts';
import type { Log } from '../facts/log.ts';
import type { StartedStep } from '../step/steps.ts';
import type { Violation } from './watch.ts';
import type { WatchedJob } from './watched.ts';

const GIBIBYTE = 2 ** 30;

/**
 * The memory limit of a job: the memory of its requirements. No limit was requested if it has the default requirements
 * (`defaultId`); 0 means unlimited.
 */
export const memoryLimitOf = (
  { need, resource_requirements_id: requirements }: WatchedJob,
  defaultId: number | undefined,
): number | undefined => (requirements === defaultId || need.memory_bytes <= 0 ? undefined : need.memory_bytes);

/** The same of its CPUs. */
export const cpuLimitOf = (
  { need, resource_requirements_id: requirements }: Pick<WatchedJob, 'need' | 'resource_requirements_id'>,
  defaultId: number | undefined,
): number | undefined => (requirements === defaultId || need.num_cpus <= 0 ? undefined : need.num_cpus);

export interface EnforcerOptions {
  readonly workflowId: number;
  readonly log: Log;
  /** Kills the step, and remembers that its memory is the cause of its end; returns what identifies it in the log. */
  readonly kill: (id: StepId) => StartedStep['about'] | undefined;
}

/** Kills a job that exceeds its memory limit. The log messages are public: users and programs search for them. */
export function createEnforcer({ workflowId, log, kill }: EnforcerOptions) {
  return ({ id, job, memoryBytes, limitBytes }: Violation): void => {
    const about = kill(id);
    if (about === undefined) return;
    log.write('warn', 'OOM violation detected:', {
      workflow_id: workflowId,
      job_id: job.id,
      ...about,
      memory: gigabytes(memoryBytes),
      limit: gigabytes(limitBytes),
    });
    log.write('warn', 'Killing OOM job', { workflow_id: workflowId, job_id: job.id });
  };
}

const gigabytes = (bytes: number) => `${(bytes / GIBIBYTE).toFixed(2)}GB`;
