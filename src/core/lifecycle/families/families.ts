import { jobStatuses } from '../../job/job-statuses.ts';
import { withoutNumbers } from '../../text/without-numbers.ts';

/**
 * Families of jobs: what a person sees of a workflow with a hundred thousand jobs.
 *
 * Two jobs are of one family if their names are the same without numbers, and the names of the jobs that they depend on
 * are the same without numbers. So the jobs of one template are a family, and the first job of a chain, which depends on
 * nothing, is another one. The family of a job follows from the job and its direct dependencies alone, so its key stays
 * the same while other jobs come and go.
 */
export interface Family {
  readonly key: string;
  /** The name of its jobs, with `#` for numbers. */
  readonly pattern: string;
  readonly firstJobId: number;
  readonly jobs: number;
  /** The number of jobs by the number of their status. */
  readonly byStatus: readonly number[];
}

interface FamilyEdge {
  /** Positions in the list of families: `to` depends on `from`. */
  readonly from: number;
  readonly to: number;
  /** Dependencies between their jobs. */
  readonly dependencies: number;
}

export interface GroupedFamilies {
  /** In the order of their first jobs. */
  readonly families: readonly Family[];
  readonly edges: readonly FamilyEdge[];
  /** The ids of all jobs, ascending. */
  readonly ids: readonly number[];
  /** The family of each job, as a position in the list. */
  readonly familyOf: readonly number[];
}

export interface FamilyBuilder {
  /** In the order of the ids. */
  addJob(id: number, name: string, status: number): void;
  /** After all jobs; those of one job one after another. An id that was not added is left out. */
  addDependency(jobId: number, dependsOnId: number): void;
  /** Yields often, so that the caller can pause. */
  finish(): Generator<undefined, GroupedFamilies>;
}

/** Steps between two yields: less than a millisecond. */
const STEPS = 5_000;

export function createFamilyBuilder(): FamilyBuilder {
  const ids: number[] = [];
  const statuses: number[] = [];
  const stems = createNumbering();
  const stemOf: number[] = [];
  const sets = createNumbering();
  /** The set of names that each job depends on. */
  const setOf: number[] = [];
  const none = sets.of('[]');
  const edges: { readonly from: number[]; readonly to: number[] } = { from: [], to: [] };
  let current = -1;
  /** The names that it depends on; a set for those with several. */
  let [above, others] = [-1, undefined as Set<number> | undefined];

  /** The set of one name, for each name: most jobs depend on jobs with one. */
  const setOfStem = new Map<number, number>();
  const numberOf = (names: readonly number[]) =>
    sets.of(JSON.stringify(names.map((stem) => stems.texts[stem] as string).sort()));

  const endOfJob = () => {
    if (current === -1) return;
    let set = others === undefined ? setOfStem.get(above) : numberOf([...others]);
    if (set === undefined) setOfStem.set(above, (set = numberOf([above])));
    setOf[current] = set;
  };
  /** The ids of a workflow mostly follow one another. */
  const positionOf = (id: number) => {
    const near = id - (ids[0] ?? 0);
    return ids[near] === id ? near : positionIn(ids, id);
  };

  return {
    addJob(id, name, status) {
      ids.push(id);
      statuses.push(status);
      stemOf.push(stems.of(withoutNumbers(name)));
      setOf.push(none);
    },

    addDependency(jobId, dependsOnId) {
      const to = positionOf(jobId);
      const from = positionOf(dependsOnId);
      if (to === -1 || from === -1) return;
      if (to !== current) {
        endOfJob();
        [current, above, others] = [to, -1, undefined];
      }
      const stem = stemOf[from] as number;
      if (above === -1) above = stem;
      else if (stem !== above) others = (others ?? new Set([above])).add(stem);
      edges.from.push(from);
      edges.to.push(to);
    },

    *finish() {
      endOfJob();
      const found = new Map<number, number>();
      const families: { stem: number; set: number; firstJobId: number; jobs: number; byStatus: number[] }[] = [];
      const familyOf: number[] = [];
      for (const [job, id] of ids.entries()) {
        if (job % STEPS === 0) yield;
        const [stem, set] = [stemOf[job] as number, setOf[job] as number];
        const pair = set * stems.texts.length + stem;
        let position = found.get(pair);
        if (position === undefined) {
          position = families.length;
          found.set(pair, position);
          families.push({ stem, set, firstJobId: id, jobs: 0, byStatus: jobStatuses.map(() => 0) });
        }
        const family = families[position] as (typeof families)[number];
        family.jobs += 1;
        const status = statuses[job] as number;
        family.byStatus[status] = (family.byStatus[status] as number) + 1;
        familyOf.push(position);
      }
      const counted = new Map<number, number>();
      for (const [edge, from] of edges.from.entries()) {
        if (edge % STEPS === 0) yield;
        const pair = (familyOf[from] as number) * families.length + (familyOf[edges.to[edge] as number] as number);
        counted.set(pair, (counted.get(pair) ?? 0) + 1);
      }
      return {
        ids,
        familyOf,
        families: families.map(({ stem, set, ...family }) => {
          const pattern = stems.texts[stem] as string;
          return { ...family, pattern, key: hashOf(`${pattern}\n${sets.texts[set]}`) };
        }),
        edges: [...counted].map(([pair, dependencies]) => ({
          from: Math.floor(pair / families.length),
          to: pair % families.length,
          dependencies,
        })),
      };
    },
  };
}

/** A number for each different text, from 0. */
function createNumbering() {
  const numbers = new Map<string, number>();
  const texts: string[] = [];
  return {
    texts,
    of(text: string): number {
      let found = numbers.get(text);
      if (found === undefined) {
        found = texts.push(text) - 1;
        numbers.set(text, found);
      }
      return found;
    },
  };
}

/** The position of a number in an ascending list; -1 if it is not there. */
export function positionIn(list: readonly number[], wanted: number): number {
  const position = positionBehind(list, wanted - 1);
  return list[position] === wanted ? position : -1;
}

/** The position of the first number of an ascending list of integers that is greater; the length of the list if none is. */
export function positionBehind(list: readonly number[], least: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] as number) > least) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** 53 bits: enough to distinguish families, and no protection against anybody who looks for two alike. */
function hashOf(text: string): string {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36);
}
