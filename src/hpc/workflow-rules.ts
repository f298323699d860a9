import { mayHaveSteps } from '../core/allocation/execution-mode.ts';
import { marginsOf, type TimeMargins } from '../core/allocation/usable-time.ts';
import type { Workflow } from '../core/contract/workflow.ts';

/** What a workflow itself says about its allocations. */
export interface WorkflowRules {
  readonly margins: TimeMargins;
  /** Runners that start together wait for different times. */
  readonly staggersStarts: boolean;
  /** Jobs run as steps of Slurm, so a runner uses all nodes of its allocation. */
  readonly usesAllNodes: boolean;
  /** sbatch options of all allocations, by long name. */
  readonly defaults: Readonly<Record<string, unknown>>;
}

export const workflowRules = ({
  execution_config: execution,
  slurm_defaults: defaults,
}: Pick<Workflow, 'execution_config' | 'slurm_defaults'>): WorkflowRules => ({
  margins: marginsOf(execution),
  staggersStarts: execution?.staggered_start !== false,
  usesAllNodes: mayHaveSteps(execution ?? {}, true),
  defaults: defaults ?? {},
});
