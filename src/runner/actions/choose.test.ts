import { describe, expect, it, test } from 'vitest';
import type { WorkflowAction } from '../../core/contract/scheduling.ts';
import { plannedActionOf, isHeldBy } from './choose.ts';

const action = (over: Partial<WorkflowAction> = {}): WorkflowAction => ({
  id: 1,
  workflow_id: 1,
  trigger_type: 'on_jobs_ready',
  action_type: 'schedule_nodes',
  action_config: { scheduler_id: 4, scheduler_type: 'slurm' },
  trigger_count: 1,
  required_triggers: 1,
  executed: false,
  persistent: false,
  ...over,
});
const commands = { action_type: 'run_commands', action_config: { commands: ['true'] } };
const MINUTE_MS = 60_000;
const held = (
  actions: readonly WorkflowAction[],
  { doneHere = [] as number[], canSchedule = true, idleMs = 10 * MINUTE_MS } = {},
) => isHeldBy(actions, { doneHere: new Set(doneHere), canSchedule, idleMs });

describe('actions that do not keep an idle runner alive', () => {
  test.each<[string, WorkflowAction[]]>([
    ['without actions', []],
    ['an executed action', [action({ executed: true })]],
    ['an action of the start', [action({ trigger_type: 'on_workflow_start' })]],
    [
      'an action of workers',
      [action({ trigger_type: 'on_worker_start' }), action({ trigger_type: 'on_worker_complete' })],
    ],
    ['an action of the end', [action({ trigger_type: 'on_workflow_complete' })]],
    ['an action for another scheduler', [action({ action_config: { scheduler_type: 'local' } })]],
    ['an action without a scheduler', [action({ action_config: {} })]],
    ['an action of an unknown type', [action({ action_type: 'send_mail' })]],
  ])('an idle runner is not kept alive: %s', (_, actions) => {
    expect(held(actions)).toBe(false);
  });

  it('an idle runner is not kept alive by an action that submits allocations if it cannot submit any', () => {
    expect(held([action()], { canSchedule: false })).toBe(false);
    expect(held([action(commands)], { canSchedule: false })).toBe(true);
  });
});

describe('actions that keep an idle runner alive', () => {
  it('an idle runner is kept alive by a due action of jobs at any position in the list', () => {
    expect(held([action()])).toBe(true);
    expect(held([action({ trigger_type: 'on_jobs_complete' })])).toBe(true);
    expect(
      held([action({ executed: true }), action({ id: 2, trigger_type: 'on_worker_start' }), action({ id: 3 })]),
    ).toBe(true);
    expect(held([action({ trigger_count: 3 })])).toBe(true);
  });

  it('an idle runner is kept alive for two minutes by an action that is not due yet', () => {
    const untriggered = [action({ trigger_count: 1, required_triggers: 2 })];
    expect(held(untriggered, { idleMs: 0 })).toBe(true);
    expect(held(untriggered, { idleMs: 2 * MINUTE_MS - 1 })).toBe(true);
    expect(held(untriggered, { idleMs: 2 * MINUTE_MS })).toBe(false);
  });

  it('an idle runner is kept alive by a persistent action until this runner has executed it', () => {
    const persistent = [action({ persistent: true, executed: true })];
    expect(held(persistent)).toBe(true);
    expect(held(persistent, { doneHere: [1] })).toBe(false);
  });
});

describe('the work of an action', () => {
  it('an action runs its commands', () => {
    expect(plannedActionOf(action(commands), false)).toEqual({ kind: 'run_commands', commands: ['true'] });
  });

  it('an action submits one allocation, or the number that it names', () => {
    expect(plannedActionOf(action(), true)).toEqual({
      kind: 'schedule_nodes',
      request: { schedulerId: 4, allocations: 1, startOneWorkerPerNode: false, maxParallelJobs: undefined },
    });
    const config = {
      scheduler_id: 4,
      scheduler_type: 'slurm',
      num_allocations: 3,
      start_one_worker_per_node: true,
      max_parallel_jobs: 2,
    };
    expect(plannedActionOf(action({ action_config: config }), true)).toEqual({
      kind: 'schedule_nodes',
      request: { schedulerId: 4, allocations: 3, startOneWorkerPerNode: true, maxParallelJobs: 2 },
    });
  });

  it('a runner does nothing for an action of another type', () => {
    expect(plannedActionOf(action({ action_type: 'send_mail' }), true)).toBeUndefined();
    expect(plannedActionOf(action({ ...commands, action_config: null }), true)).toBeUndefined();
  });
});
