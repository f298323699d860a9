import { expect, it } from 'vitest';
import type { KnownWorkflow } from '../../contract/known.ts';
import type { WorkflowAction } from '../../contract/scheduling.ts';
import { nextCommand } from './next-command.ts';
import { placeOf } from './place.ts';

const next = (trigger: string, due: boolean) => {
  const action: WorkflowAction = {
    id: 1,
    workflow_id: 7,
    trigger_type: trigger,
    action_type: 'schedule_nodes',
    action_config: { scheduler_type: 'slurm', scheduler_id: 1 },
    trigger_count: due ? 1 : 0,
    required_triggers: 1,
  };
  const known = { workflow: { id: 7 }, slurm_schedulers: [{ id: 1 }], remote_workers: [], actions: [action] };
  return nextCommand(placeOf(known as unknown as KnownWorkflow));
};

it.each(['on_workflow_start', 'on_jobs_ready', 'on_jobs_complete', 'on_first_failure'])(
  'an action of %s that is due is one for torc submit',
  (trigger) => {
    expect(next(trigger, true)).toBe('torc submit 7');
  },
);

it('an action of the last runner, or one that is not due, is none for torc submit, which would find nothing to do', () => {
  const others = [next('on_stuck', true), next('on_workflow_complete', true), next('on_first_failure', false)];
  expect(others).toEqual(Array(3).fill('torc recover 7'));
});
