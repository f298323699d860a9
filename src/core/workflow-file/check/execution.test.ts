import { describe, expect, it, test } from 'vitest';
import { codesOf, errorsOf, planned, read } from '../../../../tests/spec/reading.ts';

const errors = (config: object, more: object = {}): readonly string[] =>
  errorsOf({ execution_config: config, ...more });
const scheduler = { slurm_schedulers: [{ name: 's', account: 'a' }] };
const worker = {
  ...scheduler,
  actions: [
    {
      trigger_type: 'on_workflow_start',
      action_type: 'schedule_nodes',
      scheduler: 's',
      scheduler_type: 'slurm',
      start_one_worker_per_node: true,
    },
  ],
};

const ONLY_DIRECT = 'is only supported in direct mode. ';
const ONLY_SLURM = 'is only supported in slurm mode. ';
const LEAD = `sigterm_lead_seconds ${ONLY_DIRECT}In slurm mode, termination timing is controlled by srun_termination_signal.`;

describe('a setting of the other mode is refused', () => {
  test.each([
    [
      { mode: 'slurm', limit_resources: false },
      [`limit_resources ${ONLY_DIRECT}Slurm mode requires resource limits for correct srun behavior.`],
    ],
    [
      { mode: 'slurm', termination_signal: 'SIGTERM' },
      [`termination_signal ${ONLY_DIRECT}In slurm mode, use srun_termination_signal instead.`],
    ],
    [{ mode: 'slurm', sigterm_lead_seconds: 30 }, [LEAD]],
    [
      { mode: 'slurm', oom_exit_code: 137 },
      [`oom_exit_code ${ONLY_DIRECT}In slurm mode, Slurm manages OOM detection.`],
    ],
    [
      { srun_termination_signal: 'TERM@120' },
      [`srun_termination_signal ${ONLY_SLURM}In direct mode, use termination_signal instead.`],
    ],
    [{ mode: 'direct', enable_cpu_bind: true }, [`enable_cpu_bind ${ONLY_SLURM}It has no effect in direct mode.`]],
  ])('the setting %j of the other mode is refused', (config, lines) => expect(errors(config)).toEqual(lines));

  it('each of several settings of the other mode is refused', () => {
    expect(errors({ mode: 'slurm', sigterm_lead_seconds: 1, oom_exit_code: 1 })).toHaveLength(2);
  });
});

test.each([
  [{ mode: 'slurm', limit_resources: true }],
  [
    {
      mode: 'slurm',
      timeout_exit_code: 1,
      sigkill_headroom_seconds: 1,
      srun_termination_signal: 'TERM@60',
      enable_cpu_bind: true,
    },
  ],
  [{ enable_cpu_bind: false }],
  [{ limit_resources: false, termination_signal: 'SIGFOO', sigterm_lead_seconds: -1, oom_exit_code: 300 }],
  [{ job_stdio_overrides: { unknown: { mode: 'none' } } }],
  [{}],
])('the setting %j is accepted', (config) => expect(errors(config)).toEqual([]));

it('an invalid value of a setting causes a warning at its place', () => {
  const codes = (config: object) => codesOf(read({ execution_config: config }));
  expect(codes({ termination_signal: 'SIGFOO', sigterm_lead_seconds: -1 })).toEqual([
    'SETTING_USELESS execution_config.termination_signal',
    'SETTING_USELESS execution_config.sigterm_lead_seconds',
  ]);
  expect(codes({ termination_signal: 'SIGINT', sigterm_lead_seconds: 1 })).toEqual([]);
});

