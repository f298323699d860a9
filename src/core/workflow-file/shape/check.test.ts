import { describe, expect, it, test } from 'vitest';
import { codesOf, errorsOf, planned, read, readText } from '../../../../tests/spec/reading.ts';

const messages = (spec: object): string[] => read(spec).problems.map(({ message }) => message);
const job = (more: object) => ({ jobs: [{ name: 'a', command: 'x', ...more }] });
const yaml = (job: string): string[] =>
  readText(`name: w\njobs:\n  - name: a\n    command: x\n    ${job}\n`).problems.map(({ message }) => message);

describe("a value of the wrong kind is refused with Torc's message", () => {
  test.each([
    [{ name: 123 }, 'invalid type: integer `123`, expected a string'],
    [{ name: null }, 'invalid type: null, expected a string'],
    [{ jobs: null }, 'invalid type: null, expected a sequence'],
    [{ jobs: {} }, 'invalid type: map, expected a sequence'],
    [{ jobs: ['a'] }, 'invalid type: string "a", expected struct JobSpec'],
    [{ metadata: '{"a": 1}' }, 'invalid type: string "{\\"a\\": 1}", expected a map'],
    [{ env: { A: 1 } }, 'invalid type: integer `1`, expected a string'],
    [{ env: { A: true } }, 'invalid type: boolean `true`, expected a string'],
    [{ use_pending_failed: 'yes' }, 'invalid type: string "yes", expected a boolean'],
    [job({ depends_on: 'x', name: 'x' }), 'invalid type: string "x", expected a sequence'],
    [job({ command: [] }), 'invalid type: sequence, expected a string'],
    [job({ priority: 1.5 }), 'invalid type: floating point `1.5`, expected i64'],
    [job({ priority: '3' }), 'invalid type: string "3", expected i64'],
    [{ execution_config: { mode: 'Direct' } }, 'unknown variant `Direct`, expected one of `direct`, `slurm`, `auto`'],
    [
      { resource_monitor: { granularity: 'TimeSeries' } },
      'unknown variant `TimeSeries`, expected `summary` or `time_series`',
    ],
    [
      job({ stdio: { mode: 'both' } }),
      'unknown variant `both`, expected one of `separate`, `combined`, `no_stdout`, `no_stderr`, `none`',
    ],
  ])('the value of %j is refused', (spec, message) => expect(messages(spec)[0]).toBe(message));

  it('a number with a point is refused where a whole number is expected', () => {
    expect(yaml('priority: 3.0')).toEqual(['invalid type: floating point `3.0`, expected i64']);
    expect(yaml('priority: 3')).toEqual([]);
  });
});

describe('an unknown field is refused', () => {
  test.each([
    [{ jobs_sort_method: 'x' }, 'jobs_sort_method'],
    [{ datasets: [] }, 'datasets'],
    [{ compute_node_min_time_for_new_jobs_seconds: 1 }, 'compute_node_min_time_for_new_jobs_seconds'],
    [{ '<<': {} }, '["<<"]'],
    [job({ label: 'x' }), 'jobs[0].label'],
    [{ files: [{ name: 'f', path: 'p', mtime: 1 }] }, 'files[0].mtime'],
    [{ dynamic_jobs: { rounds: 1 } }, 'dynamic_jobs.rounds'],
    [
      { actions: [{ trigger_type: 'on_workflow_start', action_type: 'run_commands', commands: ['x'], when: 1 }] },
      'actions[0].when',
    ],
    [{ execution_config: { stdio: { file: 'x' } } }, 'execution_config.stdio.file'],
  ])('the unknown field in %j is refused', (spec, path) => {
    expect(read(spec).problems).toMatchObject([{ code: 'FIELD_UNKNOWN', path, severity: 'error' }]);
  });

  it('an unknown field is refused with the list of allowed ones', () => {
    const [message] = messages({ dynamic_jobs: { rounds: 1 } });
    expect(message).toBe('unknown field `rounds`, expected `max_iterations`');
  });

  it('an unknown field in resource_monitor causes a warning, and in slurm_defaults nothing', () => {
    const { plan, problems } = read({
      resource_monitor: { enable: true, jobs: { enabled: true } },
      slurm_defaults: { qos: 'x' },
    });
    expect(problems).toMatchObject([{ severity: 'warning', path: 'resource_monitor.enable', suggestion: 'enabled' }]);
    expect(plan?.workflow.resource_monitor).toEqual({ jobs: { enabled: true } });
  });

  it('slurm_config is refused with the new place of its settings', () => {
    expect(messages({ slurm_config: {} })).toEqual([expect.stringContaining('execution_config')]);
  });
});

