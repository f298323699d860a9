import { describe, expect, it, test } from 'vitest';
import type { WorkflowAction } from '../../core/contract/scheduling.ts';
import { deedOf, isHeldBy } from './choose.ts';

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

describe('an idle runner is not kept by', () => {
  test.each<[string, WorkflowAction[]]>([
    ['no actions', []],
    ['one that was carried out', [action({ executed: true })]],
    ['one of the start', [action({ trigger_type: 'on_workflow_start' })]],
    ['one of workers', [action({ trigger_type: 'on_worker_start' }), action({ trigger_type: 'on_worker_complete' })]],
    ['one of the end', [action({ trigger_type: 'on_workflow_complete' })]],
    ['one for another scheduler', [action({ action_config: { scheduler_type: 'local' } })]],
    ['one that says no scheduler', [action({ action_config: {} })]],
    ['one of a type that nobody knows', [action({ action_type: 'send_mail' })]],
    ['one without an id', [action({ id: undefined })]],
  ])('%s', (_, actions) => {
    expect(held(actions)).toBe(false);
  });

  it('one that submits allocations, where none can be submitted', () => {
    expect(held([action()], { canSchedule: false })).toBe(false);
    expect(held([action(commands)], { canSchedule: false })).toBe(true);
  });
});

describe('an idle runner is kept by', () => {
  it('one of jobs whose trigger has come, wherever it stands in the list', () => {
    expect(held([action()])).toBe(true);
    expect(held([action({ trigger_type: 'on_jobs_complete' })])).toBe(true);
    expect(
      held([action({ executed: true }), action({ id: 2, trigger_type: 'on_worker_start' }), action({ id: 3 })]),
    ).toBe(true);
    expect(held([action({ trigger_count: 3 })])).toBe(true);
  });

  it('one whose trigger has not come, for two minutes', () => {
    const untriggered = [action({ trigger_count: 1, required_triggers: 2 })];
    expect(held(untriggered, { idleMs: 0 })).toBe(true);
    expect(held(untriggered, { idleMs: 2 * MINUTE_MS - 1 })).toBe(true);
    expect(held(untriggered, { idleMs: 2 * MINUTE_MS })).toBe(false);
  });

  it('one for every runner until this one has carried it out, whoever else has', () => {
    const persistent = [action({ persistent: true, executed: true })];
    expect(held(persistent)).toBe(true);
    expect(held(persistent, { doneHere: [1] })).toBe(false);
  });
});

describe('what an action does', () => {
  it('is running its commands', () => {
    expect(deedOf(action(commands), false)).toEqual({ kind: 'run_commands', commands: ['true'] });
  });

  it('is submitting one allocation, or as many as it says', () => {
    expect(deedOf(action(), true)).toEqual({
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
    expect(deedOf(action({ action_config: config }), true)).toEqual({
      kind: 'schedule_nodes',
      request: { schedulerId: 4, allocations: 3, startOneWorkerPerNode: true, maxParallelJobs: 2 },
    });
  });

  it('is nothing that this runner could do, where it is something else', () => {
    expect(deedOf(action({ action_type: 'send_mail' }), true)).toBeUndefined();
    expect(deedOf(action({ ...commands, action_config: null }), true)).toBeUndefined();
  });
});
