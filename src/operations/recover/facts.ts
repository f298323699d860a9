import type { Client } from '../../client/client.ts';
import { knownWorkflow } from '../../client/compat/known.ts';
import { all } from '../../client/every.ts';
import { ENDED_BADLY, RECOVERABLE } from '../../core/job/statuses.ts';
import { RECOVERY_NOTE } from '../../core/lifecycle/recover/recovery-note.ts';
import type { RecoveryFacts, RecoveryStanding } from '../../core/lifecycle/recover/recovery-plan.ts';
import { gatherPlanFacts } from '../update/plan-facts.ts';

/** What of a workflow decides whether it can be recovered. */
export async function gatherStanding(client: Client, workflowId: number): Promise<RecoveryStanding> {
  const query = { workflow_id: workflowId, category: RECOVERY_NOTE };
  const [known, status, events] = await Promise.all([
    knownWorkflow(client, workflowId),
    client.getWorkflowStatus({ params: { id: workflowId } }),
    all((page) => client.listEvents({ query: { ...query, ...page } })),
  ]);
  return { known, status, note: events.toSorted((a, b) => a.id - b.id).at(-1)?.data };
}

/** All that a recovery decides about. With `isAway` the files are on another machine, and are not looked at. */
export async function gatherRecovery(client: Client, workflowId: number, isAway = false): Promise<RecoveryFacts> {
  const standing = await gatherStanding(client, workflowId);
  const { jobs_by_status: counts } = standing.status;
  const query = { workflow_id: workflowId };
  const [jobs, results, requirements, edges, files] = await Promise.all([
    ofEach([...RECOVERABLE], (status) => all((page) => client.listJobs({ query: { ...query, status, ...page } }))),
    ofEach([...ENDED_BADLY], (status) => all((page) => client.listResults({ query: { ...query, status, ...page } }))),
    all((page) => client.listResourceRequirements({ query: { ...query, ...page } })),
    counts.canceled === 0 ? [] : all((page) => client.listJobDependencies({ params: { id: workflowId }, query: page })),
    isAway ? undefined : gatherPlanFacts(client, workflowId),
  ]);
  return { ...standing, jobs, results, requirements, edges, files };

  async function ofEach<Status extends keyof typeof counts, Item>(
    statuses: readonly Status[],
    list: (status: Status) => Promise<Item[]>,
  ): Promise<Item[]> {
    return (await Promise.all(statuses.filter((status) => counts[status] > 0).map(list))).flat();
  }
}
