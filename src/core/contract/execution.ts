import { signalCalled } from './signal.ts';
import type { ExecutionConfig } from './workflow.ts';

type Setting = keyof ExecutionConfig;
/** As files and requests have it: what is absent or null is not set. */
type Config = { readonly [S in Setting]?: ExecutionConfig[S] | undefined };

/** Something that is wrong with one setting. */
export interface Fault {
  readonly setting: Setting;
  readonly message: string;
}

const DIRECT_ONLY: readonly (readonly [Setting, string])[] = [
  ['limit_resources', 'Slurm mode requires resource limits for correct srun behavior.'],
  ['termination_signal', 'In slurm mode, use srun_termination_signal instead.'],
  ['sigterm_lead_seconds', 'In slurm mode, termination timing is controlled by srun_termination_signal.'],
  ['oom_exit_code', 'In slurm mode, Slurm manages OOM detection.'],
];

const SLURM_ONLY: readonly (readonly [Setting, string])[] = [
  ['srun_termination_signal', 'In direct mode, use termination_signal instead.'],
  ['enable_cpu_bind', 'It has no effect in direct mode.'],
];

/** What only repeats how the other mode works anyway does no harm. */
const harmless: { readonly [S in Setting]?: boolean } = { limit_resources: true, enable_cpu_bind: false };

/** The settings that belong to the other mode. They are refused, not ignored: somebody counts on them. */
export function misplacedSettings(config: Config, mode: 'direct' | 'slurm'): Fault[] {
  const isSlurm = mode === 'slurm';
  return (isSlurm ? DIRECT_ONLY : SLURM_ONLY).flatMap(([setting, instead]) => {
    const value = config[setting];
    if (value === undefined || value === null || value === harmless[setting]) return [];
    return [{ setting, message: `${setting} is only supported in ${isSlurm ? 'direct' : 'slurm'} mode. ${instead}` }];
  });
}

type Checked =
  | 'termination_signal'
  | 'sigterm_lead_seconds'
  | 'sigkill_headroom_seconds'
  | 'timeout_exit_code'
  | 'oom_exit_code';
type Value = string | number;

const seconds = (value: Value) => (typeof value === 'number' && value < 0 ? 'expected seconds, 0 or more' : undefined);
const exitCode = (value: Value) =>
  typeof value === 'number' && (value < 1 || value > 255) ? 'expected an exit code of 1 to 255' : undefined;

/** What makes a value of no use, and the default that takes its place. */
const CHECKS: readonly (readonly [Checked, (value: Value) => string | undefined, string | number])[] = [
  [
    'termination_signal',
    (value) => (signalCalled(String(value)) === undefined ? 'expected a signal such as SIGTERM or SIGINT' : undefined),
    'SIGTERM',
  ],
  ['sigterm_lead_seconds', seconds, 30],
  ['sigkill_headroom_seconds', seconds, 60],
  ['timeout_exit_code', exitCode, 152],
  ['oom_exit_code', exitCode, 137],
];

/**
 * Settings whose value cannot do what it is for. The original takes them and does something; here the default counts,
 * and whoever looks is told so.
 */
export function uselessSettings(config: Config): Fault[] {
  return CHECKS.flatMap(([setting, faultOf, instead]) => {
    const value = config[setting];
    const fault = value === undefined || value === null ? undefined : faultOf(value);
    if (fault === undefined) return [];
    return [{ setting, message: `${setting} is ${value}: ${fault}; ${instead} is used instead` }];
  });
}
