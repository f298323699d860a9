import { Complaints } from './complaints.ts';
import { planDraft, type PlanOptions } from './plan-draft.ts';
import type { Plan } from '../plan/plan.ts';
import type { Problem } from '../problems/problems.ts';
import { readText, type Source } from '../text/read-text.ts';
import { isMap, type Value, type ValueMap } from '../text/value.ts';

export interface ReadOptions extends PlanOptions {
  /** Turns warnings about ignored parts into errors: unknown KDL nodes, duplicate keys, unknown names in commands. */
  readonly strict?: boolean;
}

/** The result of reading a workflow file. */
export interface SpecReading {
  /**
   * The plan; absent if the file could not be read as a workflow. It exists beside errors that were found later, for
   * its counts: only a reading without errors may be created.
   */
  readonly plan: Plan | undefined;
  readonly problems: readonly Problem[];
  /** The workflow's name in the file, as far as it could be read. */
  readonly name: string;
  readonly description: string | undefined;
}

/**
 * Reads a workflow file of any format into a plan, or reports all of its problems, each with its place.
 *
 * Reads parameter tables through `readFile`; accesses nothing else.
 */
export function readSpec(source: Source, options: ReadOptions): SpecReading {
  const complaints = new Complaints();
  const reading = readText(source, complaints.add);
  const plan = reading === undefined ? undefined : planDraft(reading.value, options, complaints);
  const places = reading?.places ?? (() => ({ at: 0 }));
  const problems = complaints.problems(source.name, source.text, places, options.strict ?? false);
  return { plan, problems, ...titleOf(reading?.value ?? null) };
}

/** The same for a workflow from a program: an object as in a file. Problems contain `name`. */
export function planOfSpec(spec: unknown, name: string, options: ReadOptions): SpecReading {
  const complaints = new Complaints();
  const plan = planDraft(spec as Value, options, complaints);
  const problems = complaints
    .problems(name, '', () => ({ at: 0 }), options.strict ?? false)
    .map(({ line: _line, column: _column, ...problem }) => problem);
  return { plan, problems, ...titleOf(spec as Value) };
}

/**
 * Whether the workflow may be created; warnings do not prevent it.
 *
 * With `skipsChecks` the checks that creation itself does not need are ignored: whether jobs fit the nodes of their
 * allocations. Anything that could not be created is still refused.
 */
export const isAcceptable = ({ plan, problems }: SpecReading, { skipsChecks = false } = {}): boolean =>
  plan !== undefined &&
  problems.every(({ severity, code }) => severity !== 'error' || (skipsChecks && code === 'SCHEDULER_NODES'));

function titleOf(value: Value): { name: string; description: string | undefined } {
  const { name, description }: ValueMap = isMap(value) ? value : {};
  return {
    name: typeof name === 'string' ? name : '',
    description: typeof description === 'string' ? description : undefined,
  };
}
