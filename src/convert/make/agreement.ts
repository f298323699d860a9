import type { Report } from '../conversion.ts';
import type { RecipeStep } from './trace.ts';
import type { MakeWalk } from './walk.ts';

/** A job as the workflow has it. */
export interface JobOrder {
  readonly name: string;
  readonly dependsOn: readonly string[];
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

/**
 * Compares the order of the jobs with how make went through the targets: what make looks at for a target must end before its job
 * starts. The workflow has its order from the data base of make, so what one of the two readings misses is reported here.
 */
export function compareOrder(
  jobs: readonly JobOrder[],
  jobOf: ReadonlyMap<string, string>,
  { before, foundAs }: MakeWalk,
  report: Report,
): void {
  const follows = orderOf(jobs);
  const jobsFor = nearestJobs(jobOf, before);
  const seen = new Set([...before.keys(), ...foundAs.values()].map((target) => jobOf.get(target)));
  for (const { name } of jobs)
    if (!seen.has(name))
      report.leaveOut(`the order of ${name}`, 'this version of make does not show what it looks at before');
  for (const [target, needed] of before) {
    const job = jobOf.get(target) ?? jobOf.get(foundAs.get(target) ?? '');
    if (job === undefined) continue;
    for (const other of new Set([...needed].flatMap((each) => [...jobsFor(each)])))
      if (other !== job && !follows(job, other))
        report.leaveOut(
          `the order of ${other} and ${job}`,
          `make makes ${other} before ${job}, and the workflow does not`,
        );
  }
}

/** Does a job start after another one has ended? */
function orderOf(jobs: readonly JobOrder[]): (job: string, other: string) => boolean {
  const maker = new Map(jobs.flatMap(({ name, outputs }) => outputs.map((path) => [path, name] as const)));
  const direct = new Map(
    jobs.map(({ name, dependsOn, inputs }) => [
      name,
      new Set([...dependsOn, ...inputs.flatMap((path) => maker.get(path) ?? [])]),
    ]),
  );
  return (job, other) => {
    const open = [job];
    const seen = new Set(open);
    for (let each = open.pop(); each !== undefined; each = open.pop()) {
      const earlier = direct.get(each) ?? new Set();
      if (earlier.has(other)) return true;
      for (const next of earlier) {
        if (seen.has(next)) continue;
        seen.add(next);
        open.push(next);
      }
    }
    return false;
  };
}

/** The jobs that a name stands for: its own, or those of the targets that it needs. */
function nearestJobs(
  jobOf: ReadonlyMap<string, string>,
  before: MakeWalk['before'],
): (name: string) => ReadonlySet<string> {
  const known = new Map<string, Set<string>>();
  const jobsFor = (name: string): ReadonlySet<string> => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const jobs = new Set<string>();
    known.set(name, jobs);
    const own = jobOf.get(name);
    if (own !== undefined) return jobs.add(own);
    for (const each of before.get(name) ?? []) for (const job of jobsFor(each)) jobs.add(job);
    return jobs;
  };
  return jobsFor;
}

/**
 * Compares the lines of the recipes with what `make -n -B` prints alone: they stand there in the same order, and the other lines
 * are messages that the first run printed, too. A line that differs comes from a value that changes, such as the time of day.
 */
export function compareLines(
  steps: readonly RecipeStep[],
  others: readonly string[],
  plain: string,
  report: Report,
): void {
  const messages = new Set(['', ...others]);
  const left = plain.split('\n');
  let at = 0;
  for (const { target, lines, line, file } of steps) {
    for (const text of lines.flatMap((each) => each.text.split('\n'))) {
      const from = at;
      while (at < left.length && left[at] !== text && messages.has(left[at] ?? '')) at += 1;
      if (left[at] === text) at += 1;
      else {
        report.leaveOut(
          `the recipe of ${target}`,
          `make prints another line when it is asked again: ${JSON.stringify(left[from] ?? '')}, not ${JSON.stringify(text)}; is there a value that changes?`,
          line,
          file,
        );
        at = resumed(left, from, text);
      }
    }
  }
  const more = left.slice(at).find((each) => each.trim() !== '' && !messages.has(each));
  if (more !== undefined)
    report.leaveOut('a line of the makefile', `make prints it when it is asked again, and no job has it: ${more}`);
}

/** Where to go on behind a line that differs: it is passed over. */
const resumed = (left: readonly string[], from: number, text: string): number => {
  const later = left.indexOf(text, from);
  return later < 0 ? from + 1 : later + 1;
};
