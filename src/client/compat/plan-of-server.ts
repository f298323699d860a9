import type { StoredPlan, StoredUserData } from '../../core/workflow-file/update/stored.ts';
import type { Client } from '../client.ts';
import { all } from '../every.ts';
import { storedPlan } from '../stored-plan.ts';
import { withSubstitute } from './unknown-route.ts';

/** A workflow with all records of its plan. Torc's own server lists them without columns, and knows no jobs that were removed. */
export const planOfServer = (client: Client, id: number): Promise<StoredPlan> =>
  withSubstitute<StoredPlan>(storedPlan(client, id), async () => {
    const params = { id };
    const of = { workflow_id: id };
    return {
      workflow: await client.getWorkflow({ params }),
      jobs: (await all((page) => client.listJobs({ query: { ...of, include_relationships: true, ...page } }))).map(
        (job) => ({ ...job, removed_at_ms: null, origin: null }) as unknown as StoredPlan['jobs'][number],
      ),
      files: await all((page) => client.listFiles({ query: { ...of, ...page } })),
      userData: (await all((page) => client.listUserData({ query: { ...of, ...page } }))) as StoredUserData[],
      requirements: await all((page) => client.listResourceRequirements({ query: { ...of, ...page } })),
      schedulers: await all((page) => client.listSlurmSchedulers({ query: { ...of, ...page } })),
      allocatedSchedulers: new Set(),
      handlers: await all((page) => client.listFailureHandlers({ params, query: page })),
      actions: await client.listWorkflowActions({ params }),
    };
  });
