import type { Client } from '../client/client.ts';
import { slurmTaskOf } from './label.ts';
import type { Log } from './log.ts';
import type { RunnerOptions } from './options.ts';

/** The allocation that a runner lives in, as the service knows it. */
export interface Allocation {
  /** What the runner was started with, and what the allocation adds: its row, and the scheduler that it was made for. */
  readonly options: RunnerOptions;
  /** Says how the allocation stands. Of several runners in it that of the first node speaks for all. */
  becomes(status: 'active' | 'complete', log: Log): Promise<void>;
}

/** Looks the allocation up; one that somebody submitted by hand has no row, and elsewhere there is none. */
export async function findAllocation(client: Client, options: RunnerOptions): Promise<Allocation> {
  const task = slurmTaskOf(options.scheduler);
  const unknown = { options, becomes: async () => {} };
  if (task === undefined) return unknown;
  const query = { workflow_id: options.workflowId, scheduler_id: Number(task.jobId) };
  const found = (await client.listScheduledComputeNodes({ query })).items.at(-1);
  if (found?.id === undefined || found.id === null) return unknown;
  const id = found.id;
  return {
    options: {
      ...options,
      scheduler: { ...options.scheduler, scheduler_id: id },
      schedulerConfigId: options.schedulerConfigId ?? found.scheduler_config_id,
    },
    async becomes(status, log) {
      if (task.nodeId !== '0') return;
      try {
        await client.updateScheduledComputeNode({ params: { id }, body: { ...found, status } });
      } catch (error) {
        const reason = (error as Error).message;
        log.write('warn', 'The service could not be told how the allocation stands', { status, reason });
      }
    },
  };
}
