import type { StoredPlan } from '../core/workflow-file/update/stored.ts';
import type { Client } from './client.ts';
import { all } from './every.ts';

/** A workflow of the service with all records of its plan. */
export async function storedPlan(client: Client, id: number): Promise<StoredPlan> {
  const params = { id };
  const of = { workflow_id: id };
  return {
    workflow: await client.getWorkflow({ params }),
    jobs: await all((page) => client.listJobs({ query: { ...of, include_relationships: true, ...page } })),
    files: await all((page) => client.listFiles({ query: { ...of, ...page } })),
    userData: await all((page) => client.listUserData({ query: { ...of, ...page } })),
    requirements: await all((page) => client.listResourceRequirements({ query: { ...of, ...page } })),
    schedulers: await all((page) => client.listSlurmSchedulers({ query: { ...of, ...page } })),
    handlers: await all((page) => client.listFailureHandlers({ params, query: page })),
    actions: await client.listWorkflowActions({ params }),
  };
}
