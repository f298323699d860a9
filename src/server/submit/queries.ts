import type { Database } from '../store/database.ts';

interface TaskRow {
  id: number;
  workflow_id: number;
  operation: string;
  status: string;
  parameters: string;
  created_at_ms: number;
  started_at_ms: number | null;
  finished_at_ms: number | null;
  error: string | null;
}

export const taskQueries = (db: Database) => ({
  insertTask: db.prepare<{ workflowId: number; operation: string; parameters: string; atMs: number }>(`
    insert into async_handle (workflow_id, operation, status, parameters, created_at_ms)
    values (:workflowId, :operation, 'queued', :parameters, :atMs)`),
  task: db.prepare<{ id: number }, TaskRow>('select * from async_handle where id = :id'),
  activeTask: db.prepare<{ workflowId: number }, { id: number; parameters: string }>(
    "select id, parameters from async_handle where workflow_id = :workflowId and status in ('queued', 'running')",
  ),
  startTask: db.prepare<{ id: number; atMs: number }>(
    "update async_handle set status = 'running', started_at_ms = :atMs where id = :id",
  ),
  finishTask: db.prepare<{ id: number; status: string; atMs: number; error: string | null }>(
    'update async_handle set status = :status, finished_at_ms = :atMs, error = :error where id = :id',
  ),
  // Unfinished work of tasks that had begun is continued by this server.
  failOpenTasks: db.prepare<{ atMs: number; error: string }>(`
    update async_handle set status = 'failed', finished_at_ms = :atMs, error = :error
    where status in ('queued', 'running')
      and workflow_id not in (select workflow_id from workflow_work where kind = 'initialize_jobs')`),
});

export type TaskQueries = ReturnType<typeof taskQueries>;
