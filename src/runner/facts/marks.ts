import { MARK_VARIABLE, OUTER_MARKS_VARIABLE } from '../../core/attempt/belongs-to.ts';

/*
 * The marks that identify processes started by jobs of a runner, together with the Slurm job (`belongs-to.ts`).
 *
 * Every job carries the mark of its runner in its environment, as TORC_RUNNER_MARK, and its processes inherit it, in
 * any session and under any parent. A job may itself run `torc`: the jobs of that inner runner carry its mark, and the
 * marks of the runners around it in TORC_RUNNER_OUTER_MARKS, outermost first. So the leftover processes of an outer
 * runner include the jobs of inner ones, and an inner runner never finds processes of the outer's other jobs.
 *
 * A process without TORC_RUNNER_MARK belongs to no runner, whichever other marks it carries: `env -u TORC_RUNNER_MARK
 * program` starts one that stays. A runner started this way begins its own chain.
 */
type Environment = Readonly<Record<string, string | undefined>>;

/** The marks in an environment, outermost first; empty if it belongs to no runner. */
export function marksOf({ [MARK_VARIABLE]: mark = '', [OUTER_MARKS_VARIABLE]: outer = '' }: Environment): string[] {
  if (mark === '') return [];
  return [...outer.split(SEPARATOR), mark].filter((each) => each !== '');
}

/** The variables of jobs of a runner with this mark that was itself started with that environment. */
export function markVariables(mark: string, environment: Environment): [string, string][] {
  const outer = marksOf(environment);
  const own: [string, string] = [MARK_VARIABLE, mark];
  // A runner outside the chain that it inherited must not pass the other marks on.
  if (outer.length === 0 && environment[OUTER_MARKS_VARIABLE] === undefined) return [own];
  return [own, [OUTER_MARKS_VARIABLE, outer.join(SEPARATOR)]];
}

const SEPARATOR = ':';
