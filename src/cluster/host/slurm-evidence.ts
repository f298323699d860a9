import type { SlurmEvidence } from '../../core/lifecycle/belongs-to.ts';
import { environmentOf, valueIn } from './environment-of.ts';
import { textOf } from './group-files.ts';
import { parseStat } from './proc.ts';
import { jobInTitle, sluidStepOf, slurmStepOf } from './slurm-groups.ts';

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
  const readEvidence = (pid: number, environment: readonly string[]): SlurmEvidence => ({
    group: jobOfGroup(textOf(`${root}/${pid}/cgroup`) ?? ''),
    ancestor: jobOfAncestor(pid, root),
    variable: valueIn(environment, name),
  });
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

function jobOfAncestor(pid: number, root: string): string | undefined {
  let at = pid;
  for (let generation = 0; generation < MOST_GENERATIONS && at > 0; generation += 1) {
    const stat = textOf(`${root}/${at}/stat`);
    const sample = stat === undefined ? undefined : parseStat(stat);
    if (sample === undefined) return undefined;
    if (sample.name === 'slurmstepd') return jobInTitle(textOf(`${root}/${at}/cmdline`) ?? '');
    at = sample.parentPid;
  }
  return undefined;
}
