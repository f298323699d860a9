import type { ChangeLog } from '../../store/changes.ts';
import type { Database } from '../../store/database.ts';
import { openClaimQueries } from './queries.ts';

/**
 * Makes jobs ready again that claims of several transactions took before the server was killed: no client got a reply
 * with these jobs. To be called once, before the server answers.
 */
export function giveBackOpenClaims({ db, changes }: { db: Database; changes: ChangeLog }): number {
  const queries = openClaimQueries(db);
  let jobs = 0;
  for (const { workflow_id: workflowId, job_ids: text } of queries.all.all({})) {
    const ids = (JSON.parse(text) as number[]).filter((id) => queries.giveBack.run({ id }) === 1);
    if (ids.length > 0) changes.record(workflowId, 'jobs_returned', [{ compute_node_id: null, job_ids: ids }]);
    jobs += ids.length;
  }
  queries.removeAll.run({});
  return jobs;
}
