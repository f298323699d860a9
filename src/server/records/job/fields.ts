import type { Job } from '../../../core/contract/job.ts';
import { timeoutFault } from '../../../core/job/timeout.ts';
import { refuseBadLabels, sortedLabels } from '../../../core/contract/labels.ts';
import { Refusal } from '../../../core/contract/refusals.ts';
import { refuseBadEnvironment, refuseNul } from './environment.ts';
import { definitionRow } from '../rows/job.gen.ts';
import type { Definition, StoredDefinition } from '../rows/job.ts';

/** The fields of a job that are checked before it is written. */
type Fields = Pick<Job, 'name' | 'priority' | 'env' | 'command' | 'invocation_script' | 'timeout'>;

export function refuseBadJob(job: Fields): void {
  if ((job.priority ?? 0) < 0) {
    throw new Refusal('BODY_REFUSED', `priority must be >= 0, got ${job.priority} for job '${job.name}'`, {
      field: 'priority',
      found: job.priority,
    });
  }
  const fault = timeoutFault('timeout', job.timeout);
  if (fault !== undefined)
    throw new Refusal('BODY_REFUSED', `${fault}, for job '${job.name}'`, { field: 'timeout', found: job.timeout });
  refuseBadEnvironment(job.env, 'job');
  refuseNul(job.command, `command of job '${job.name}'`);
  refuseNul(job.invocation_script, `invocation_script of job '${job.name}'`);
}

/** The fields of a job itself as they are stored; its environment stands over that of its workflow, and labels are sorted. */
export function storedFields(job: Definition, workflowEnv?: Readonly<Record<string, string>>): StoredDefinition {
  refuseBadLabels(job.labels, ` for job '${job.name}'`);
  const env = workflowEnv === undefined ? job.env : { ...workflowEnv, ...job.env };
  return definitionRow({ ...job, env, labels: sortedLabels(job.labels) });
}
