import type { Client } from '../../client/client.ts';
import type { WorkflowAction } from '../../core/contract/scheduling.ts';
import type { Log } from '../facts/log.ts';
import { plannedActionOf, isHeldBy, RUN_TRIGGERS } from './choose.ts';
import { createActionClaims } from './claims.ts';
import { createExecute, type ExecuteOptions } from './execute.ts';
import { createActionQueue } from './queue.ts';
import type { WorkflowFacts } from '../facts/workflow-facts.ts';

export interface ActionsOptions extends Omit<ExecuteOptions, 'claims'> {
  readonly client: Client;
  readonly reads: Pick<WorkflowFacts, 'hasActions'>;
  /** Called when no action is being executed any more. */
  readonly onDone: () => void;
}

export type Actions = Awaited<ReturnType<typeof createActions>>;

/**
 * Executes the actions of a workflow: those of its start and of this runner, those of jobs when the server reports them
 * as due, those of its end and of the end of this runner. They run one after the other, in parallel with the jobs.
 *
 * Each action is claimed first, so that only one runner executes it; a persistent action is executed once by each
 * runner. Failures are logged and never fail the workflow. The ledger records when the commands of an action begin and
 * end. If a runner is killed after its claim, the next runner on the host makes an action available again whose
 * commands had not begun. If the commands had begun, the action is reported as interrupted, because its progress is
 * unknown.
 */
export async function createActions(options: ActionsOptions) {
  const { client, reads, run, nodeId, shells } = options;
  const { log } = run;
  const params = { id: run.workflowId };
  const canSchedule = options.scheduling !== undefined;
  const claims = createActionClaims({ client, workflowId: run.workflowId, nodeId, log });
  const queue = createActionQueue(options.onDone);
  const execute = createExecute({ ...options, claims });
  /** Executed here, or by another runner. */
  const done = new Set<number>();
  const leftToOthers = new Set<number>();
  /** Reported as due and not checked yet. */
  const expected = new Set<number>();
  let hasActions = await reads.hasActions();
  let isEnding = false;

  const leave = (action: WorkflowAction & { id: number }) => {
    if (leftToOthers.has(action.id)) return;
    leftToOthers.add(action.id);
    reportLeft(log, action);
  };

  /** Executes the due actions with these triggers, in their order. */
  const carryOutDue = async (triggers: readonly string[], isFinal: boolean): Promise<void> => {
    // All of them: Torc's own server does not accept a list of triggers in one parameter.
    const pending = await client.listPendingActions({ params });
    const due = triggers.flatMap((trigger) => pending.filter((action) => action.trigger_type === trigger));
    for (const action of due as (WorkflowAction & { id: number })[]) {
      if (shells.isOver || (isEnding && !isFinal)) return;
      if (done.has(action.id)) continue;
      const planned = plannedActionOf(action, canSchedule);
      if (planned === undefined) leave(action);
      else {
        const isOurs = await claims.claim(action.id, { plans: planned.kind === 'schedule_nodes' });
        done.add(action.id);
        if (isOurs) await execute(action, planned);
      }
    }
  };

  const enqueue = (triggers: readonly string[], ids: readonly number[] = []): Promise<void> => {
    const isFinal = isEnding;
    for (const id of ids) expected.add(id);
    return queue.add(async () => {
      await carryOutDue(triggers, isFinal).catch((error: unknown) => reportUnread(log, triggers, error as Error));
      for (const id of ids) expected.delete(id);
    });
  };

  return {
    get isBusy() {
      return queue.isBusy;
    },
    /** Executes the actions that precede the first job. */
    begin: () => (hasActions ? enqueue(['on_workflow_start', 'on_worker_start']) : queue.last),
    /** The server reports these actions as due. */
    consider(due: readonly number[]) {
      hasActions = true;
      const fresh = due.filter((id) => !done.has(id) && !leftToOthers.has(id) && !expected.has(id));
      if (fresh.length === 0 || isEnding) return;
      void enqueue(RUN_TRIGGERS, fresh);
    },
    /** Actions that a lost runner had claimed for the start of the workflow may be available again. */
    armedAgain() {
      if (hasActions && !isEnding) void enqueue(['on_workflow_start']);
    },
    /** Whether actions keep a runner alive that has been idle for this long. */
    async keepsIdle(idleMs: number) {
      if (!hasActions) return false;
      try {
        const actions = await client.listWorkflowActions({ params });
        return isHeldBy(actions, { doneHere: done, canSchedule, idleMs });
      } catch {
        // Without a server this is unknown, and the conversation reports a long outage.
        return true;
      }
    },
    /**
     * Executes the actions of the end; the server must be reachable. Actions of jobs only if there is time for them, and those of a
     * workflow that nothing runs any more only if this runner leaves jobs behind.
     */
    async end({ ofJobs, leavesJobs }: { readonly ofJobs: boolean; readonly leavesJobs: boolean }) {
      isEnding = true;
      const stuck = leavesJobs ? ['on_stuck'] : [];
      await enqueue([...(ofJobs ? RUN_TRIGGERS : []), ...stuck, 'on_workflow_complete', 'on_worker_complete']);
    },
  };
}

function reportLeft(log: Log, { id, action_type: type, trigger_type: trigger }: WorkflowAction): void {
  log.write('warn', 'An action is left to other runners', {
    action_id: id,
    trigger,
    action: type,
    reason: type === 'schedule_nodes' ? 'allocations cannot be submitted from here' : 'unknown type of action',
  });
}

function reportUnread(log: Log, triggers: readonly string[], { message }: Error): void {
  log.write('warn', 'Actions could not be read', { triggers: triggers.join(', '), reason: message });
}
