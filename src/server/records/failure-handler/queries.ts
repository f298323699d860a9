import type { FailureHandler } from '../../../core/contract/scheduling.ts';
import type { Database } from '../../store/database.ts';
import type { OfWorkflow } from '../../store/listing.ts';
import { recordTable } from '../records.ts';

export const failureHandlerQueries = (db: Database) => ({
  handlers: recordTable<OfWorkflow, FailureHandler, FailureHandler>(
    db,
    { table: 'failure_handler', filters: { workflow_id: 'equal' }, sortable: ['id', 'name'] },
    (row) => row,
  ),
  insertHandler: db.prepare<{ workflowId: number; name: string; rules: string }>(
    'insert into failure_handler (workflow_id, name, rules) values (:workflowId, :name, :rules)',
  ),
});
