import { STANDARD_WAIT_SECONDS } from '../../contract/standard-settings.ts';
import type { Draft } from '../link/draft.ts';
import { familyLimit } from '../../job/amounts.ts';
import type { SpecFamily } from '../expand/family.ts';
import type { ExecutionConfigSpec, JobSpec, StdioSpec, WorkflowSpec } from '../shape/workflow.ts';
import { plainJson, type Json, type ValueMap } from '../text/value.ts';
import type { PlannedWorkflow } from './plan.ts';

const FIELDS = [
  'description',
  'project',
  'resource_monitor',
  'use_pending_failed',
  'enable_ro_crate',
  'access_groups',
  'dynamic_jobs',
  'compute_node_ignore_workflow_completion',
  'compute_node_wait_for_healthy_database_minutes',
] as const;

/** The workflow itself; `env` has its parameters inserted. */
export const workflowOf = ({ spec, jobs }: Draft, env: WorkflowSpec['env']): PlannedWorkflow => ({
  name: spec.name,
  ...Object.fromEntries(FIELDS.flatMap((field) => (spec[field] === undefined ? [] : [[field, spec[field]]]))),
  ...(env === undefined ? {} : { env }),
  ...limitsOf(spec, jobs.families.all),
  ...(spec.metadata === undefined ? {} : { metadata: jsonMap(spec.metadata) }),
  ...(spec.slurm_defaults === undefined ? {} : { slurm_defaults: jsonMap(spec.slurm_defaults) }),
  compute_node_wait_for_new_jobs_seconds: spec.compute_node_wait_for_new_jobs_seconds ?? STANDARD_WAIT_SECONDS,
});

/** The limits of the file, with one for each entry that names how many of its jobs may run at a time. */
function limitsOf({ limits }: WorkflowSpec, families: readonly SpecFamily<JobSpec>[]): Pick<PlannedWorkflow, 'limits'> {
  const own = families.flatMap(({ spec: { name, max_running: most }, count }) =>
    most === undefined || count === 0 ? [] : [[familyLimit(name), most] as const],
  );
  const all = { ...limits, ...Object.fromEntries(own) };
  return Object.keys(all).length === 0 ? {} : { limits: all };
}

const jsonMap = (map: ValueMap): { [key: string]: Json } =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, plainJson(value)]));

/**
 * The execution settings to be stored; undefined if all are defaults.
 *
 * Output settings of single jobs are included, by name of the job; they replace an override that names the job.
 */
export function executionConfigOf({ spec, jobs }: Draft): ExecutionConfigSpec | undefined {
  const overrides: Record<string, StdioSpec> = { ...spec.execution_config?.job_stdio_overrides };
  for (const { spec: job, name, count } of jobs.families.all) {
    if (job.stdio === undefined) continue;
    for (let combination = 0; combination < count; combination += 1) overrides[name.render(combination)] = job.stdio;
  }
  const { mode = 'direct', job_stdio_overrides: _given, ...rest } = spec.execution_config ?? {};
  const hasOverrides = Object.keys(overrides).length > 0;
  if (mode === 'direct' && Object.keys(rest).length === 0 && !hasOverrides) return undefined;
  return { mode, ...rest, ...(hasOverrides ? { job_stdio_overrides: overrides } : {}) };
}
