import { encodeExtended, type ExtendedUint } from '../../../core/contract/sonar/extended-uint.ts';
import type { SonarSlurmJob } from '../../../core/contract/sonar/jobs.ts';
import type { ShownJob } from './shown-jobs.ts';
import { exitCodeOf, identityOf, type TimeReader } from './sacct.ts';
import { hasJobEnded, namesOf, secondsOf } from './slurm-text.ts';

/**
 * What the controller knows of a job that waits or runs, or that ended a short time ago. It has no steps and no figures of what they
 * used. Undefined for a record without a state.
 */
export function jobOfShown({ id, name, text }: ShownJob, timeOf: TimeReader): SonarSlurmJob | undefined {
  const value = (key: string) => valueOf(text, key) ?? '';
  const state = value('JobState');
  if (state === '') return undefined;
  const part = (kind: '_' | '+', whole: string, index: string) =>
    whole === '' ? {} : identityOf(`${whole}${kind}${index}`);
  return {
    job_id: id,
    job_name: name,
    job_state: state,
    ...part('_', value('ArrayJobId'), value('ArrayTaskId')),
    ...part('+', value('HetJobId'), value('HetJobOffset')),
    user_name: value('UserId').replace(/\(\d+\)$/, ''),
    account: value('Account'),
    submit_time: timeOf(value('SubmitTime')),
    time_limit: encodeExtended(limitOf(value('TimeLimit'))),
    partition: value('Partition'),
    reservation: value('Reservation'),
    nodes: namesOf(value('NodeList')),
    priority: encodeExtended(/^\d+$/.test(value('Priority')) ? Number(value('Priority')) : 'unset'),
    requested_resources: resourcesOfShown({ text }),
    allocated_resources: value('AllocTRES'),
    requested_cpus: Number.parseInt(value('NumCPUs'), 10) || 0,
    requested_node_count: Number.parseInt(value('NumNodes'), 10) || 0,
    // Those of a job that waits, and the end of one that runs, are estimates.
    start_time: state === 'PENDING' ? undefined : timeOf(value('StartTime')),
    end_time: hasJobEnded(state) ? timeOf(value('EndTime')) : undefined,
    exit_code: hasJobEnded(state) ? exitCodeOf(value('ExitCode')) : 0,
  };
}

/** The resources that a job asked for: `ReqTRES`, before 23.02 `TRES`. */
export const resourcesOfShown = ({ text }: Pick<ShownJob, 'text'>): string =>
  valueOf(text, 'ReqTRES') ?? valueOf(text, 'TRES') ?? '';

function valueOf(text: string, key: string): string | undefined {
  const value = new RegExp(` ${key}=(\\S*)`).exec(text)?.[1];
  return value === '' || value === '(null)' || value === 'N/A' || value === 'None' ? undefined : value;
}

/** Seconds; `1-00:00:00`, `UNLIMITED` or `Partition_Limit`. */
function limitOf(text: string): ExtendedUint {
  if (text === 'UNLIMITED') return 'infinite';
  return /^[\d:-]+$/.test(text) && text.includes(':') ? secondsOf(text) : 'unset';
}
