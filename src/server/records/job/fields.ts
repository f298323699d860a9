import type { Job } from '../../../core/contract/job.ts';
import { type AmountsName, amountsNames, type DurationName, durationNames } from '../../../core/job/fields.ts';
import { licensesFault } from '../../../core/job/amounts.ts';
import { durationFault } from '../../../core/quantity/duration-fault.ts';
import { refuseBadLabels, sortedLabels } from '../../../core/lifecycle/placement/labels.ts';
import { Refusal } from '../../../core/contract/refusals.ts';
import { refuseBadEnvironment, refuseNul } from './environment.ts';
import { definitionRow } from '../rows/job.gen.ts';
import type { Definition, StoredDefinition } from '../rows/job.ts';

/** The fields of a job that are checked before it is written. */
type Fields = Pick<Job, 'name' | 'priority' | 'env' | 'command' | 'invocation_script' | DurationName | AmountsName>;

export function refuseBadJob(job: Fields): void {
  if ((job.priority ?? 0) < 0) {
    throw new Refusal('BODY_REFUSED', `priority must be >= 0, got ${job.priority} for job '${job.name}'`, {
      field: 'priority',
      found: job.priority,
    });
  }
  for (const field of durationNames) {
    const fault = durationFault(field, job[field]);
    if (fault !== undefined)
      throw new Refusal('BODY_REFUSED', `${fault}, for job '${job.name}'`, { field, found: job[field] });
  }
  for (const field of amountsNames) {
    const fault = licensesFault(job[field]);
    if (fault !== undefined) throw new Refusal('BODY_REFUSED', `${fault}, for job '${job.name}'`, { field });
  }
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
