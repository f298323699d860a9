import type { FailureHandler } from '../../../core/contract/scheduling.ts';
import type { Database } from '../../store/database.ts';
import { createListing, type OfWorkflow, sortable } from '../../store/listing.ts';
import { whole } from '../records.ts';

export const failureHandlerQueries = (db: Database) => ({
  handlers: whole(db, 'failure_handler', (row: FailureHandler) => row),
  insertHandler: db.prepare<{ workflowId: number; name: string; rules: string }>(
    'insert into failure_handler (workflow_id, name, rules) values (:workflowId, :name, :rules)',
  ),
  listHandlers: createListing<OfWorkflow, FailureHandler, FailureHandler>(
    db,
    {
      columns: 'failure_handler.*',
      from: 'failure_handler',
      filters: { workflow_id: 'failure_handler.workflow_id = :workflow_id' },
      sortable: sortable('failure_handler', ['id', 'name']),
      idColumn: 'failure_handler.id',
    },
    (row) => row,
  ),
});
