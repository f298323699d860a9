import { describe, expect, it, test } from 'vitest';
import { errorsOf, planned, read } from '../../../../tests/spec/reading.ts';

const jobs = ['a', 'b_1', 'b_2'].map((name) => ({ name, command: 'x' }));
const slurm_schedulers = [{ name: 's', account: 'a' }];
const commands = { trigger_type: 'on_workflow_start', action_type: 'run_commands', commands: ['x'] };
const nodes = {
  trigger_type: 'on_workflow_start',
  action_type: 'schedule_nodes',
  scheduler: 's',
  scheduler_type: 'slurm',
};
const errors = (action: object): readonly string[] => errorsOf({ jobs, slurm_schedulers, actions: [action] });

test.each([
  [commands],
  [nodes],
  [{ ...nodes, scheduler: 'any', scheduler_type: 'local' }],
  [{ ...commands, trigger_type: 'on_worker_start' }],
  [{ ...commands, trigger_type: 'on_first_failure' }],
  [{ ...commands, trigger_type: 'on_stuck' }],
  [{ ...commands, trigger_type: 'on_worker_complete', persistent: true }],
  [{ ...commands, trigger_type: 'on_jobs_ready', jobs: ['a'] }],
  [{ ...commands, trigger_type: 'on_jobs_complete', job_name_regexes: ['^b_'] }],
])('the action %j is accepted', (action) => expect(errors(action)).toEqual([]));

test.each([
  [
    { ...commands, trigger_type: 'on_ready_jobs' },
    [
      "Action validation failed: action has unknown trigger_type 'on_ready_jobs'; valid trigger types are: on_workflow_start, on_workflow_complete, on_worker_start, on_worker_complete, on_jobs_ready, on_jobs_complete, on_first_failure, on_stuck",
    ],
  ],
  [
    { ...commands, trigger_type: 'on_jobs_ready' },
    [
      "Action validation failed: action with trigger_type 'on_jobs_ready' must specify at least one job via 'jobs' or 'job_name_regexes'",
    ],
  ],
  [
    { ...commands, trigger_type: 'on_jobs_complete', jobs: [] },
    [
      "Action validation failed: action with trigger_type 'on_jobs_complete' must specify at least one job via 'jobs' or 'job_name_regexes'",
    ],
  ],
  [{ ...commands, action_type: 'zz' }, ['Unknown action_type: zz']],
  [{ ...commands, commands: undefined }, ["run_commands action requires 'commands' field"]],
  [{ ...commands, commands: [] }, ["run_commands action requires 'commands' field"]],
  [{ ...nodes, scheduler: undefined }, ["Action validation failed: schedule_nodes action requires 'scheduler' field"]],
  [
    { ...nodes, scheduler_type: undefined },
    ["Action validation failed: schedule_nodes action requires 'scheduler_type' field"],
  ],
  [
    { ...nodes, scheduler: 'x' },
    [
      "Action validation failed: schedule_nodes action references slurm_scheduler 'x' which does not exist",
      "Action #1 (schedule_nodes) references non-existent slurm scheduler 'x'",
    ],
  ],
  [
    { ...commands, trigger_type: 'on_jobs_ready', jobs: ['x'] },
    ["Action #1 (run_commands) references non-existent job 'x'"],
  ],
  [{ ...commands, trigger_type: 'on_jobs_ready', job_name_regexes: ['^x'] }, ['Action did not match any jobs']],
])('the action %j is refused', (action, lines) => {
  const given = Object.fromEntries(Object.entries(action).filter(([, value]) => value !== undefined));
  expect(errors(given)).toEqual(lines);
});

it('an action that schedules Slurm nodes needs a scheduler', () => {
  expect(errorsOf({ jobs, actions: [nodes] })).toEqual([
    'Action validation failed: schedule_nodes action with scheduler_type=slurm requires slurm_schedulers to be defined',
    "Action #1 (schedule_nodes) references non-existent slurm scheduler 's'",
  ]);
});

it('an invalid pattern in an action is refused', () => {
  const [error] = errors({ ...commands, trigger_type: 'on_jobs_ready', job_name_regexes: ['['] });
  expect(error).toContain("Action #1 (run_commands) has invalid job_name_regexes '['");
});

it('an action has the errors at creation that Torc reports at creation', () => {
  const { problems } = read({ jobs, actions: [{ ...commands, trigger_type: 'on_jobs_ready', jobs: ['x'] }] });
  expect(problems[0]?.creation).toBe("Action references job 'x' which does not exist");
});

it('an unknown kind of scheduler causes a warning', () => {
  const { problems } = read({ jobs, actions: [{ ...nodes, scheduler_type: 'lsf' }] });
  expect(problems).toMatchObject([
    { severity: 'warning', path: 'actions[0].scheduler_type', allowed: ['slurm', 'pbs', 'local'] },
  ]);
});

describe('the jobs of an action', () => {
  it('the jobs of an action are those that it names and those that match its patterns, each once', () => {
    const action = { ...commands, trigger_type: 'on_jobs_ready', jobs: ['b_2', 'b_2'], job_name_regexes: ['^b', 'a'] };
    expect(planned({ jobs, actions: [action] }).actions[0]?.jobs).toEqual(Int32Array.of(2, 1, 0));
  });

  it('an action whose trigger concerns no jobs has none', () => {
    expect(planned({ jobs, actions: [commands] }).actions[0]?.jobs).toHaveLength(0);
  });
});
