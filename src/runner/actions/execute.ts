import { resolve } from 'node:path';
import type { Client } from '../../client/client.ts';
import type { WorkflowAction } from '../../core/contract/scheduling.ts';
import type { Shells } from '../launch/shell.ts';
import type { CurrentRun } from '../ledger/current-run.ts';
import type { RunFacts } from '../facts/run-facts.ts';
import { runVariables } from '../step/request.ts';
import type { ActionWork } from './choose.ts';
import type { ActionClaims } from './claims.ts';
import type { Scheduling } from '../facts/scheduling.ts';
import { stateVariables } from './state-variables.ts';

export interface ExecuteOptions {
  readonly client: Client;
  readonly run: CurrentRun;
  readonly nodeId: number;
  readonly shells: Shells;
  readonly scheduling: Scheduling | undefined;
  readonly claims: Pick<ActionClaims, 'reportEnd'>;
}

/** Executes an action that this runner has claimed, and reports its end. */
export type Execute = (action: WorkflowAction & { readonly id: number }, planned: ActionWork) => Promise<void>;

export function createExecute({ client, run, nodeId, shells, scheduling, claims }: ExecuteOptions): Execute {
  const { ledger, log } = run;
  const runCommands = async (commands: readonly string[], output: string): Promise<string | undefined> => {
    // The commands run in the output directory, where a relative path to it would be wrong.
    const cwd = resolve(run.outputDir);
    const variables = [...runVariables({ ...run, outputDir: cwd }), ...(await stateVariables(client, run.workflowId))];
    for (const script of commands) {
      const end = await shells.run({ script, cwd, variables, output });
      if (end !== undefined) return `${end} of ${script}`;
    }
    return undefined;
  };

  /** Why it failed; undefined if it did not. */
  const perform = async (id: number, planned: ActionWork, output: string): Promise<string | undefined> => {
    if (planned.kind === 'run_commands') return runCommands(planned.commands, output);
    try {
      await scheduling?.schedule(planned.request, id);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };

  return async (action, planned) => {
    const output = actionLogOf(run, action.id, nodeId);
    const about = {
      workflow_id: run.workflowId,
      action_id: action.id,
      trigger: action.trigger_type,
      action: action.action_type,
      output: planned.kind === 'run_commands' ? output : undefined,
    };
    // The process was killed, the ledger does not contain the action, and the next runner makes it available again.
    if (shells.isOver) {
      await claims.reportEnd(action.id, 'not_started');
      return;
    }
    ledger.action(action.id, 'begin');
    log.write('info', 'Action started', about);
    const failure = await perform(action.id, planned, output);
    ledger.action(action.id, 'end');
    await claims.reportEnd(action.id, failure === undefined ? 'done' : 'failed');
    if (failure === undefined) log.write('info', 'Action finished', about);
    else log.write('warn', 'Action failed; its remaining commands are skipped', { ...about, reason: failure });
  };
}

/** The output of the commands of an action. */
const actionLogOf = ({ workflowId, runId, outputDir }: RunFacts, id: number, nodeId: number): string =>
  `${outputDir}/action_wf${workflowId}_a${id}_r${runId}_n${nodeId}.log`;
