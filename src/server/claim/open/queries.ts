import type { Database, NoParameters } from '../../store/database.ts';
import { STATUS } from '../../records/rows/status.ts';

/** Claims of several transactions that are not complete. */
export const openClaimQueries = (db: Database) => ({
  begin: db.prepare<NoParameters, { id: number }>('select coalesce(max(claim_id), 0) + 1 as id from open_claim'),
  add: db.prepare<{ claimId: number; workflowId: number; jobIds: string }>(
    'insert into open_claim (claim_id, workflow_id, job_ids) values (:claimId, :workflowId, :jobIds)',
  ),
  remove: db.prepare<{ claimId: number }>('delete from open_claim where claim_id = :claimId'),
  all: db.prepare<NoParameters, { workflow_id: number; job_ids: string }>(
    'select workflow_id, job_ids from open_claim order by id',
  ),
  removeAll: db.prepare('delete from open_claim'),
  giveBack: db.prepare<{ id: number }>(
    `update job set status = ${STATUS.ready} where id = :id and status = ${STATUS.pending} and claimed_by is null`,
  ),
});
