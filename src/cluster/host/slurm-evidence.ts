import type { SlurmEvidence } from '../../core/attempt/belongs-to.ts';
import { environmentOf, valueIn } from './environment-of.ts';
import { textOf } from './group-files.ts';
import { parseStat } from './proc.ts';
import { sluidStepOf, slurmStepOf } from './slurm-groups.ts';
import { daemonUsersOf, jobOfDaemon, realUserOf } from './step-daemon.ts';

export interface EvidenceOptions {
  /** The process that asks. */
  readonly self?: number;
  /** /proc, or a folder with the same layout. */
  readonly root?: string;
  /** The variable that names the job of a process. */
  readonly variable?: string | undefined;
}

/** Reads in which Slurm job a process with this environment (`NAME=value` entries) runs. */
export type EvidenceOf = (pid: number, environment: readonly string[]) => SlurmEvidence;

/**
 * Opens a reader of evidence.
 *
 * Control groups and ancestors count only if those of the asking process name the job that its variable names. Newer releases name groups
 * by another id of the job, the SLUID: then a group says whether it is that of the asking process.
 * Otherwise they are of another Slurm, around a private one, or of another component of a heterogeneous job.
 */
export function createEvidence({
  self = process.pid,
  root = '/proc',
  variable: name = 'SLURM_JOB_ID',
}: EvidenceOptions = {}): EvidenceOf {
  let users: ReadonlySet<number> | undefined;
  const readEvidence = (pid: number, environment: readonly string[]): SlurmEvidence => {
    users ??= usersOfDaemons(self, root);
    return {
      group: jobOfGroup(textOf(`${root}/${pid}/cgroup`) ?? ''),
      ancestor: daemonAbove(pid, users, root)?.jobId.toString(),
      variable: valueIn(environment, name),
    };
  };
  let counts: ReturnType<typeof whatCounts> | undefined;
  const whatCounts = () => {
    const own = environmentOf(self, root);
    const { group, ancestor, variable } = readEvidence(self, own);
    const isBySluid = group !== undefined && group === valueIn(own, 'SLURM_JOB_SLUID');
    return {
      group: group === undefined || group === variable || isBySluid,
      ancestor: ancestor === undefined || ancestor === variable,
      own: isBySluid ? { sluid: group, job: variable } : undefined,
    };
  };
  return (pid, environment) => {
    counts ??= whatCounts();
    const { group, ancestor, variable } = readEvidence(pid, environment);
    return {
      group: !counts.group ? undefined : group === counts.own?.sluid ? counts.own?.job : group,
      ancestor: counts.ancestor ? ancestor : undefined,
      variable,
    };
  };
}

/** Slurm's id of the job in the path of a group: `job_43`, or `sAKNM8HTYPFQ00` by newer releases. */
const jobOfGroup = (cgroup: string): string | undefined =>
  slurmStepOf(cgroup)?.jobId.toString() ?? sluidStepOf(cgroup)?.sluid;

/** Deeper trees exist, but a circle of parents, which reused ids may form, must end. */
const MOST_GENERATIONS = 100;

/** A daemon above the asking process is of the user of all; a job cannot be above it. */
function usersOfDaemons(self: number, root: string): ReadonlySet<number> {
  const users = daemonUsersOf(self, root);
  const above = daemonAbove(self, users, root);
  const user = above && realUserOf(above.pid, root);
  return user === undefined ? users : new Set([user]);
}

/** The nearest daemon of a step among the ancestors of a process. */
function daemonAbove(pid: number, users: ReadonlySet<number>, root: string) {
  let at = pid;
  for (let generation = 0; generation < MOST_GENERATIONS && at > 0; generation += 1) {
    const stat = textOf(`${root}/${at}/stat`);
    const sample = stat === undefined ? undefined : parseStat(stat);
    if (sample === undefined) return undefined;
    const jobId = sample.name === 'slurmstepd' ? jobOfDaemon(at, users, root) : undefined;
    if (jobId !== undefined) return { pid: at, jobId };
    at = sample.parentPid;
  }
  return undefined;
}
