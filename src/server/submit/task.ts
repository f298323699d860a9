import { Refusal } from '../../core/contract/refusals.ts';
import type { Task } from '../../core/contract/task.ts';
import { presentFields } from '../records/present.ts';
import type { Store } from '../records/store.ts';
import type { Work } from '../store/work.ts';
import type { TaskQueries } from './queries.ts';

const OPERATION = 'initialize_jobs';

/** The parameters of an initialization; absent is not the same as false. */
export interface Parameters {
  readonly only_uninitialized?: boolean | undefined;
  readonly clear_ephemeral_user_data?: boolean | undefined;
}

/**
 * Initializes a workflow after the reply: a task shows its progress, and the event stream reports its end.
 *
 * There is one task at a time for a workflow: a request with the same parameters gets the active task, one with others
 * is refused. A server that was killed continues its started task when it starts again; a task that only waited has
 * failed.
 */
export function createTasks(store: Store, queries: TaskQueries) {
  const { find, now, changes, turns, works } = store;
  queries.failOpenTasks.run({ atMs: now(), error: 'server restarted while task was in progress' });

  const read = (id: number): Task | undefined => {
    const row = queries.task.get({ id });
    if (row === undefined) return undefined;
    const { parameters: _, ...task } = row;
    return presentFields(task) as Task;
  };

  const active = (workflowId: number) => queries.activeTask.get({ workflowId });

  const finish = (id: number, error: string | undefined) => {
    const task = read(id);
    // The workflow may have been deleted meanwhile, and its tasks with it.
    if (task === undefined || find.removed.has(task.workflow_id)) return;
    const status = error === undefined ? 'succeeded' : 'failed';
    queries.finishTask.run({ id: task.id, status, atMs: now(), error: error ?? null });
    const { user } = find.workflow(task.workflow_id);
    changes.record(task.workflow_id, 'task_completed', [
      {
        category: 'tasks',
        type: 'task_completed',
        task_id: task.id,
        operation: task.operation,
        status,
        user,
        message: error === undefined ? `${task.operation} succeeded` : `${task.operation} failed`,
        ...(error === undefined ? {} : { error }),
      },
    ]);
  };

  const carryOut = async (task: Task, initialization: Work<number>): Promise<void> => {
    try {
      await turns.write(() => queries.startTask.run({ id: task.id, atMs: now() }));
      await works.carryOut(initialization);
    } catch (cause) {
      await turns.write(() => finish(task.id, (cause as Error).message));
    }
  };

  return {
    read: (id: number): Task => {
      const task = read(id);
      if (task !== undefined) return task;
      throw new Refusal('NOT_FOUND', 'Task not found', { id });
    },
    active(workflowId: number): Task | null {
      find.run(workflowId);
      const row = active(workflowId);
      return row === undefined ? null : (read(row.id) as Task);
    },
    /** The last step of an initialization, in the same transaction. */
    succeed: (id: number) => finish(id, undefined),
    begin(workflowId: number, parameters: Parameters, initialize: (taskId: number) => Work<number>): Task {
      find.run(workflowId);
      const asked = JSON.stringify([parameters.only_uninitialized, parameters.clear_ephemeral_user_data]);
      const other = active(workflowId);
      if (other !== undefined && other.parameters === asked) return read(other.id) as Task;
      if (other !== undefined) {
        throw new Refusal(
          'TASK_ACTIVE',
          `${OPERATION} task already active with different parameters: ${other.parameters} and not ${asked}`,
          { existing_task_id: other.id, existing_operation: OPERATION },
        );
      }
      const id = queries.insertTask.insert({ workflowId, operation: OPERATION, parameters: asked, atMs: now() });
      const task = read(id) as Task;
      // After the reply; a disk error then ends the server, as for any write.
      setImmediate(() => void carryOut(task, initialize(id)).catch(() => {}));
      return task;
    },
  };
}
