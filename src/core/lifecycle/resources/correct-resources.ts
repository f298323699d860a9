import { greatest } from '../../quantity/extremes.ts';
import {
  type NeedChange,
  createFamilyUse,
  type FamilyUse,
  type JobUse,
  memoryRounded,
  type Multipliers,
  type Purpose,
  NEED_FIELDS,
  runtimeRounded,
  withMargin,
} from './family-use.ts';
import { withoutNumbers } from '../../text/without-numbers.ts';
import { LEAST_DIFFERENCE, lackOf, lacksAnything, type Limits } from './resource-use.ts';

/** The change of a requirements record; undefined fields stay. */
export interface Correction {
  readonly requirementsId: number;
  readonly direction: 'upscale' | 'downscale';
  /** The jobs that need this change. */
  readonly jobs: readonly JobUse[];
  /** The jobs that get it: for some of those that share the requirements it is a new record. */
  readonly sharing: readonly JobUse[];
  readonly isSplit: boolean;
  readonly memoryBytes: number | undefined;
  readonly numCpus: number | undefined;
  readonly runtimeSeconds: number | undefined;
}

interface CorrectOptions {
  readonly downsizes: boolean;
  readonly purpose: Purpose;
  /** The jobs that may raise requirements. */
  readonly isChosen?: ((job: JobUse) => boolean) | undefined;
}

/** Of fewer jobs one knows too little to lower a request, or to give them CPUs that the others did not need. */
export const FEWEST_JOBS = 3;
// A shorter request only makes a wait for nodes shorter: less is not worth the risk that the next run takes a little longer.
export const SAVED_RUNTIME_SECONDS = 30 * 60;
// A short job that no sample saw is measured by the kernel, above the memory of the runner itself.
const LEAST_MEMORY_BYTES = 128 * 2 ** 20;
const LEAST_RUNTIME_SECONDS = 60;

/**
 * Computes new requirements from the use of the jobs that share them.
 *
 * As advice: a family that needs more gets requirements of its own if others share them, and requirements shrink only when
 * every job with them succeeded, was measured and stayed within them. To recover: shared requirements grow for all.
 */
export function correctResources(
  requirements: ReadonlyMap<number, Limits>,
  jobs: readonly JobUse[],
  multipliers: Multipliers,
  { downsizes, purpose, isChosen = () => true }: CorrectOptions,
): Correction[] {
  const byRequirements = Map.groupBy(jobs, ({ requirementsId }) => requirementsId);
  return [...byRequirements].flatMap(([id, sharing]): Correction[] => {
    const limits = requirements.get(id);
    if (limits === undefined) return [];
    const stems = Map.groupBy(sharing, ({ name }) => withoutNumbers(name));
    const families = [...stems].map(([stem, ofStem]) => {
      const { family, add } = createFamilyUse(stem, limits, multipliers, purpose);
      for (const job of ofStem) add(job, isChosen(job));
      return family;
    });
    return sharingPartsOf(limits, families, multipliers, { downsizes, purpose }).map(({ change, isSplit, ...part }) => {
      const all = part.families.flatMap(({ stem }) => stems.get(stem) ?? []);
      const lacking = all.filter((job) => job.use && isChosen(job) && lacksAnything(lackOf(limits, job.use)));
      const direction = NEED_FIELDS.some((each) => isRaise(limits, change, each)) ? 'upscale' : 'downscale';
      const needing = direction === 'upscale' ? lacking : all;
      return { requirementsId: id, direction, jobs: needing, sharing: all, isSplit, ...unchanged, ...change };
    });
  });
}

const unchanged = { memoryBytes: undefined, numCpus: undefined, runtimeSeconds: undefined };

/** Whether a resource of requirements with these limits becomes more. */
export const isRaise = (limits: Limits, change: NeedChange, resource: keyof NeedChange): boolean =>
  (change[resource] ?? 0) > (limits[resource] ?? Infinity);

/** Some families of those that share requirements, and how those change for them. */
export interface SharingPart {
  readonly families: readonly FamilyUse[];
  readonly change: NeedChange;
  /** They get requirements of their own. */
  readonly isSplit: boolean;
}

