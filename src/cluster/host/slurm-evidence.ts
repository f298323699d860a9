import type { SlurmEvidence } from '../../core/lifecycle/belongs-to.ts';
import { environmentOf, valueIn } from './environment-of.ts';
import { textOf } from './group-files.ts';
import { parseStat } from './proc.ts';
import { slurmStepOf } from './process-details.ts';

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
 * Control groups and ancestors count only if those of the asking process name the job that its variable names.
 * Otherwise they are of another Slurm, around a private one, or of another component of a heterogeneous job.
 */
export function createEvidence({
  self = process.pid,
  root = '/proc',
  variable: name = 'SLURM_JOB_ID',
}: EvidenceOptions = {}): EvidenceOf {
  const readEvidence = (pid: number, environment: readonly string[]): SlurmEvidence => ({
    group: slurmStepOf(textOf(`${root}/${pid}/cgroup`) ?? '')?.jobId.toString(),
    ancestor: jobOfAncestor(pid, root),
    variable: valueIn(environment, name),
  });
  let counts: { readonly group: boolean; readonly ancestor: boolean } | undefined;
  const whatCounts = () => {
    const { group, ancestor, variable } = readEvidence(self, environmentOf(self, root));
    return {
      group: group === undefined || group === variable,
      ancestor: ancestor === undefined || ancestor === variable,
    };
  };
  return (pid, environment) => {
    counts ??= whatCounts();
    const { group, ancestor, variable } = readEvidence(pid, environment);
    return {
      group: counts.group ? group : undefined,
      ancestor: counts.ancestor ? ancestor : undefined,
      variable,
    };
  };
}

/** Deeper trees exist, but a circle of parents, which reused ids may form, must end. */
const MOST_GENERATIONS = 100;

/** slurmstepd, which starts the processes of a Slurm job, has the title `slurmstepd: [43.batch]`. */
function jobOfAncestor(pid: number, root: string): string | undefined {
  let at = pid;
  for (let generation = 0; generation < MOST_GENERATIONS && at > 0; generation += 1) {
    const stat = textOf(`${root}/${at}/stat`);
    const sample = stat === undefined ? undefined : parseStat(stat);
    if (sample === undefined) return undefined;
    if (sample.name === 'slurmstepd') return /^slurmstepd: \[(\d+)/.exec(textOf(`${root}/${at}/cmdline`) ?? '')?.[1];
    at = sample.parentPid;
  }
  return undefined;
}
