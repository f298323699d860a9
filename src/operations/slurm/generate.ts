import { groupJobs, waitsFor } from '../../core/hpc/group-jobs.ts';
import { type SchedulerPlanOptions, planSchedulers, type SchedulerPlan } from '../../core/hpc/plan-schedulers.ts';
import { type WorkflowRules, workflowRules } from '../../core/hpc/workflow-rules.ts';
import type { Plan } from '../../core/workflow-file/plan/plan.ts';

/** The schedulers for the jobs of a workflow file. */
export function generateSchedulers(
  plan: Plan,
  options: Omit<SchedulerPlanOptions, 'waitsFor' | keyof WorkflowRules>,
): SchedulerPlan {
  const { groups, warnings } = groupJobs(plan);
  const { slurm_defaults } = plan.workflow;
  const rules = workflowRules({ execution_config: plan.executionConfig(), slurm_defaults });
  const planned = planSchedulers(groups, { ...options, ...rules, waitsFor: waitsFor(plan.graph) });
  return { ...planned, warnings: [...warnings, ...planned.warnings] };
}
