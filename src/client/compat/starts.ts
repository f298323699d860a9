import type { ExchangeRequest } from '../../core/contract/exchange.ts';
import { isOneOf, REPORTED } from '../../core/job/statuses.ts';
import type { Client } from '../client.ts';
import type { PlainJob } from './reads.ts';
import { isRefusal } from './refused.ts';
import type { State } from './state.ts';

/** Reports the start of an attempt: undefined if the server knows it now, otherwise the reason of its refusal. */
export type ReportStart = (turn: ExchangeRequest, id: number, attempt: number) => Promise<string | undefined>;

export function createReportStart(client: Client, { readJob, fence }: State): ReportStart {
  return async ({ run_id: runId, compute_node_id: nodeId }, id, attempt) => {
    try {
      await client.startJob({ params: { id, run_id: runId, compute_node_id: nodeId } });
      return undefined;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await fence(runId);
      const job = await readJob(id);
      if (typeof job === 'string') return job;
      // Refused although the job is pending: the server fails, and the exchange is sent again.
      if (job.status === 'pending') throw error;
      return whyUnknown(job, attempt, nodeId);
    }
  };
}

/** Why a refused start is not the repetition of one that the server knows; undefined if it is. */
export function whyUnknown(
  { status, attempt_id: current, compute_node_id: node }: Pick<PlainJob, 'status' | 'attempt_id' | 'compute_node_id'>,
  attempt: number,
  nodeId: number,
): string | undefined {
  const isOurs = (current ?? 1) === attempt && (status !== 'running' || node === nodeId);
  if (isOurs && (status === 'running' || isOneOf(REPORTED, status))) return undefined;
  return `its start was not recorded: it is ${status} in attempt ${current ?? 1}`;
}