/** The parts of the jobs that share requirements whose requirements change. */
export function sharingPartsOf(
  limits: Limits,
  families: readonly FamilyUse[],
  multipliers: Multipliers,
  { downsizes, purpose }: Pick<CorrectOptions, 'downsizes' | 'purpose'>,
): SharingPart[] {
  const lowered = (part: readonly FamilyUse[]) => (downsizes ? loweredTo(limits, part, multipliers) : {});
  const needs = families.map((family) => ({ family, raised: raisedTo(limits, [family], purpose) }));
  const raising = needs.filter(({ raised }) => isChange(raised));
  const isSame = new Set(raising.map(({ raised }) => JSON.stringify(raised))).size < 2;
  const areTogether = purpose === 'recovery' || (raising.length === families.length && isSame);
  if (areTogether) {
    const change = { ...lowered(families), ...raisedTo(limits, families, purpose) };
    return isChange(change) ? [{ families, change, isSplit: false }] : [];
  }
  const steady = needs.filter(({ raised }) => !isChange(raised)).map(({ family }) => family);
  // Where all need more, those with the most jobs keep the record.
  const keeper = steady.length > 0 ? undefined : raising.toSorted((a, b) => b.family.jobs - a.family.jobs)[0];
  const stays = steady.length > 0 ? [{ families: steady, change: lowered(steady), isSplit: false }] : [];
  const own = raising.map((each) => ({
    families: [each.family],
    change: { ...lowered([each.family]), ...each.raised },
    isSplit: each !== keeper,
  }));
  return [...stays, ...own].filter(({ change }) => isChange(change));
}

const isChange = (change: NeedChange) => NEED_FIELDS.some((resource) => change[resource] !== undefined);

function raisedTo(limits: Limits, families: readonly FamilyUse[], purpose: Purpose): NeedChange {
  const change: NeedChange = {};
  for (const resource of NEED_FIELDS) {
    const heeded = families.map(({ raise }) => raise[resource]);
    const jobs = heeded.reduce((sum, each) => sum + each.jobs, 0);
    if (resource === 'numCpus' && purpose === 'advice' && jobs < FEWEST_JOBS) continue;
    const most = greatest(
      heeded.map((each) => each.most),
      0,
    );
    if (most > (limits[resource] ?? Infinity)) change[resource] = most;
  }
  return change;
}

/** Lower values for jobs that all completed, were measured and lacked nothing of the resource. */
function loweredTo(limits: Limits, families: readonly FamilyUse[], multipliers: Multipliers): NeedChange {
  const sum = (of: (family: FamilyUse) => number) => families.reduce((total, family) => total + of(family), 0);
  const jobs = sum((family) => family.jobs);
  const isWhole = sum(({ completed }) => completed) === jobs && sum(({ chosen }) => chosen) > 0;
  if (!isWhole) return {};
  const change: NeedChange = {};
  for (const resource of NEED_FIELDS) {
    const given = limits[resource];
    const measured = sum(({ used }) => used[resource].jobs);
    const expected = resource === 'numCpus' ? jobs - sum(({ short }) => short) : jobs;
    const isKnown = measured === expected && measured >= FEWEST_JOBS && sum(({ lack }) => lack[resource]) === 0;
    if (given === undefined || !isKnown) continue;
    const most = greatest(families.map(({ used }) => used[resource].most));
    const enough = enoughOf(resource, most, multipliers);
    const saved = given - enough;
    const least = resource === 'runtimeSeconds' ? SAVED_RUNTIME_SECONDS : 0;
    if (saved > least && saved >= given * LEAST_DIFFERENCE) change[resource] = enough;
  }
  return change;
}

/** A request for the greatest use, in the units in which it is written, and never below it. */
function enoughOf(resource: keyof NeedChange, most: number, { memory, runtime }: Multipliers): number {
  // The margin of CPUs is in the use.
  if (resource === 'numCpus') return most;
  return resource === 'memoryBytes'
    ? memoryRounded(Math.max(LEAST_MEMORY_BYTES, withMargin(most, Math.max(1, memory))))
    : runtimeRounded(Math.max(LEAST_RUNTIME_SECONDS, withMargin(most, Math.max(1, runtime))));
}
