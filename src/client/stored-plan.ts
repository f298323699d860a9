import type { StoredPlan } from '../core/workflow-file/update/stored.ts';
import type { Client } from './client.ts';
import { all } from './every.ts';

/** A workflow of the service with all records of its plan. */
export async function storedPlan(client: Client, id: number): Promise<StoredPlan> {
  const params = { id };
  const of = { workflow_id: id };
  // At the same time: while the client reads one page, the server writes the next.
  const [workflow, jobs, files, userData, requirements, schedulers, handlers, actions] = await Promise.all([
    client.getWorkflow({ params }),
    all((page) => client.listJobs({ query: { ...of, include_relationships: true, ...page } })),
    all((page) => client.listFiles({ query: { ...of, ...page } })),
    all((page) => client.listUserData({ query: { ...of, ...page } })),
    all((page) => client.listResourceRequirements({ query: { ...of, ...page } })),
    all((page) => client.listSlurmSchedulers({ query: { ...of, ...page } })),
    all((page) => client.listFailureHandlers({ params, query: page })),
    client.listWorkflowActions({ params }),
  ]);
  return { workflow, jobs, files, userData, requirements, schedulers, handlers, actions };
}
