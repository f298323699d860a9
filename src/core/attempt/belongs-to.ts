/**
 * Whether a process belongs to the jobs of a runner.
 *
 * Jobs carry the mark of their runner in their environment. The mark alone proves nothing: what a job submits to Slurm
 * inherits the environment too, and may run on the same host. So the process must also run in the Slurm job of the runner.
 */

export const MARK_VARIABLE = 'TORC_RUNNER_MARK';
export const OUTER_MARKS_VARIABLE = 'TORC_RUNNER_OUTER_MARKS';

/** What says in which Slurm job a process runs; undefined where it says nothing. */
export interface SlurmEvidence {
  /** The job in the path of its control group, which a process cannot leave. */
  readonly group: string | undefined;
  /** The job of the nearest slurmstepd from which it descends; unknown once a process has lost its parents. */
  readonly ancestor: string | undefined;
  /** `SLURM_JOB_ID` in its environment, which a script may change or remove. */
  readonly variable: string | undefined;
}

export interface ProcessFacts extends SlurmEvidence {
  /** The marks of the runners around it, outermost first. */
  readonly marks: readonly string[];
}

export interface RunnerFacts {
  readonly mark: string;
  /** The allocation in which the runner is; empty if none. */
  readonly allocationId: string;
  /** The variable that names the allocation in the environment of its processes; that of Slurm if absent. */
  readonly jobVariable?: string | undefined;
}

export const belongsTo = ({ marks, ...evidence }: ProcessFacts, { mark, allocationId }: RunnerFacts): boolean =>
  marks.includes(mark) && slurmJobOf(evidence) === allocationId;

/** The Slurm job of a process by the best evidence; empty if none is known. */
const slurmJobOf = ({ group, ancestor, variable }: SlurmEvidence): string => group ?? ancestor ?? variable ?? '';
