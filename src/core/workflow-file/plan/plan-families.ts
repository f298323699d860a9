import { createFamilyBuilder } from '../../lifecycle/families/families.ts';
import { itemsOf } from '../../lists/int-list.ts';
import { withoutNumbers } from '../../text/without-numbers.ts';
import type { Graph } from '../graph/graph.ts';
import type { Staged } from './execution-plan.ts';

/** The graph of a plan by families, with the keys that the families of the workflow will have. */
export interface PlanFamilies {
  readonly families: readonly { readonly key: string; readonly name: string; readonly jobs: number }[];
  /** `to` depends on `from`. */
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

/**
 * The families of the jobs of a plan. A thousand jobs that wait for the same thousand are looked at twice a thousand times, not a
 * million times: what is between them is looked at once.
 */
export function planFamilies({
  graph,
  jobs: { length },
  jobName,
}: Pick<Staged, 'graph' | 'jobs' | 'jobName'>): PlanFamilies {
  const builder = createFamilyBuilder();
  const stems = Array.from({ length }, (_, job) => withoutNumbers(jobName(job)));
  for (let job = 0; job < length; job += 1) builder.addJob(job, jobName(job), 0);
  // The family of a job follows from the names before it, so one job of each name is enough.
  const named = membersBehind(graph, (job) => stems[job] as string);
  for (let job = 0; job < length; job += 1)
    for (const before of named(job).values()) if (before !== job) builder.addDependency(job, before);
  const { families, familyOf } = finished(builder.finish());
  const pairs = new Set<number>();
  const members = membersBehind(graph, (job) => familyOf[job] as number);
  for (let job = 0; job < length; job += 1)
    for (const [family, before] of members(job))
      if (before !== job) pairs.add(family * families.length + (familyOf[job] as number));
  const keyAt = (family: number) => (families[family] as (typeof families)[number]).key;
  return {
    families: families.map(({ key, pattern, firstJobId, jobs }) => ({
      key,
      name: jobs === 1 ? jobName(firstJobId) : pattern,
      jobs,
    })),
    edges: [...pairs].map((pair) => ({
      from: keyAt(Math.floor(pair / families.length)),
      to: keyAt(pair % families.length),
    })),
  };
}

/** Of each kind one of the jobs that a node waits for, where others stand between them, too. */
function membersBehind<Kind>({ jobs, waitsFor }: Graph, kindOf: (job: number) => Kind) {
  const known = new Map<number, ReadonlyMap<Kind, number>>();
  const membersOf = (node: number): ReadonlyMap<Kind, number> => {
    const found = new Map<Kind, number>();
    for (const each of itemsOf(waitsFor, node)) {
      if (each < jobs) found.set(kindOf(each), each);
      else for (const [kind, job] of between(each)) found.set(kind, job);
    }
    return found;
  };
  // What stands between jobs is at most three deep: a file, a selection of files, its writers.
  const between = (node: number): ReadonlyMap<Kind, number> => {
    let found = known.get(node);
    if (found === undefined) known.set(node, (found = membersOf(node)));
    return found;
  };
  return membersOf;
}

function finished<Value>(steps: Generator<undefined, Value>): Value {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
