import type { Client } from '../client/client.ts';
import { all } from '../client/every.ts';
import type { Unclaimable } from '../core/contract/unclaimable.ts';
import type { Workflow } from '../core/contract/workflow.ts';
import type { RunnerRoom } from '../core/lifecycle/obstacles.ts';
import { roomOfScheduler } from '../core/lifecycle/scheduler-room.ts';
import { requestOf } from '../core/allocation/request.ts';

/**
 * The ready jobs that no allocation of the workflow's Slurm schedulers could ever run; undefined if the server does not know the
 * question: an older one answers for runners, and Torc's own not at all.
 */
export async function unrunnableJobs(client: Client, workflowId: number): Promise<Unclaimable | undefined> {
  const params = { id: workflowId };
  const left = await client.getUnclaimableJobs({ params, query: { in_allocations: true } }).catch(() => undefined);
  return left === undefined || left.compute_node_ids.length > 0 ? undefined : left;
}

/** The runners of allocations that may be submitted. */
export async function futureRooms(client: Client, workflow: Workflow): Promise<RunnerRoom[]> {
  const workflowId = workflow.id;
  const schedulers = await all((page) => client.listSlurmSchedulers({ query: { workflow_id: workflowId, ...page } }));
  if (schedulers.length === 0) return [];
  const actions = await client.listWorkflowActions({ params: { id: workflowId } });
  const requests = actions.flatMap((action) => requestOf(action) ?? []);
  return schedulers.map((each) => ({
    ...roomOfScheduler(each, workflow),
    countsJobs: requests.some(
      ({ schedulerId, maxParallelJobs }) => schedulerId === each.id && maxParallelJobs !== undefined,
    ),
  }));
}
