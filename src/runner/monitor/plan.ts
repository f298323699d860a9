import type { ExecutionConfig, Workflow } from '../../core/contract/workflow.ts';

/** What is measured of a node. */
export interface NodePlan {
  readonly isTimeSeries: boolean;
  readonly cpu: boolean;
  readonly memory: boolean;
}

/** What is measured in a run, as its workflow asks for it. */
export interface MonitorPlan {
  /** Undefined when jobs are not watched. */
  readonly jobs: { readonly isTimeSeries: boolean } | undefined;
  readonly node: NodePlan | undefined;
  readonly sampleSeconds: number;
  readonly flushSeconds: number;
  readonly generatePlots: boolean;
  /** Are jobs killed that use more memory than they asked for? */
  readonly limitsMemory: boolean;
}

/** Often enough to see how a job develops, and a hundredth of a percent of a CPU. */
const SAMPLE_SECONDS = 10;
const FLUSH_SECONDS = 300;

/**
 * Reads what a workflow asks for. Settings at the top of the configuration are an older spelling of those for jobs.
 *
 * Throws: with the name of the field, when an interval is not positive.
 */
export function monitorPlanOf({
  resource_monitor_config: config,
  execution_config: execution,
}: Pick<Workflow, 'resource_monitor_config' | 'execution_config'>): MonitorPlan {
  const { jobs, compute_node: node } = config ?? {};
  const isOn = jobs?.enabled ?? config?.enabled ?? false;
  const granularity = jobs?.granularity ?? config?.granularity;
  return {
    jobs: isOn ? { isTimeSeries: granularity === 'time_series' } : undefined,
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

/** Slurm limits its own steps; elsewhere we do, unless the workflow says not to. */
const limitsMemory = ({ mode, limit_resources: limits }: ExecutionConfig) => mode !== 'slurm' && limits !== false;

function positive(field: string, given: number | null | undefined, otherwise: number): number {
  if (given === undefined || given === null) return otherwise;
  if (given <= 0) throw new Error(`resource_monitor.${field} is ${given}, expected 1 or more`);
  return given;
}
