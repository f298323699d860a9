import type { Job, NewJob } from '../../../core/contract/job.ts';
import { refuseBadLabels, sortedLabels } from '../../../core/contract/labels.ts';
import { Refusal } from '../../../core/contract/refusals.ts';
import { refuseBadEnvironment, refuseNul } from '../workflow/environment.ts';

/** The fields of a job that are checked before it is written. */
type Fields = Pick<Job, 'name' | 'priority' | 'env' | 'command' | 'invocation_script'>;

export function refuseBadJob(job: Fields): void {
  if ((job.priority ?? 0) < 0) {
    throw new Refusal('BODY_REFUSED', `priority must be >= 0, got ${job.priority} for job '${job.name}'`, {
      field: 'priority',
      found: job.priority,
    });
  }
  refuseBadEnvironment(job.env, 'job');
  refuseNul(job.command, `command of job '${job.name}'`);
  refuseNul(job.invocation_script, `invocation_script of job '${job.name}'`);
}

/** The fields of a job itself as they are stored, without the records that it names; its environment stands over that of its workflow. */
export function storedFields(
  job: Pick<NewJob, 'name' | 'command'> & Partial<OwnFields>,
  workflowEnv: Readonly<Record<string, string>> | undefined,
) {
  const env = workflowEnv === undefined ? job.env : { ...workflowEnv, ...job.env };
  return {
    name: job.name,
    command: job.command,
    invocationScript: job.invocation_script || null,
    env: !env || Object.keys(env).length === 0 ? null : JSON.stringify(env),
    cancelOnBlockingJobFailure: Number(job.cancel_on_blocking_job_failure ?? true),
    supportsTermination: typeof job.supports_termination === 'boolean' ? Number(job.supports_termination) : null,
    priority: job.priority ?? 0,
    labels: storedLabels(job),
  };
}

type OwnFields = Pick<
  NewJob,
  'env' | 'invocation_script' | 'cancel_on_blocking_job_failure' | 'supports_termination' | 'priority' | 'labels'
>;

/** Labels as they are stored: sorted, each once, as JSON; null for none. */
export function storedLabels({ labels, name }: Pick<Job, 'labels' | 'name'>): string | null {
  refuseBadLabels(labels, ` for job '${name}'`);
  const sorted = sortedLabels(labels);
  return sorted.length === 0 ? null : JSON.stringify(sorted);
}
