import { signalCalled } from './signal.ts';
import type { ExecutionConfig } from '../contract/workflow.ts';

type Setting = keyof ExecutionConfig;
/** The configuration as files and requests contain it: an absent field or null means not set. */
type Config = { readonly [S in Setting]?: ExecutionConfig[S] | undefined };

/** A problem with one setting. */
export interface Fault {
  readonly setting: Setting;
  readonly message: string;
}

const DIRECT_ONLY: readonly (readonly [Setting, string])[] = [
  ['limit_resources', 'Slurm mode requires resource limits for correct srun behavior.'],
  ['limit_cpus', 'In slurm mode, Slurm limits the CPUs of a step.'],
  ['hide_gpus', 'In slurm mode, a step that asked for no GPU sees none.'],
  ['termination_signal', 'In slurm mode, use srun_termination_signal instead.'],
  ['sigterm_lead_seconds', 'In slurm mode, termination timing is controlled by srun_termination_signal.'],
  ['oom_exit_code', 'In slurm mode, Slurm manages OOM detection.'],
];

const SLURM_ONLY: readonly (readonly [Setting, string])[] = [
  ['srun_termination_signal', 'In direct mode, use termination_signal instead.'],
  ['enable_cpu_bind', 'It has no effect in direct mode.'],
  ['step_batching', 'It has no effect in direct mode.'],
];

/** Settings that only repeat the fixed behaviour of the other mode are accepted. */
const harmless: { readonly [S in Setting]?: boolean } = {
  limit_resources: true,
  limit_cpus: false,
  hide_gpus: true,
  enable_cpu_bind: false,
  step_batching: false,
};

/** The settings that belong to the other mode. They are refused, not ignored, because the user relies on them. */
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

/** What applies where a workflow does not set it. The reference of workflow files states these values. */
export const standardExecution = {
  termination_signal: 'SIGTERM',
  sigterm_lead_seconds: 30,
  sigkill_headroom_seconds: 60,
  timeout_exit_code: 152,
  oom_exit_code: 137,
} as const satisfies { readonly [S in Checked]: Value };

/** What makes a value useless; the standard value then takes its place. */
const CHECKS: readonly (readonly [Checked, (value: Value) => string | undefined])[] = [
  [
    'termination_signal',
    (value) => (signalCalled(String(value)) === undefined ? 'expected a signal such as SIGTERM or SIGINT' : undefined),
  ],
  ['sigterm_lead_seconds', seconds],
  ['sigkill_headroom_seconds', seconds],
  ['timeout_exit_code', exitCode],
  ['oom_exit_code', exitCode],
];

/**
 * Settings with an invalid value. Torc 1.0.0 accepts such values; here the default applies, and the user gets a
 * warning.
 */
export function uselessSettings(config: Config): Fault[] {
  return CHECKS.flatMap(([setting, faultOf]) => {
    const value = config[setting];
    const fault = value === undefined || value === null ? undefined : faultOf(value);
    if (fault === undefined) return [];
    return [{ setting, message: `${setting} is ${value}: ${fault}; ${standardExecution[setting]} is used instead` }];
  });
}

/** The time between the signal and the kill of jobs, and the time between that and the runner's own end. */
export const terminationOf = ({
  sigterm_lead_seconds: lead,
  sigkill_headroom_seconds: headroom,
}: ExecutionConfig): { leadSeconds: number; headroomSeconds: number } => ({
  leadSeconds: lead ?? standardExecution.sigterm_lead_seconds,
  headroomSeconds: headroom ?? standardExecution.sigkill_headroom_seconds,
});

/** Whether inputs are compared by their contents; otherwise by time and size. */
export const comparesContents = ({ rerun }: Pick<ExecutionConfig, 'rerun'>): boolean => rerun === 'content';
