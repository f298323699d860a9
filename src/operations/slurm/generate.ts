import { groupJobs, waitsFor } from '../../core/hpc/job-groups.ts';
import { type PlanOptions, planSchedulers, type SchedulerPlan } from '../../core/hpc/plan-schedulers.ts';
import type { Plan } from '../../core/spec/plan/plan.ts';

/** The schedulers for the jobs of a workflow file. */
export function generateSchedulers(plan: Plan, options: Omit<PlanOptions, 'waitsFor'>): SchedulerPlan {
  const { groups, warnings } = groupJobs(plan);
  const planned = planSchedulers(groups, { ...options, waitsFor: waitsFor(plan.graph) });
  return { ...planned, warnings: [...warnings, ...planned.warnings] };
}
