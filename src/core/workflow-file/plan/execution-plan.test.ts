import { describe, expect, it, test } from 'vitest';
import { planned } from '../../../../tests/spec/reading.ts';
import { executionPlan } from './execution-plan.ts';

const job = (name: string, ...depends_on: string[]) => ({ name, command: 'x', depends_on });
const plan = (spec: object) => executionPlan(planned(spec));

it('a plan has an event for the start and one for each group of jobs with dependents', () => {
  expect(plan({ name: 'w', jobs: [job('a'), job('b', 'a'), job('c', 'a'), job('d', 'b', 'c')] })).toEqual({
    status: 'success',
    source: 'spec_file',
    workflow_name: 'w',
    total_events: 3,
    total_jobs: 4,
    root_events: ['start'],
    leaf_events: ['after_b_and_1_more'],
    events: [
      {
        id: 'start',
        trigger: { type: 'WorkflowStart' },
        trigger_description: 'Workflow Start',
        scheduler_allocations: [],
        jobs_becoming_ready: ['a'],
        depends_on_events: [],
        unlocks_events: ['after_a'],
      },
      {
        id: 'after_a',
        trigger: { type: 'JobsComplete', data: { jobs: ['a'] } },
        trigger_description: "When job 'a' completes",
        scheduler_allocations: [],
        jobs_becoming_ready: ['b', 'c'],
        depends_on_events: ['start'],
        unlocks_events: ['after_b_and_1_more'],
      },
      {
        id: 'after_b_and_1_more',
        trigger: { type: 'JobsComplete', data: { jobs: ['b', 'c'] } },
        trigger_description: "When jobs 'b', 'c' complete",
        scheduler_allocations: [],
        jobs_becoming_ready: ['d'],
        depends_on_events: ['after_a'],
        unlocks_events: [],
      },
    ],
  });
});

it('a plan has six events for two branches that join, by files', () => {
  const branch = (x: string) => [
    { name: `prep_${x}`, command: 'x', output_files: [`in_${x}`] },
    {
      name: `work_${x}_{i}`,
      command: 'x',
      input_files: [`in_${x}`],
      output_files: [`out_${x}_{i}`],
      parameters: { i: '1:5' },
    },
    { name: `post_${x}`, command: 'x', input_file_regexes: [`^out_${x}_`], output_files: [`end_${x}`] },
  ];
  const files = ['a', 'b'].flatMap((x) => [
    { name: `in_${x}`, path: `in_${x}` },
    { name: `out_${x}_{i}`, path: 'o_{i}', parameters: { i: '1:5' } },
    { name: `end_${x}`, path: `end_${x}` },
  ]);
  const { events, total_jobs: jobs } = plan({
    jobs: [...branch('a'), ...branch('b'), { name: 'final', command: 'x', input_files: ['end_a', 'end_b'] }],
    files,
  });
  expect(jobs).toBe(15);
  expect(events.map(({ id }) => id)).toEqual([
    'start',
    'after_prep_a',
    'after_prep_b',
    'after_work_a_jobs',
    'after_work_b_jobs',
    'after_post_jobs',
  ]);
  expect(events[3]?.trigger_description).toBe("When 5 jobs complete ('work_a_1', 'work_a_2'...)");
});

describe('an event is named after the jobs that it waits for', () => {
  test.each([
    [['a'], 'after_a'],
    [['work_1', 'work_2'], 'after_work_jobs'],
    [['work_a_1', 'work_a_2'], 'after_work_a_jobs'],
    [['ab_1', 'ab_2'], 'after_ab_1_and_1_more'],
    [['abc1', 'abc2', 'abd'], 'after_abc1_and_2_more'],
    [['x', 'y', 'z'], 'after_x_and_2_more'],
  ])('the events of %j are named: %s', (names, id) => {
    expect(plan({ jobs: [...names.map((name) => job(name)), job('end', ...names)] }).events[1]?.id).toBe(id);
  });

  it('two groups with the same name get numbers', () => {
    const stage = (k: number) => [1, 2].map((i) => `work_${k}_${i}`);
    const jobs = [1, 2].flatMap((k) => [...stage(k).map((name) => job(name)), job(`end_${k}`, ...stage(k))]);
    expect(plan({ jobs }).events.map(({ id }) => id)).toEqual(['start', 'after_work_jobs', 'after_work_jobs_2']);
  });
});

it('a plan requests allocations where actions do', () => {
  const nodes = { action_type: 'schedule_nodes', scheduler: 's', scheduler_type: 'slurm' };
  const { events } = plan({
    jobs: [job('a'), job('b', 'a'), job('c', 'a')],
    slurm_schedulers: [{ name: 's', account: 'x' }],
    actions: [
      { ...nodes, trigger_type: 'on_workflow_start' },
      { ...nodes, trigger_type: 'on_jobs_ready', jobs: ['b'], num_allocations: 2 },
      { ...nodes, trigger_type: 'on_jobs_complete', jobs: ['a'], scheduler_type: 'local' },
      { ...nodes, trigger_type: 'on_workflow_complete' },
      { trigger_type: 'on_workflow_start', action_type: 'run_commands', commands: ['x'] },
    ],
  });
  const allocation = { scheduler: 's', scheduler_type: 'slurm', num_allocations: 1, job_names: ['a'] };
  expect(events.map((event) => event.scheduler_allocations)).toEqual([
    [allocation],
    [
      { ...allocation, num_allocations: 2, job_names: ['b'] },
      { ...allocation, scheduler_type: 'local', job_names: ['b', 'c'] },
    ],
  ]);
});

it('a workflow without jobs has one event, the start', () => {
  expect(plan({})).toMatchObject({ total_events: 1, root_events: ['start'], leaf_events: ['start'] });
});

it('the plan of a sweep that is too large to read is refused', () => {
  const jobs = [{ name: 'w_{i}', command: 'x', parameters: { i: '1:1000001' } }];
  expect(() => plan({ jobs })).toThrow(expect.objectContaining({ code: 'PLAN_TOO_LARGE' }));
});
