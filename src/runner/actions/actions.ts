import { resolve } from 'node:path';
import type { Client } from '../../client/client.ts';
import { ServiceError } from '../../client/errors.ts';
import type { ActionOutcome, WorkflowAction } from '../../core/contract/scheduling.ts';
import type { Ledger } from '../report/ledger.ts';
import type { Log } from '../log.ts';
import type { Shells } from '../launch/shell.ts';
import { type RunFacts, runVariables } from '../step/request.ts';
import { type PlannedAction, plannedActionOf, isHeldBy, JOB_TRIGGERS } from './choose.ts';
import type { WorkflowFacts } from '../setup/workflow-facts.ts';
import type { Scheduling } from './scheduling.ts';

export interface ActionsOptions {
  readonly client: Client;
  readonly reads: Pick<WorkflowFacts, 'hasActions'>;
  readonly facts: RunFacts;
  readonly nodeId: number;
  readonly shells: Shells;
  readonly scheduling: Scheduling | undefined;
  readonly ledger: Pick<Ledger, 'action'>;
  readonly log: Log;
  /** Called when no action is being executed any more. */
  readonly onDone: () => void;
}

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
export interface Actions {
  readonly isBusy: boolean;
  /** Executes the actions that precede the first job. */
  begin(): Promise<void>;
  /** The server reports these actions as due. */
  consider(due: readonly number[]): void;
  /** Actions that a lost runner had claimed for the start of the workflow may be available again. */
  armedAgain(): void;
  /** Whether actions keep a runner alive that has been idle for this long. */
  keepsIdle(idleMs: number): Promise<boolean>;
  /** Executes the actions of the end; the server must be reachable. Actions of jobs only if there is time for them. */
  end(options: { readonly ofJobs: boolean }): Promise<void>;
}

