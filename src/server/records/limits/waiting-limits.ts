import type { LimitedJobs, WaitingLimit } from '../../../core/contract/waiting-limit.ts';
import type { FullLimit } from '../../../core/lifecycle/placement/limits.ts';
import type { Caller, Permissions } from '../../caller.ts';
import type { LimitCounts } from './limit-counts.ts';

/** Holders that are named: people ask the first. */
const MOST_HOLDERS = 3;

/** The limits that keep ready jobs waiting, with who holds them, as far as the caller may see. */
export const createWaitingLimits = (limitCounts: LimitCounts, permissions: Permissions) => {
  const waiting = ({ limit, needs, held }: FullLimit, workflowId: number, caller: Caller): WaitingLimit => {
    const seen = new Map<number, boolean>();
    const sees = (id: number) => {
      const known = seen.get(id) ?? permissions.sees(caller, id);
      seen.set(id, known);
      return known;
    };
    const all = limitCounts.holders(limit, workflowId);
    const visible = all.filter((holder) => sees(holder.workflowId));
    return {
      ...limit,
      held,
      needs,
      holders: visible.slice(0, MOST_HOLDERS).map((holder) => ({
        job_id: holder.id,
        job_name: holder.name,
        workflow_id: holder.workflowId,
      })),
      others: Math.max(0, visible.length - MOST_HOLDERS),
      hidden: all.length - visible.length,
    };
  };

  return {
    /** Of one job. */
    ofJob: (workflowId: number, jobId: number, caller: Caller): WaitingLimit[] =>
      limitCounts.fullForJob(workflowId, jobId).map((full) => waiting(full, workflowId, caller)),

    /** Of all ready jobs of a workflow; each limit once, with the number of jobs that wait for it and the least that one needs. */
    ofWorkflow: (workflowId: number, caller: Caller): LimitedJobs[] =>
      limitCounts.fullForReady(workflowId).map(({ full, jobs }) => ({ ...waiting(full, workflowId, caller), jobs })),
  };
};
