import { describe, expect, it, test } from 'vitest';
import { misplacedSettings, uselessSettings } from './execution.ts';
import { ExecutionConfig } from '../contract/workflow.ts';

/** Every setting with a valid value, and the modes that have it. */
const modes = {
  mode: ['direct', 'both'],
  limit_resources: [false, 'direct'],
  limit_cpus: [true, 'direct'],
  hide_gpus: [false, 'direct'],
  termination_signal: ['SIGINT', 'direct'],
  sigterm_lead_seconds: [30, 'direct'],
  oom_exit_code: [137, 'direct'],
  sigkill_headroom_seconds: [60, 'both'],
  timeout_exit_code: [152, 'both'],
  srun_termination_signal: ['TERM@120', 'slurm'],
  enable_cpu_bind: [true, 'slurm'],
  srun_mpi: ['pmix', 'both'],
  staggered_start: [true, 'both'],
  step_batching: [true, 'slurm'],
  timeout: ['PT1H', 'both'],
  timeout_by: ['runtime', 'both'],
  stale_outputs: ['fail', 'both'],
  rerun: ['content', 'both'],
  pipefail: [true, 'both'],
  stdio: [{ mode: 'combined' }, 'both'],
  job_stdio_overrides: [{}, 'both'],
} as const satisfies { readonly [S in keyof ExecutionConfig]-?: readonly [unknown, 'direct' | 'slurm' | 'both'] };

describe('settings of the other execution mode', () => {
  test.each(Object.entries(modes))(
    'the setting %s is refused in the mode that does not have it',
    (setting, [value, where]) => {
      const config = { [setting]: value } as ExecutionConfig;
      const names = (mode: 'direct' | 'slurm') => misplacedSettings(config, mode).map((each) => each.setting);
      expect(names('direct')).toEqual(where === 'slurm' ? [setting] : []);
      expect(names('slurm')).toEqual(where === 'direct' ? [setting] : []);
    },
  );

  it('a setting that only repeats a fixed value of the mode, or that is not set, is accepted', () => {
    expect(misplacedSettings({ limit_resources: true, termination_signal: null }, 'slurm')).toEqual([]);
    expect(misplacedSettings({ enable_cpu_bind: false, srun_termination_signal: undefined }, 'direct')).toEqual([]);
  });

  it('the table of this test contains every setting', () => {
    expect(Object.keys(modes).toSorted()).toEqual(Object.keys(ExecutionConfig.shape).toSorted());
  });
});

test('the execution mode is one of three words, and any other word is refused', () => {
  for (const mode of ['direct', 'slurm', 'auto']) expect(ExecutionConfig.safeParse({ mode }).success).toBe(true);
  for (const mode of ['srun', 'Direct', '', 1]) expect(ExecutionConfig.safeParse({ mode }).success).toBe(false);
});

describe('an invalid value of a setting is replaced by its default', () => {
  test.each([
    [
      { termination_signal: 'SIGFOO' },
      'termination_signal is SIGFOO: expected a signal such as SIGTERM or SIGINT; SIGTERM is used instead',
    ],
    [{ sigterm_lead_seconds: -1 }, 'sigterm_lead_seconds is -1: expected seconds, 0 or more; 30 is used instead'],
    [
      { sigkill_headroom_seconds: -5 },
      'sigkill_headroom_seconds is -5: expected seconds, 0 or more; 60 is used instead',
    ],
    [{ timeout_exit_code: 0 }, 'timeout_exit_code is 0: expected an exit code of 1 to 255; 152 is used instead'],
    [{ oom_exit_code: 300 }, 'oom_exit_code is 300: expected an exit code of 1 to 255; 137 is used instead'],
  ])('an invalid value such as in %j is reported with its replacement', (config, message) => {
    expect(uselessSettings(config).map((fault) => fault.message)).toEqual([message]);
  });

  test.each([
    [{ termination_signal: 'SIGINT' }],
    [{ termination_signal: 'usr1' }],
    [{ sigterm_lead_seconds: 0, sigkill_headroom_seconds: 0 }],
    [{ timeout_exit_code: 1, oom_exit_code: 255 }],
    [{ termination_signal: null }],
    [{}],
  ])('a valid value such as in %j is not reported', (config) => expect(uselessSettings(config)).toEqual([]));
});
