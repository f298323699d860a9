import type { Client } from '../../client/client.ts';
import type { JobStatusCounts } from '../../core/contract/job.ts';
import type { Unclaimable } from '../../core/contract/unclaimable.ts';
import type { WorkflowStatus } from '../../core/contract/workflow.ts';
import { unclaimableWords } from '../../core/lifecycle/unclaimable.ts';
import { counted } from '../../core/quantity/count-text.ts';

/** What an idle runner does about ready jobs: it waits for some, tells that it can take none, or leaves. */
export type Prospect =
  | { readonly kind: 'wait' }
  | { readonly kind: 'tell'; readonly words: string }
  | { readonly kind: 'leave'; readonly words: string };

export interface Standing {
  /** As the server told this runner while it held nothing. */
  readonly counts: JobStatusCounts;
  /** Which ready jobs this runner cannot take. */
  readonly left: Unclaimable;
  readonly status: Pick<WorkflowStatus, 'active_compute_nodes' | 'pending_scheduled_nodes' | 'active_scheduled_nodes'>;
  /** May runners come that nobody has told the server of? None does to a server of this command's own. */
  readonly othersMayCome: boolean;
  /** The runner was told to stay while jobs are left, or has no idle time. */
  readonly stays: boolean;
}

/**
 * What an idle runner that was offered nothing does, when jobs are ready.
 *
 * It leaves where waiting can bring it nothing: it can take none of the ready jobs however long it stays, nothing runs that could
 * make others ready, and no other runner or allocation is there. On a server that others use as well it leaves only when it could
 * take none of the jobs that are not ready yet either: a larger runner may be about to start, and do what comes before them.
 */
export function prospectOf({ counts, left, status, othersMayCome, stays }: Standing): Prospect {
  if (left.ready_jobs === 0 || left.unclaimable_jobs < left.ready_jobs) return { kind: 'wait' };
  if (counts.running + counts.pending > 0) return { kind: 'wait' };
  const words = `this runner can take none of the ${counted(left.ready_jobs, 'job')} that ${left.ready_jobs === 1 ? 'is' : 'are'} ready: ${left.reasons.map(unclaimableWords).join('; ')}`;
  const others = Math.max(0, status.active_compute_nodes - 1) + status.pending_scheduled_nodes;
  const mayTakeLater = othersMayCome && left.may_take_later !== false && notReady(counts) > 0;
  return stays || others > 0 || mayTakeLater ? { kind: 'tell', words } : { kind: 'leave', words };
}

const notReady = ({ blocked, uninitialized, pending_failed: undecided }: JobStatusCounts) =>
  blocked + uninitialized + undecided;

/** Asks the server what the runner can take. Without an answer the runner waits; Torc's own server does not know the question. */
export const takeable =
  (
    client: Pick<Client, 'getUnclaimableJobs' | 'getWorkflowStatus'>,
    { workflowId, nodeId, ...how }: { workflowId: number; nodeId: number } & Pick<Standing, 'othersMayCome' | 'stays'>,
  ) =>
  async (counts: JobStatusCounts): Promise<Prospect> => {
    const params = { id: workflowId };
    try {
      const left = await client.getUnclaimableJobs({ params, query: { compute_node_id: nodeId } });
      if (left.ready_jobs === 0 || left.unclaimable_jobs < left.ready_jobs) return { kind: 'wait' };
      const status = await client.getWorkflowStatus({ params });
      return prospectOf({ counts, left, status, ...how });
    } catch {
      return { kind: 'wait' };
    }
  };
