import { describe, expect, it } from 'vitest';
import { readText, report } from '../../../../tests/spec/reading.ts';
import { dryRunReport } from './dry-run.ts';

it('a dry run counts the records of a file before and after expansion, and names the workflow', () => {
  const slurm_schedulers = [{ name: 's', account: 'a' }, { account: 'b' }];
  const nodes = { action_type: 'schedule_nodes', scheduler: 's', scheduler_type: 'slurm' };
  expect(
    report({
      name: 'sweep',
      jobs: [{ name: 'job_{i:03d}', command: 'x', parameters: { i: '1:3' } }],
      files: [{ name: 'f_{i}', path: 'f', parameters: { i: '1:2' } }],
      user_data: [{ name: 'u_{i}', parameters: { i: '1:4' } }],
      resource_requirements: [{ name: 'r', num_cpus: 1, memory: '1g' }],
      slurm_schedulers,
      actions: [{ ...nodes, trigger_type: 'on_workflow_start' }],
    }),
  ).toEqual({
    valid: true,
    errors: [],
    warnings: [],
    problems: [],
    summary: {
      workflow_name: 'sweep',
      workflow_description: null,
      job_count: 3,
      job_count_before_expansion: 1,
      file_count: 2,
      file_count_before_expansion: 1,
      user_data_count: 4,
      resource_requirements_count: 1,
      slurm_scheduler_count: 2,
      action_count: 1,
      has_schedule_nodes_action: true,
      job_names: ['job_001', 'job_002', 'job_003'],
      scheduler_names: ['s'],
    },
  });
});

describe('an action that schedules nodes', () => {
  const has = (trigger: string, more: object = {}): boolean =>
    report({
      jobs: [{ name: 'a', command: 'x' }],
      actions: [
        { trigger_type: trigger, action_type: 'schedule_nodes', scheduler: 's', scheduler_type: 'local', ...more },
      ],
    }).summary.has_schedule_nodes_action;

  it('an action that schedules nodes counts at the start and when jobs are ready or complete', () => {
    expect(has('on_workflow_start')).toBe(true);
    expect(has('on_jobs_ready', { jobs: ['a'] })).toBe(true);
    expect(has('on_jobs_complete', { jobs: ['a'] })).toBe(true);
  });

  it('an action that schedules nodes does not count at the end, nor does one that runs commands', () => {
    expect(has('on_workflow_complete')).toBe(false);
    expect(has('on_workflow_start', { action_type: 'run_commands', commands: ['x'] })).toBe(false);
    expect(report({}).summary.has_schedule_nodes_action).toBe(false);
  });
});

it('a dry run of an unreadable file has counts of 0, but the name of the workflow', () => {
  const { valid, errors, summary } = dryRunReport(readText('name: w\ndescription: d\njobs:\n  - name: a\nfiles: 5\n'));
  expect(valid).toBe(false);
  expect(errors).toEqual([
    'Failed to parse specification file: missing field `command`',
    'Failed to parse specification file: invalid type: integer `5`, expected a sequence',
  ]);
  expect(summary).toMatchObject({
    workflow_name: 'w',
    workflow_description: 'd',
    job_count: 0,
    job_count_before_expansion: 0,
    job_names: [],
  });
});

it('a dry run separates warnings from errors, except for resources', () => {
  const jobs = [{ name: 'a', command: 'x ${user_data.input.u}', resource_requirements: 'r', scheduler: 's' }];
  const requirements = [{ name: 'r', num_cpus: 1, memory: '2g' }];
  const { valid, errors, warnings } = report({
    jobs,
    user_data: [{ name: 'u' }],
    resource_requirements: requirements,
    slurm_schedulers: [{ name: 's', account: 'a', mem: '1g' }],
  });
  expect(valid).toBe(false);
  expect(errors).toEqual(["Job 'a': memory '2g' exceeds scheduler 's' mem '1g'"]);
  expect(warnings).toEqual([
    expect.stringContaining('flow.yaml: warning: jobs[0].command: ${user_data.input.u} stays as it is'),
  ]);
});

it('a dry run refuses to list more names than a report can contain', () => {
  const { valid, summary } = report({ jobs: [{ name: 'w_{i}', command: 'x', parameters: { i: '1:2000001' } }] });
  expect([valid, summary.job_count]).toEqual([true, 2_000_001]);
  expect(() => summary.job_names).toThrow(expect.objectContaining({ code: 'PLAN_TOO_LARGE' }));
});
