import type { Report } from '../conversion.ts';
import { uniqueNames } from '../unique-names.ts';
import type { Target } from './database.ts';
import { isFileTarget } from './outputs.ts';
import type { SecondLook } from './second-look.ts';
import type { RecipeStep } from './trace.ts';
import type { MakeWalk } from './walk.ts';

/** A recipe that becomes a job. */
export interface RecipeJob {
  readonly target: string;
  readonly name: string;
  readonly steps: RecipeStep[];
  /** The targets that it makes and that are files. */
  readonly outputs: string[];
}

/** All that make printed, as it was read. */
export interface MakeReading {
  readonly targets: ReadonlyMap<string, Target>;
  readonly made: ReadonlyMap<string, RecipeJob>;
  readonly walk: MakeWalk;
  readonly look: SecondLook;
  readonly report: Report;
}

/** The jobs by target; targets that one recipe makes together have the same job. */
export function madeBy(
  steps: readonly RecipeStep[],
  targets: ReadonlyMap<string, Target>,
): ReadonlyMap<string, RecipeJob> {
  const unique = uniqueNames();
  const made = new Map<string, RecipeJob>();
  for (const step of steps) {
    if (step.lines.length === 0) continue;
    const target = targets.get(step.target);
    const job = made.get(step.target) ?? { target: step.target, name: unique(step.target), steps: [], outputs: [] };
    job.steps.push(step);
    for (const each of [step.target, ...(target?.alsoMakes ?? [])]) {
      made.set(each, job);
      if (isFileTarget(each, targets.get(each) ?? target, job.steps) && !job.outputs.includes(each))
        job.outputs.push(each);
    }
  }
  return made;
}
