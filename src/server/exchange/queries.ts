import type { Database } from '../store/database.ts';

/** The defaults of a workflow for a runner, and whether it has any action. */
export const setupQueries = (db: Database) =>
  db.prepare<{ workflowId: number }, { default_requirements_id: number | null; has_actions: 0 | 1 }>(`
    select
      (select id from resource_requirements where workflow_id = :workflowId and name = 'default')
        as default_requirements_id,
      exists (select 1 from workflow_action where workflow_id = :workflowId) as has_actions`);