export async function createActions(options: ActionsOptions): Promise<Actions> {
  const { client, reads, facts, nodeId, shells, scheduling, ledger, log, onDone } = options;
  const { workflowId } = facts;
  const params = { id: workflowId };
  const canSchedule = scheduling !== undefined;
  /** Executed here, or by another runner. */
  const settled = new Set<number>();
  const leftToOthers = new Set<number>();
  /** Reported as due and not checked yet. */
  const expected = new Set<number>();
  let hasActions = await reads.hasActions();
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();
  let isEnding = false;

  const claim = async (id: number): Promise<boolean> => {
    try {
      await client.claimWorkflowAction({
        params: { ...params, action_id: id },
        body: { compute_node_id: nodeId, tells_end: true },
      });
      return true;
    } catch (error) {
      if (!(error instanceof ServiceError && error.status === 409)) throw error;
      // It may be our own claim whose reply was lost.
      const actions = await client.listWorkflowActions({ params });
      return actions.some((action) => action.id === id && action.executed_by === nodeId);
    }
  };

  const tellEnd = async (id: number, outcome: ActionOutcome): Promise<void> => {
    try {
      const body = { compute_node_id: nodeId, outcome };
      await client.endWorkflowAction({ params: { ...params, action_id: id }, body });
    } catch (error) {
      // A server without this route counts the claim as executed.
      const level = error instanceof ServiceError ? 'debug' : 'warn';
      log.write(level, 'The end of an action could not be reported', {
        action_id: id,
        reason: (error as Error).message,
      });
    }
  };

  const runCommands = async (commands: readonly string[], output: string): Promise<string | undefined> => {
    // The commands run in the output directory, where a relative path to it would be wrong.
    const cwd = resolve(facts.outputDir);
    const variables = runVariables({ ...facts, outputDir: cwd });
    for (const script of commands) {
      const end = await shells.run({ script, cwd, variables, output });
      if (end !== undefined) return `${end} of ${script}`;
    }
    return undefined;
  };

  const perform = async (planned: PlannedAction, output: string): Promise<string | undefined> => {
    if (planned.kind === 'run_commands') return runCommands(planned.commands, output);
    try {
      await scheduling?.schedule(planned.request);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };

  const carryOut = async (action: WorkflowAction & { id: number }, planned: PlannedAction): Promise<void> => {
    settled.add(action.id);
    const output = actionLogOf(facts, action.id, nodeId);
    const about = {
      workflow_id: workflowId,
      action_id: action.id,
      trigger: action.trigger_type,
      action: action.action_type,
      output: planned.kind === 'run_commands' ? output : undefined,
    };
    // The process was killed, the ledger does not contain the action, and the next runner makes it available again.
    if (shells.isOver) {
      await tellEnd(action.id, 'not_started');
      return;
    }
    ledger.action(action.id, 'begin');
    log.write('info', 'Action started', about);
    const failure = await perform(planned, output);
    ledger.action(action.id, 'end');
    await tellEnd(action.id, failure === undefined ? 'done' : 'failed');
    if (failure === undefined) log.write('info', 'Action finished', about);
    else log.write('warn', 'Action failed; its remaining commands are skipped', { ...about, reason: failure });
  };

  const leave = ({ id, action_type: type, trigger_type: trigger }: WorkflowAction & { id: number }) => {
    if (leftToOthers.has(id)) return;
    leftToOthers.add(id);
    log.write('warn', 'An action is left to other runners', {
      action_id: id,
      trigger,
      action: type,
      reason: type === 'schedule_nodes' ? 'allocations cannot be submitted from here' : 'unknown type of action',
    });
  };

  /** Executes the due actions with these triggers, in their order. */
  const carryOutDue = async (triggers: readonly string[], isFinal: boolean): Promise<void> => {
    // All of them: Torc's own server does not accept a list of triggers in one parameter.
    const pending = await client.listPendingActions({ params });
    const due = triggers.flatMap((trigger) => pending.filter((action) => action.trigger_type === trigger));
    for (const action of due as (WorkflowAction & { id: number })[]) {
      if (shells.isOver || (isEnding && !isFinal)) return;
      if (settled.has(action.id)) continue;
      const planned = plannedActionOf(action, canSchedule);
      if (planned === undefined) leave(action);
      else if (await claim(action.id)) await carryOut(action, planned);
      else settled.add(action.id);
    }
  };

  const enqueue = (triggers: readonly string[], ids: readonly number[] = []): Promise<void> => {
    const isFinal = isEnding;
    waiting += 1;
    for (const id of ids) expected.add(id);
    last = last
      .then(() => carryOutDue(triggers, isFinal))
      .catch((error: unknown) => {
        log.write('warn', 'Actions could not be read', {
          triggers: triggers.join(', '),
          reason: (error as Error).message,
        });
      })
      .finally(() => {
        waiting -= 1;
        for (const id of ids) expected.delete(id);
        if (waiting === 0) onDone();
      });
    return last;
  };

  return {
    get isBusy() {
      return waiting > 0;
    },
    begin: () => (hasActions ? enqueue(['on_workflow_start', 'on_worker_start']) : last),
    consider(due) {
      hasActions = true;
      const fresh = due.filter((id) => !settled.has(id) && !leftToOthers.has(id) && !expected.has(id));
      if (fresh.length === 0 || isEnding) return;
      void enqueue(JOB_TRIGGERS, fresh);
    },
    armedAgain() {
      if (hasActions && !isEnding) void enqueue(['on_workflow_start']);
    },
    async keepsIdle(idleMs) {
      if (!hasActions) return false;
      try {
        const actions = await client.listWorkflowActions({ params });
        return isHeldBy(actions, { doneHere: settled, canSchedule, idleMs });
      } catch {
        // Without a server this is unknown, and the conversation reports a long outage.
        return true;
      }
    },
    async end({ ofJobs }) {
      isEnding = true;
      await enqueue([...(ofJobs ? JOB_TRIGGERS : []), 'on_workflow_complete', 'on_worker_complete']);
    },
  };
}

/** The output of the commands of an action. */
const actionLogOf = ({ workflowId, runId, outputDir }: RunFacts, id: number, nodeId: number): string =>
  `${outputDir}/action_wf${workflowId}_a${id}_r${runId}_n${nodeId}.log`;
