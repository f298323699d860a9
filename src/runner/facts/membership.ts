import { createEvidence } from '../../cluster/host/slurm-evidence.ts';
import { valueIn } from '../../cluster/host/environment-of.ts';
import { belongsTo, MARK_VARIABLE, OUTER_MARKS_VARIABLE, type RunnerFacts } from '../../core/attempt/belongs-to.ts';
import { marksOf } from './marks.ts';

/** Whether a process with this environment (`NAME=value` entries) belongs to the jobs of a runner. */
export type IsMember = (environment: readonly string[], pid: number) => boolean;

export function membershipOf(runner: RunnerFacts): IsMember {
  const evidenceOf = createEvidence({ variable: runner.jobVariable });
  return (environment, pid) => {
    const marks = marksOf({
      [MARK_VARIABLE]: valueIn(environment, MARK_VARIABLE),
      [OUTER_MARKS_VARIABLE]: valueIn(environment, OUTER_MARKS_VARIABLE),
    });
    // Evidence costs several files of /proc, and few of the processes of a node have marks.
    return marks.includes(runner.mark) && belongsTo({ marks, ...evidenceOf(pid, environment) }, runner);
  };
}
