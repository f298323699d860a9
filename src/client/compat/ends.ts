import type { Completion, ExchangeRequest } from '../../core/contract/exchange.ts';
import type { JobCompletion, JobCompletionError } from '../../core/contract/result.ts';
import type { Client } from '../client.ts';
import { isOfRequest, isRefusal } from './refused.ts';
import type { State } from './state.ts';

/** Reports ends; the server may refuse some of them. */
export type ReportEnds = (turn: ExchangeRequest, ends: readonly Completion[]) => Promise<JobCompletionError[]>;

export function createReportEnds(client: Client, workflowId: number, { readJob }: State): ReportEnds {
  const send = async (entries: readonly JobCompletion[]): Promise<JobCompletionError[]> => {
    const body = { completions: [...entries] };
    const { errors } = await client.batchCompleteJobs({ params: { id: workflowId }, body });
    const statusOf = new Map(entries.map((each) => [each.job_id, each.status]));
    return errors.flatMap((each) => {
      const found = endedStatus(each.message);
      if (found !== undefined && found === statusOf.get(each.job_id)) return [];
      return [found === 'canceled' ? { ...each, code: 'JOB_CANCELED' } : each];
    });
  };

  /** One invalid entry makes the server refuse the whole batch, so a refused batch is sent entry by entry. */
  const complete = async (entries: readonly JobCompletion[]): Promise<JobCompletionError[]> => {
    if (entries.length === 0) return [];
    try {
      return await send(entries);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (entries.length > 1) {
        const errors: JobCompletionError[] = [];
        for (const entry of entries) for (const each of await complete([entry])) errors.push(each);
        return errors;
      }
      const [entry] = entries as [JobCompletion];
      const refused = (message: string) => [{ job_id: entry.job_id, message }];
      const job = await readJob(entry.job_id);
      if (typeof job === 'string') return refused(job);
      if (job.status === entry.status) return [];
      if (isOfRequest(error) || (await hasResult(entry))) return refused(error.message);
      throw error;
    }
  };

  const hasResult = async ({ job_id: jobId, run_id: runId, result }: JobCompletion): Promise<boolean> => {
    const query = { workflow_id: workflowId, job_id: jobId, run_id: runId, all_runs: true };
    const { items } = await client.listResults({ query });
    return items.some(({ attempt_id: attempt }) => (attempt ?? 1) === result.attempt_id);
  };

  return (turn, ends) => complete(ends.map((each) => entryOf(each, workflowId, turn)));
}

/**
 * The status of a job that had ended before, from the text of Torc's own server, which has no code. If it is the reported one, the
 * end was reported before, and the reply was lost.
 */
export const endedStatus = (message: string): string | undefined =>
  /already complete with status=(\w+)/.exec(message)?.[1]?.toLowerCase();

function entryOf(reported: Completion, workflowId: number, turn: ExchangeRequest): JobCompletion {
  const { job_id, attempt_id, status, return_code, exec_time_minutes, completion_time } = reported;
  const { peak_memory_bytes, avg_memory_bytes, peak_cpu_percent, avg_cpu_percent } = reported;
  const { run_id, compute_node_id } = turn;
  return {
    job_id,
    status,
    run_id,
    result: {
      job_id,
      workflow_id: workflowId,
      run_id,
      attempt_id,
      compute_node_id,
      return_code,
      exec_time_minutes,
      completion_time,
      status,
      peak_memory_bytes,
      avg_memory_bytes,
      peak_cpu_percent,
      avg_cpu_percent,
    },
  };
}
