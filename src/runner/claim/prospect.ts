import type { Client } from '../../client/client.ts';
import type { JobStatusCounts } from '../../core/contract/job.ts';
import type { Unclaimable } from '../../core/contract/unclaimable.ts';
import type { WorkflowStatus } from '../../core/contract/workflow.ts';
import { countOf, HELD } from '../../core/job/statuses.ts';
import { unclaimableWords } from '../../core/lifecycle/placement/unclaimable.ts';
import { counted } from '../../core/quantity/count-text.ts';

/**
 * What an idle runner does about jobs that it was not handed: it waits, reports that it can take none, or leaves.
 * `isProven`: the server says that none comes for it, by actions neither.
 */
export type Prospect =
  | { readonly kind: 'wait' }
  | { readonly kind: 'report'; readonly words: string }
  | { readonly kind: 'leave'; readonly reason: string; readonly isProven: boolean };

export interface ProspectFacts {
  /** As the server replied to this runner while it held nothing. */
  readonly counts: JobStatusCounts;
  /** Which ready jobs this runner cannot take. */
  readonly left: Unclaimable;
  /** Undefined where it was not asked for: it decides only if the runner can take none of the ready jobs. */
  readonly status: Pick<WorkflowStatus, 'active_compute_nodes' | 'pending_scheduled_nodes'> | undefined;
  /** The runner is in an allocation, and has had no job for so long that it leaves if none is left for it. */
  readonly isLong: boolean;
  /** Runners may come that the server has no record of. None comes to a server of this command's own. */
  readonly othersMayCome: boolean;
  /** The runner stays while jobs are left by its options, or has no idle time. */
  readonly stays: boolean;
}

/**
 * What an idle runner that was offered nothing does.
 *
 * In an allocation it leaves after a while without a job, if the server says that none is left or to come for it (`isLong`).
 *
 * When jobs are ready, it leaves where waiting can bring it nothing: it can take none of the ready jobs however long it stays, nothing
 * runs that could make others ready, and no other runner or allocation is there. On a server that others use as well it leaves only when
 * it could take none of the jobs that are not ready yet either: a larger runner may be about to start, and do what comes before them.
 */
export function prospectOf({ counts, left, status, othersMayCome, stays, isLong }: ProspectFacts): Prospect {
  if (isLong && !stays && !left.may_take) return { kind: 'leave', reason: nothingLeft(counts), isProven: true };
  if (!isUnable(left) || countOf(counts, HELD) > 0) return { kind: 'wait' };
  const words = `this runner can take none of the ${counted(left.ready_jobs, 'job')} that ${left.ready_jobs === 1 ? 'is' : 'are'} ready: ${left.reasons.map(unclaimableWords).join('; ')}`;
  const others = Math.max(0, (status?.active_compute_nodes ?? 0) - 1) + (status?.pending_scheduled_nodes ?? 0);
  if (stays || others > 0 || (othersMayCome && left.may_take)) return { kind: 'report', words };
  const reason = 'this runner can take none of the jobs that are ready, and no other runner is there';
  return { kind: 'leave', reason, isProven: false };
}

/** Whether jobs are ready, and the runner can take none of them. */
const isUnable = ({ ready_jobs: ready, unclaimable_jobs: unclaimable }: Unclaimable) =>
  ready > 0 && unclaimable === ready;

function nothingLeft(counts: JobStatusCounts): string {
  const parts = [
    [countOf(counts, HELD), 'elsewhere'],
    [counts.ready, 'ready for others'],
    [counts.blocked, 'blocked for others'],
  ] as const;
  const said = parts.filter(([jobs]) => jobs > 0).map(([jobs, where]) => `${jobs} ${where}`);
  return `no job is left or to come that this runner could take: ${said.join(', ')}`;
}

/** Asks the server what the runner can take. Without an answer the runner waits; Torc's own server does not know the question. */
export const takeable =
  (
    client: Pick<Client, 'getUnclaimableJobs' | 'getWorkflowStatus'>,
    {
      workflowId,
      nodeId,
      ...how
    }: { workflowId: number; nodeId: number } & Pick<ProspectFacts, 'othersMayCome' | 'stays'>,
  ) =>
  async (counts: JobStatusCounts, isLong: boolean): Promise<Prospect> => {
    const params = { id: workflowId };
    try {
      const left = await client.getUnclaimableJobs({ params, query: { compute_node_id: nodeId } });
      const status = isUnable(left) ? await client.getWorkflowStatus({ params }) : undefined;
      return prospectOf({ counts, left, status, isLong, ...how });
    } catch {
      return { kind: 'wait' };
    }
  };
