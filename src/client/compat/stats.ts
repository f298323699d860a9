import type { Completion, ExchangeRequest, Retried } from '../../core/contract/exchange.ts';
import type { Client } from '../client.ts';
import { isRefusal } from './refused.ts';

/** Stores the statistics of Slurm of attempts that ended; those that the server refuses, such as repeated ones, are left out. */
export const createReportStats =
  (client: Client, workflowId: number) =>
  async (turn: ExchangeRequest, { job_id, attempt_id, slurm_stats: stats }: Completion | Retried): Promise<void> => {
    if (!stats) return;
    const body = { ...stats, workflow_id: workflowId, job_id, run_id: turn.run_id, attempt_id };
    await client.createSlurmStats({ body }).catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
    });
  };
