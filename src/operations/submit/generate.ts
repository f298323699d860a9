import { type Grouping, GROUPINGS } from '../../hpc/grouping.ts';
import { groupJobs, waitsFor } from '../../hpc/group-jobs.ts';
import { type SchedulerPlanOptions, planSchedulers, type SchedulerPlan } from '../../hpc/plan-schedulers.ts';
import { type WorkflowRules, workflowRules } from '../../hpc/workflow-rules.ts';
import type { Plan } from '../../core/workflow-file/plan/plan.ts';

/** A plan, and the node hours that each grouping would ask for. */
export interface GeneratedSchedulers extends SchedulerPlan {
  readonly askedBy: Readonly<Record<Grouping, number>>;
}

/** The schedulers for the jobs of a workflow file. */
export function generateSchedulers(
  plan: Plan,
  options: Omit<SchedulerPlanOptions, 'waitsFor' | keyof WorkflowRules>,
): GeneratedSchedulers {
  const { groups, warnings } = groupJobs(plan);
  const { slurm_defaults } = plan.workflow;
  const rules = workflowRules({ execution_config: plan.executionConfig(), slurm_defaults });
  const by = (groupBy: Grouping) =>
    planSchedulers(groups, { ...options, ...rules, groupBy, waitsFor: waitsFor(plan.graph) });
  const planned = by(options.groupBy);
  const askedOf = (each: Grouping) => (each === options.groupBy ? planned : by(each)).nodeHours.asked;
  return {
    ...planned,
    warnings: [...warnings, ...planned.warnings],
    askedBy: Object.fromEntries(GROUPINGS.map((each) => [each, askedOf(each)])) as Record<Grouping, number>,
  };
}
