import type { RecipeJob, MakeReading } from './made.ts';

interface Needs {
  readonly inputs: readonly string[];
  readonly dependsOn: readonly string[];
}

/** The files that a job reads, and the jobs that come before without a file. */
export function neededBy(job: RecipeJob, { made, targets, walk, report }: MakeReading): Needs {
  const inputs = new Set<string>();
  const dependsOn = new Set<string>();
  const seen = new Map<string, boolean>();
  const visit = (name: string, isOrderOnly: boolean): void => {
    // One that is needed for the order alone may be needed for its contents, too.
    if (seen.has(name) && (isOrderOnly || seen.get(name) === false)) return;
    seen.set(name, isOrderOnly);
    const other = made.get(name);
    const target = targets.get(name);
    const exists = !walk.missing.has(name);
    if (other === job) return;
    if (other !== undefined && (isOrderOnly || !other.outputs.includes(name))) dependsOn.add(other.name);
    else if (other !== undefined) inputs.add(name);
    else {
      // A target without a recipe stands for its own prerequisites.
      for (const each of target?.prerequisites ?? []) visit(each, isOrderOnly);
      for (const each of target?.orderOnly ?? []) visit(each, true);
      if (exists && target?.isPhony !== true && !isOrderOnly) inputs.add(name);
      else if (target?.prerequisites.length === 0 && !exists && !isOrderOnly)
        report.note(
          `${name}, which ${target.file === undefined ? 'no rule makes' : 'its rule does not make'}`,
          `make runs ${job.target} each time; torc runs it again only when its files change`,
          job.steps[0]?.line,
          job.steps[0]?.file,
        );
    }
  };
  for (const each of [job.target, ...job.outputs]) {
    for (const name of targets.get(each)?.prerequisites ?? []) visit(name, false);
    for (const name of targets.get(each)?.orderOnly ?? []) visit(name, true);
  }
  return { inputs: [...inputs], dependsOn: [...dependsOn] };
}
