import type { RunnerSetup } from '../../core/contract/exchange.ts';
import { failureHandlerQueries } from '../records/failure-handler/queries.ts';
import type { Database } from '../store/database.ts';
import { setupQueries } from './queries.ts';

/** More are not part of the reply. */
const MOST_HANDLERS = 100;

/** What a runner needs to know of a workflow once; three requests less for each runner that starts. */
export function createSetup(db: Database): (workflowId: number) => RunnerSetup {
  const facts = setupQueries(db);
  const { handlers } = failureHandlerQueries(db);
  return (workflowId) => {
    const { default_requirements_id, has_actions } = facts.get({ workflowId })!;
    const { items, has_more: isLonger } = handlers.list({ workflow_id: workflowId, limit: MOST_HANDLERS });
    return {
      default_requirements_id: default_requirements_id ?? undefined,
      has_actions: has_actions === 1,
      failure_handlers: isLonger ? undefined : items,
    };
  };
}
