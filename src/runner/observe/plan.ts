import type { ExecutionConfig, Workflow } from '../../core/contract/workflow.ts';
import {
  FLUSH_SECONDS,
  keepsSamples,
  monitorsJobs,
  SAMPLE_SECONDS,
} from '../../core/lifecycle/resources/job-monitoring.ts';

/** The measurements of a node. */
export interface NodePlan {
  readonly isTimeSeries: boolean;
  readonly cpu: boolean;
  readonly memory: boolean;
}

/** The measurements in a run, as its workflow requests them. */
export interface MonitorPlan {
  /** Undefined if jobs are not monitored. */
  readonly jobs: { readonly isTimeSeries: boolean } | undefined;
  readonly node: NodePlan | undefined;
  readonly sampleSeconds: number;
  readonly flushSeconds: number;
  readonly generatePlots: boolean;
  /** Whether jobs are killed that exceed their memory limit. */
  readonly limitsMemory: boolean;
}

/**
 * Reads the monitoring configuration of a workflow. Throws with the name of the field if an interval is not positive.
 */
export function monitorPlanOf({
  resource_monitor_config: config,
  execution_config: execution,
}: Pick<Workflow, 'resource_monitor_config' | 'execution_config'>): MonitorPlan {
  const { compute_node: node } = config ?? {};
  const isOn = monitorsJobs(config);
  return {
    jobs: isOn ? { isTimeSeries: keepsSamples(config) } : undefined,
    node:
      node?.enabled === true
        ? { isTimeSeries: node.granularity === 'time_series', cpu: node.cpu ?? true, memory: node.memory ?? true }
        : undefined,
    sampleSeconds: positive('sample_interval_seconds', config?.sample_interval_seconds, SAMPLE_SECONDS),
    flushSeconds: positive('flush_interval_seconds', config?.flush_interval_seconds, FLUSH_SECONDS),
    generatePlots: config?.generate_plots ?? false,
    limitsMemory: isOn && limitsMemory(execution ?? {}),
  };
}

/** Whether the runner enforces the memory limits of jobs; not if its configuration is invalid, which is reported where it is read. */
export function enforcesMemory(workflow: Pick<Workflow, 'resource_monitor_config' | 'execution_config'>): boolean {
  try {
    return monitorPlanOf(workflow).limitsMemory;
  } catch {
    return false;
  }
}

/** Whether the runner limits the CPU time of jobs. */
export const limitsCpus = ({ execution_config: execution }: Pick<Workflow, 'execution_config'>): boolean =>
  execution?.limit_cpus ?? false;

/** Whether samples of jobs are written as Sonar records, too. */
export const writesSonar = ({ resource_monitor_config: config }: Pick<Workflow, 'resource_monitor_config'>): boolean =>
  config?.sonar ?? false;

/** Slurm limits its own steps; elsewhere the runner does, unless the workflow disables it. */
const limitsMemory = ({ mode, limit_resources: limits }: ExecutionConfig) => mode !== 'slurm' && limits !== false;

function positive(field: string, given: number | null | undefined, otherwise: number): number {
  if (given === undefined || given === null) return otherwise;
  if (given <= 0) throw new Error(`resource_monitor.${field} is ${given}, expected 1 or more`);
  return given;
}
