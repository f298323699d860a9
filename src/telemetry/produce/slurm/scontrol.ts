import { encodeExtended, type ExtendedUint } from '../../../core/contract/sonar/extended-uint.ts';
import type { SonarSlurmJob } from '../../../core/contract/sonar/jobs.ts';
import { exitCodeOf, identityOf, type TimeReader } from './sacct.ts';
import { hasJobEnded, namesOf, secondsOf } from './slurm-text.ts';

/** The resources that each job asked for, from what `scontrol -o show job` prints: `ReqTRES`, before 23.02 `TRES`. */
export function requestedResources(text: string): ReadonlyMap<number, string> {
  const resources = new Map<number, string>();
  for (const line of text.split('\n')) {
    const id = /^JobId=(\d+)/.exec(line)?.[1];
    const asked = valueOf(line, 'ReqTRES') ?? valueOf(line, 'TRES');
    if (id !== undefined && asked !== undefined) resources.set(Number(id), asked);
  }
  return resources;
}

/**
 * The jobs that the controller knows: those that wait or run, and that ended a short time ago. It has no steps and no
 * figures of what they used.
 */
export const parseScontrol = (text: string, timeOf: TimeReader): SonarSlurmJob[] =>
  text.split('\n').flatMap((line) => {
    const id = /^JobId=(\d+)/.exec(line)?.[1];
    const value = (key: string) => valueOf(line, key) ?? '';
    const state = value('JobState');
    if (id === undefined || state === '') return [];
    const part = (kind: '_' | '+', whole: string, index: string) =>
      whole === '' ? {} : identityOf(`${whole}${kind}${index}`);
    const cpus = Number.parseInt(value('NumCPUs'), 10) || 0;
    return [
      {
        job_id: Number(id),
        // The only value with blanks: it goes up to the next key.
        job_name: / JobName=(.*?) UserId=/.exec(line)?.[1] ?? '',
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
        requested_resources: valueOf(line, 'ReqTRES') ?? value('TRES'),
        allocated_resources: value('AllocTRES'),
        requested_cpus: cpus,
        requested_node_count: Number.parseInt(value('NumNodes'), 10) || 0,
        // Those of a job that waits, and the end of one that runs, are estimates.
        start_time: state === 'PENDING' ? undefined : timeOf(value('StartTime')),
        end_time: hasJobEnded(state) ? timeOf(value('EndTime')) : undefined,
        exit_code: hasJobEnded(state) ? exitCodeOf(value('ExitCode')) : 0,
      },
    ];
  });

function valueOf(line: string, key: string): string | undefined {
  const value = new RegExp(` ${key}=(\\S*)`).exec(line)?.[1];
  return value === '' || value === '(null)' || value === 'N/A' || value === 'None' ? undefined : value;
}

/** Seconds; `1-00:00:00`, `UNLIMITED` or `Partition_Limit`. */
function limitOf(text: string): ExtendedUint {
  if (text === 'UNLIMITED') return 'infinite';
  return /^[\d:-]+$/.test(text) && text.includes(':') ? secondsOf(text) : 'unset';
}
