import type { Completion, ExchangeRequest, Retried } from '../../core/contract/exchange.ts';
import type { Client } from '../client.ts';
import { isRefusal } from './refused.ts';

export interface ReportStatsOptions {
  readonly client: Client;
  readonly workflowId: number;
  /** Called once, with the first refusal of statistics that are not stored. */
  readonly onWarning: (message: string) => void;
}

/**
 * Stores the statistics of Slurm of attempts that ended.
 *
 * Torc's own server refuses statistics that it has, and answers errors of its own with the same statuses. So after a refusal
 * they are looked for.
 */
export function createReportStats({ client, workflowId, onWarning }: ReportStatsOptions) {
  let hasWarned = false;
  // Several are reported at once.
  const warnOnce = (message: string) => {
    if (!hasWarned) onWarning(message);
    hasWarned = true;
  };
  return async (turn: ExchangeRequest, ended: Completion | Retried): Promise<void> => {
    const { job_id, attempt_id, slurm_stats: stats } = ended;
    if (!stats) return;
    const attempt = { workflow_id: workflowId, job_id, run_id: turn.run_id, attempt_id };
    try {
      await client.createSlurmStats({ body: { ...stats, ...attempt } });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (hasWarned) return;
      const { items } = await client.listSlurmStats({ query: { ...attempt, limit: 1 } });
      if (items.length > 0) return;
      warnOnce(`The server does not store statistics of Slurm, first of job ${job_id}: ${error.message}`);
    }
  };
}