describe('a missing field', () => {
  test.each([
    [{ jobs: [{ command: 'x' }] }, 'missing field `name`'],
    [{ jobs: [{ name: 'a' }] }, 'missing field `command`'],
    [{ files: [{ name: 'a' }] }, 'missing field `path`'],
    [{ resource_requirements: [{ name: 'a', memory: '1g' }] }, 'missing field `num_cpus`'],
    [{ slurm_schedulers: [{ name: 'a' }] }, 'missing field `account`'],
    [{ failure_handlers: [{ name: 'a' }] }, 'missing field `rules`'],
    [{ actions: [{ action_type: 'run_commands', commands: ['x'] }] }, 'missing field `trigger_type`'],
  ])('a missing field in %j is reported once', (spec, message) => expect(messages(spec)).toEqual([message]));

  it('a missing field of the workflow itself is reported too', () => {
    expect(readText('{}').problems.map(({ message }) => message)).toEqual([
      'missing field `name`',
      'missing field `jobs`',
    ]);
  });
});

it('null means absent, an empty list is an empty list, and an empty name is a name', () => {
  const { workflow, jobs } = planned({
    name: '',
    description: null,
    execution_config: null,
    jobs: [{ name: '', command: '', env: null, depends_on: null, labels: [] }],
  });
  expect(workflow.name).toBe('');
  expect(jobs.at(0)).toMatchObject({ name: '', command: '', settings: { labels: [] } });
  expect(jobs.at(0).settings.env).toBeUndefined();
  expect(errorsOf({ jobs: [] })).toEqual([]);
});

describe('one error causes one problem', () => {
  test.each([
    ['a misspelled required field', { jobs: [{ name: 'a', comand: 'x' }] }, ['FIELD_UNKNOWN jobs[0].comand']],
    ['a misspelled field of the wrong kind', { jobs: [{ name: 'a', comand: [] }] }, ['FIELD_UNKNOWN jobs[0].comand']],
    [
      'a misspelled name that others refer to',
      {
        jobs: [
          { nmae: 'a', command: 'x' },
          { name: 'b', command: 'x', depends_on: ['a'] },
        ],
      },
      ['FIELD_UNKNOWN jobs[0].nmae'],
    ],
    [
      'a number as a name that others refer to',
      {
        jobs: [
          { name: 1, command: 'x' },
          { name: 'b', command: 'x', depends_on: ['1'] },
        ],
      },
      ['TYPE_WRONG jobs[0].name'],
    ],
    [
      'a job that is not an object, which others refer to',
      { jobs: ['a', { name: 'b', command: 'x', depends_on: ['a'], depends_on_regexes: ['^a'] }] },
      ['TYPE_WRONG jobs[0]'],
    ],
    [
      'a list of files that is not a list',
      { files: 'f', jobs: [{ name: 'b', command: 'cat ${files.input.f}', input_files: ['f'] }] },
      ['TYPE_WRONG files'],
    ],
    [
      'schedulers that cannot be read',
      {
        slurm_schedulers: 's',
        jobs: [{ name: 'b', command: 'x', scheduler: 's' }],
        actions: [
          { trigger_type: 'on_workflow_start', action_type: 'schedule_nodes', scheduler: 's', scheduler_type: 'slurm' },
        ],
      },
      ['TYPE_WRONG slurm_schedulers'],
    ],
    [
      'two jobs without a name',
      { jobs: [{ command: 'x' }, { command: 'x' }] },
      ['FIELD_MISSING jobs[0].name', 'FIELD_MISSING jobs[1].name'],
    ],
    [
      'a memory that is a number',
      { resource_requirements: [{ name: 'r', num_cpus: 1, memory: [] }] },
      ['TYPE_WRONG resource_requirements[0].memory'],
    ],
    [
      'an action whose types cannot be read',
      { actions: [{ trigger_type: [], action_type: {} }] },
      ['TYPE_WRONG actions[0].trigger_type', 'TYPE_WRONG actions[0].action_type'],
    ],
  ])('one error causes one problem: %s', (_what, spec, codes) => expect(codesOf(read(spec))).toEqual(codes));
});

it('an old field without effect is reported and accepted', () => {
  const { plan, problems } = read({ compute_node_expiration_buffer_seconds: 60 });
  expect(plan).toBeDefined();
  expect(problems).toMatchObject([{ code: 'FIELD_IGNORED', severity: 'warning' }]);
});

it('data that JSON cannot represent causes a warning', () => {
  const { plan, problems } = readText(
    'name: w\njobs: []\nuser_data:\n  - name: u\n    data: {id: 9007199254740993, x: 1.0}\n',
  );
  expect(problems).toMatchObject([{ code: 'NUMBER_INEXACT', path: 'user_data[0].data.id', line: 5, column: 16 }]);
  expect(plan?.userData.at(0).data).toEqual({ id: 9007199254740992, x: 1 });
});
