import type { Client } from '../../client/client.ts';
import { all } from '../../client/every.ts';
import type { RunnerSetup } from '../../core/contract/exchange.ts';
import type { FailureHandler } from '../../core/contract/scheduling.ts';

/** What a runner reads of its workflow once. */
export interface WorkflowFacts {
  /** The id of the requirements of jobs that name none. */
  defaultRequirements(): Promise<number | undefined>;
  failureHandlers(): Promise<readonly FailureHandler[]>;
  hasActions(): Promise<boolean>;
}

/** From the reply to the first exchange; what that lacks, as with Torc's own server, from the routes for each. */
export function workflowFacts(client: Client, workflowId: number, setup: RunnerSetup | undefined): WorkflowFacts {
  const params = { id: workflowId };
  return {
    async defaultRequirements() {
      if (setup !== undefined) return setup.default_requirements_id ?? undefined;
      const { items } = await client.listResourceRequirements({ query: { workflow_id: workflowId, name: 'default' } });
      return items[0]?.id ?? undefined;
    },
    async failureHandlers() {
      return setup?.failure_handlers ?? (await all((page) => client.listFailureHandlers({ params, query: page })));
    },
    async hasActions() {
      return setup?.has_actions ?? (await client.listWorkflowActions({ params })).length > 0;
    },
  };
}
