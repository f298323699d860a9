/**
 * The marks by which processes are known that jobs of a runner started.
 *
 * Every job carries the mark of its runner in its environment, as TORC_RUNNER_MARK, and what it starts inherits it, in
 * whatever session and under whatever parent. A job may itself run `torc`: the jobs of that inner runner carry its mark,
 * and the marks of the runners around it in TORC_RUNNER_OUTER_MARKS, outermost first. So what an outer runner leaves
 * behind includes the jobs of inner ones, and an inner runner never finds processes of the outer's other jobs.
 *
 * A process without TORC_RUNNER_MARK belongs to no runner, whatever else it carries: `env -u TORC_RUNNER_MARK program`
 * starts one that stays. A runner that was started so begins a chain of its own.
 */
export const MARK_VARIABLE = 'TORC_RUNNER_MARK';
export const OUTER_MARKS_VARIABLE = 'TORC_RUNNER_OUTER_MARKS';

type Environment = Readonly<Record<string, string | undefined>>;

/** The marks that an environment carries, outermost first; empty where it belongs to no runner. */
export function marksOf({ [MARK_VARIABLE]: mark = '', [OUTER_MARKS_VARIABLE]: outer = '' }: Environment): string[] {
  if (mark === '') return [];
  return [...outer.split(SEPARATOR), mark].filter((each) => each !== '');
}

/** What the jobs of a runner with this mark carry, when the runner itself was started with that environment. */
export function markVariables(mark: string, environment: Environment): [string, string][] {
  const outer = marksOf(environment);
  const own: [string, string] = [MARK_VARIABLE, mark];
  // Of a runner that stands outside of the chain that it inherited the rest must not come back.
  if (outer.length === 0 && environment[OUTER_MARKS_VARIABLE] === undefined) return [own];
  return [own, [OUTER_MARKS_VARIABLE, outer.join(SEPARATOR)]];
}

const SEPARATOR = ':';
