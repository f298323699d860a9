import type { Client } from '../client/client.ts';
import type { RunPlace, RunsIn, SubmissionState } from '../core/lifecycle/next-command.ts';
import { requestOf } from '../core/allocation/request.ts';

type PlaceClient = Pick<
  Client,
  'listSlurmSchedulers' | 'listComputeNodes' | 'listRemoteWorkers' | 'listWorkflowActions'
>;

/** Where the jobs of a workflow run: by its schedulers and workers, or else by its last runner. */
export async function placeOf(client: PlaceClient, workflowId: number): Promise<RunPlace> {
  const runsIn = await runsInOf(client, workflowId);
  const submission = runsIn === 'allocations' ? await submissionOf(client, workflowId) : 'none';
  return { workflowId, runsIn, submission };
}

async function runsInOf(client: PlaceClient, workflowId: number): Promise<RunsIn> {
  const query = { workflow_id: workflowId, limit: 1 };
  if ((await client.listSlurmSchedulers({ query })).items.length > 0) return 'allocations';
  if ((await client.listRemoteWorkers({ params: { id: workflowId } })).length > 0) return 'hosts';
  const last = await client.listComputeNodes({ query: { ...query, sort_by: 'id', reverse_sort: true } });
  return last.items[0]?.compute_node_type === 'slurm' ? 'scripts' : 'anywhere';
}

/** An action of the start is due, or will be as soon as the workflow is initialized. */
async function submissionOf(client: PlaceClient, workflowId: number): Promise<SubmissionState> {
  const actions = await client.listWorkflowActions({ params: { id: workflowId } });
  const submitting = actions.filter((action) => requestOf(action) !== undefined);
  const isDue = submitting.some(
    ({ executed, trigger_type: trigger, trigger_count: count, required_triggers: required }) =>
      executed !== true && (trigger === 'on_workflow_start' || (count ?? 0) >= (required ?? 1)),
  );
  return isDue ? 'due' : submitting.length > 0 ? 'done' : 'none';
}

/** Whether an allocation was ever recorded for the workflow. */
export const wasSubmitted = async (client: Client, workflowId: number): Promise<boolean> =>
  (await client.listScheduledComputeNodes({ query: { workflow_id: workflowId, limit: 1 } })).items.length > 0;
