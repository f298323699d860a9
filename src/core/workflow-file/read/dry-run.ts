import { Refusal } from '../../contract/refusals.ts';
import { counted, someOf } from '../../quantity/count-text.ts';
import type { GlobMatch } from '../glob/look.ts';
import { dryRunLines, formatAmongOthers, type Problem } from '../problems/problems.ts';
import type { SpecReading } from './read.ts';

/** The reply of `create --dry-run`. The first four keys are Torc's; `problems` is an addition. */
export interface DryRunReport {
  readonly valid: boolean;
  /** Torc's lines, one for each error and each affected instance. */
  readonly errors: readonly string[];
  /** Our own; Torc's list is always empty. */
  readonly warnings: readonly string[];
  readonly summary: DryRunSummary;
  readonly problems: readonly Problem[];
}

interface DryRunSummary {
  readonly workflow_name: string;
  readonly workflow_description: string | null;
  readonly job_count: number;
  readonly job_count_before_expansion: number;
  readonly file_count: number;
  readonly file_count_before_expansion: number;
  readonly user_data_count: number;
  readonly resource_requirements_count: number;
  readonly slurm_scheduler_count: number;
  readonly action_count: number;
  readonly has_schedule_nodes_action: boolean;
  /** Generated when it is read: a text report of a million jobs never creates them. */
  readonly job_names: readonly string[];
  readonly scheduler_names: readonly string[];
  /** What patterns of paths matched; an addition, only there if the file has some. */
  readonly globs?: readonly GlobMatch[];
}

// Triggers at which allocations of a workflow without runners can start.
const STARTING = ['on_workflow_start', 'on_jobs_ready', 'on_jobs_complete'];

// A million names are about 100 MB of JSON; more are not a useful report.
const MOST_NAMES = 2_000_000;

/** Whether a dry run counts a problem as an error: warnings about resources too, as in Torc. */
export const isError = ({ severity, stage }: Problem): boolean => severity === 'error' || stage === 'resources';

/**
 * The report of a dry run.
 *
 * Warnings about resources count as errors here, as in Torc. A file that cannot be read has counts of 0; one that fails
 * later has the counts after expansion.
 */
export function dryRunReport(reading: SpecReading): DryRunReport {
  const errors = reading.problems.filter(isError).flatMap(dryRunLines);
  const warnings = reading.problems.filter((problem) => !isError(problem)).map(formatAmongOthers);
  return { valid: errors.length === 0, errors, warnings, summary: summaryOf(reading), problems: reading.problems };
}

/** One line for each pattern: `raw/*.fastq matches 3 files; sample is a, b, c`. */
export const globLines = (globs: readonly GlobMatch[]): string[] =>
  globs.map(({ glob, parameters, rows }) => {
    const values = parameters.map(
      (name, at) => `${name} is ${someOf([...new Set(rows.map((row) => row[at] as string))])}`,
    );
    return [`${glob} matches ${counted(rows.length, 'file')}`, ...values].join('; ');
  });

function summaryOf({ plan, name, description }: SpecReading): DryRunSummary {
  const actions = plan?.actions ?? [];
  return {
    workflow_name: plan?.workflow.name ?? name,
    workflow_description: plan?.workflow.description ?? description ?? null,
    job_count: plan?.jobs.length ?? 0,
    job_count_before_expansion: plan?.before.jobs ?? 0,
    file_count: plan?.files.length ?? 0,
    file_count_before_expansion: plan?.before.files ?? 0,
    user_data_count: plan?.userData.length ?? 0,
    resource_requirements_count: plan?.resourceRequirements.length ?? 0,
    slurm_scheduler_count: plan?.slurmSchedulers.length ?? 0,
    action_count: actions.length,
    has_schedule_nodes_action: actions.some(
      ({ spec }) => spec.action_type === 'schedule_nodes' && STARTING.includes(spec.trigger_type),
    ),
    get job_names(): readonly string[] {
      const count = plan?.jobs.length ?? 0;
      if (plan === undefined) return [];
      if (count > MOST_NAMES) {
        const message = `${count} names of jobs are more than the ${MOST_NAMES} that a report holds`;
        throw new Refusal('PLAN_TOO_LARGE', message, { count });
      }
      return Array.from({ length: count }, (_, job) => plan.jobName(job));
    },
    scheduler_names: (plan?.slurmSchedulers ?? []).flatMap(({ name: scheduler }) =>
      scheduler === undefined ? [] : [scheduler],
    ),
    ...(plan === undefined || plan.globs.length === 0 ? {} : { globs: plan.globs }),
  };
}
