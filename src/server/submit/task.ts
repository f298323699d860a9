import { Refusal } from '../../core/contract/refusals.ts';
import type { Task } from '../../core/contract/task.ts';
import { present } from '../store/present.ts';
import type { Store } from '../store/store.ts';
import type { Work } from '../store/work.ts';
import type { SubmitQueries } from './queries.ts';

const OPERATION = 'initialize_jobs';

/** What an initialisation is asked for with; absent is not the same as false. */
export interface Parameters {
  readonly only_uninitialized?: boolean | undefined;
  readonly clear_ephemeral_user_data?: boolean | undefined;
}

/**
 * Initialises a workflow after the answer: a task says how far it is, and the event stream when it is done.
 *
 * One at a time for a workflow: who asks for the same gets the task that is under way, who asks for something else is
 * refused. A server that is killed goes on with the task that it had begun when it starts again; one that only waited has
 * failed.
 */
export function createTasks(store: Store, queries: SubmitQueries) {
  const { find, now, changes, turns, works } = store;
  queries.failOpenTasks.run({ atMs: now(), error: 'server restarted while task was in progress' });

  const read = (id: number): Task | undefined => {
    const row = queries.task.get({ id });
    if (row === undefined) return undefined;
    const { parameters: _, ...task } = row;
    return present(task) as Task;
  };

  const active = (workflowId: number) => queries.activeTask.get({ workflowId });

  const finish = (id: number, error: string | undefined) => {
    const task = read(id);
    // The workflow may be gone meanwhile, and its tasks with it.
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
    /** The last thing that an initialisation does, in the same transaction. */
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
      // After the turn that answers; what goes wrong with the disk then ends the server, as for any write.
      setImmediate(() => void carryOut(task, initialize(id)).catch(() => {}));
      return task;
    },
  };
}