describe('a resource_monitor that does not say whether jobs are measured', () => {
  const warnings = (config: object) => read({ resource_monitor: config }).problems.map(({ message }) => message);

  it.each([
    [{ sample_interval_seconds: 5 }],
    [{ generate_plots: true }],
    [{ granularity: 'time_series' }],
    [{ jobs: { granularity: 'time_series' }, compute_node: { enabled: true } }],
  ])('%j has a warning, because it turns measuring and memory limits off', (config) => {
    expect(warnings(config)).toEqual([expect.stringContaining('no job is measured, and no memory limit is enforced')]);
  });

  it.each([
    [{ sample_interval_seconds: 5, jobs: { enabled: true } }],
    [{ sample_interval_seconds: 5, jobs: { enabled: false } }],
    [{ enabled: true, granularity: 'time_series' }],
    [{ sonar: true }],
    [{ compute_node: { enabled: true } }],
    [{}],
  ])('%j has none', (config) => expect(warnings(config)).toEqual([]));
});

it('auto follows the rules of slurm where there is a scheduler, otherwise those of direct', () => {
  expect(errors({ mode: 'auto', sigterm_lead_seconds: 1 }, scheduler)).toEqual([LEAD]);
  expect(errors({ mode: 'auto', sigterm_lead_seconds: 1 })).toEqual([]);
  expect(errors({ mode: 'auto', sigterm_lead_seconds: 1 }, { slurm_schedulers: [] })).toEqual([]);
});

describe('one worker per node', () => {
  it.each([[{}], [{ mode: 'direct' }]])('one worker per node is accepted with %j', (config) =>
    expect(errors(config, worker)).toEqual([]),
  );

  it.each(['slurm', 'auto'])('one worker per node is refused in mode %s', (mode) => {
    expect(errors({ mode }, worker)).toEqual([
      "start_one_worker_per_node requires execution_config.mode to be 'direct'",
    ]);
  });
});

describe('srun_mpi', () => {
  const needsWorkers = 'srun_mpi requires schedule_nodes.start_one_worker_per_node = true in direct mode';

  it.each(['none', 'pmix', 'pmix_v4.1+x'])('srun_mpi "%s" is accepted with one worker per node', (mpi) => {
    expect(errors({ srun_mpi: mpi }, worker)).toEqual([]);
  });

  it('srun_mpi is refused without one worker per node', () => {
    expect(errors({ srun_mpi: 'pmix' })).toEqual([needsWorkers]);
    expect(errors({ mode: 'slurm', srun_mpi: 'pmix' })).toEqual([needsWorkers]);
  });

  it.each([' pmix ', 'a;b'])('srun_mpi "%s" is refused because it is not a single safe word', (mpi) => {
    expect(errors({ srun_mpi: mpi }, worker)[0]).toContain('single safe token');
  });

  it.each(['', '   '])('srun_mpi "%s" is refused because it is empty', (mpi) => {
    expect(errors({ srun_mpi: mpi }, worker)[0]).toContain('srun_mpi must not be empty when provided');
    expect(errors({ srun_mpi: mpi })).toHaveLength(2);
  });
});

describe('the stored execution settings', () => {
  const stored = (config: object | undefined, job: object = {}) =>
    planned({
      ...(config && { execution_config: config }),
      jobs: [{ name: 'j_{i}', command: 'x', parameters: { i: '1:2' }, ...job }],
    }).executionConfig();

  it.each([[undefined], [{}], [{ mode: 'direct' }]])('no execution settings are stored for %j', (config) =>
    expect(stored(config)).toBeUndefined(),
  );

  it.each([[{ limit_resources: true }], [{ stdio: {} }], [{ mode: 'slurm' }]])(
    'the settings of %j are stored with the mode',
    (config) => {
      expect(stored(config)).toEqual({ mode: 'direct', ...config });
    },
  );

  it('the stored settings contain the output settings of each instance, before overrides that name it', () => {
    const stdio = { mode: 'none' };
    const overrides = { j_1: { mode: 'combined' }, other: { mode: 'combined' } };
    expect(stored({ job_stdio_overrides: overrides }, { stdio })).toEqual({
      mode: 'direct',
      job_stdio_overrides: { j_1: stdio, j_2: stdio, other: { mode: 'combined' } },
    });
    expect(stored(undefined, { stdio })).toMatchObject({ mode: 'direct', job_stdio_overrides: { j_1: stdio } });
  });
});
