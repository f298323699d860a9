import { expect, it } from 'vitest';
import type { Client } from '../../client/client.ts';
import type { Shells } from '../launch/shell.ts';
import type { CurrentRun } from '../ledger/current-run.ts';
import { createExecute } from './execute.ts';

const action = { id: 3, workflow_id: 1, trigger_type: 'on_workflow_start', action_type: 'run_commands' } as never;
const facts = { workflowId: 1, runId: 1, outputDir: '/tmp', variables: [] };

/** What executing these commands leads to, in its order; a command that is named as failing fails. */
async function happens(commands: readonly string[], { failing = '', isOver = false } = {}) {
  const events: string[] = [];
  const shells = {
    isOver,
    run({ script }: { script: string }) {
      events.push(`run ${script}`);
      return Promise.resolve(script === failing ? 'exit code 1' : undefined);
    },
  } as unknown as Shells;
  const execute = createExecute({
    // It is away: an action runs without knowing how the workflow stands.
    client: { getWorkflowStatus: () => Promise.reject(new Error('away')) } as unknown as Client,
    run: {
      ...facts,
      ledger: { action: (id: number, what: string) => void events.push(`${what} ${id}`) },
      log: { write: (level: string) => void events.push(level) },
    } as unknown as CurrentRun,
    nodeId: 5,
    shells,
    scheduling: undefined,
    claims: {
      reportEnd(id, outcome) {
        events.push(`${outcome} ${id}`);
        return Promise.resolve();
      },
    },
  });
  await execute(action, { kind: 'run_commands', commands });
  return events;
}

it('the ledger knows that the commands of an action begin and end before the server hears of the end', async () => {
  expect(await happens(['a', 'b'])).toEqual(['begin 3', 'info', 'run a', 'run b', 'end 3', 'done 3', 'info']);
});

it('an action ends with its first command that fails', async () => {
  expect(await happens(['a', 'b'], { failing: 'a' })).toEqual([
    'begin 3',
    'info',
    'run a',
    'end 3',
    'failed 3',
    'warn',
  ]);
});

it('an action that a killed runner had claimed is reported as not started', async () => {
  expect(await happens(['a'], { isOver: true })).toEqual(['not_started 3']);
});
