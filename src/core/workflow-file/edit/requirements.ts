import { Refusal } from '../../contract/refusals.ts';
import type { ResourceRequirements } from '../../contract/resources.ts';
import type { TextPlace } from '../../json/place.ts';
import { limitsOf } from '../../lifecycle/resources/resource-use.ts';
import { counted } from '../../quantity/count-text.ts';
import type { Plan } from '../plan/plan.ts';
import { offsetOf, lineFinder } from '../text/place.ts';
import { formatOfName, readText, type Source } from '../text/read-text.ts';
import { isMap, type Value } from '../text/value.ts';
import { isSame } from '../update/same.ts';
import { addedField, addedRecord, type EditedText, replaced, Unplaceable } from './notation.ts';
import { changedLines, type Splice, spliced } from './splice.ts';

/** Requirements that change, for the jobs with these names; as a record of their own if others keep the old one. */
export interface RequirementsAdvice {
  readonly before: ResourceRequirements;
  readonly after: ResourceRequirements;
  readonly isSplit: boolean;
  readonly jobs: ReadonlySet<string>;
}

interface EditOptions {
  /** For each job of the workflow the name of its requirements. */
  readonly requirementsOf: ReadonlyMap<string, string>;
  /** The plan of a text of the file. Throws if it is no valid workflow. */
  readonly planOf: (source: Source) => Plan;
}

/** A workflow file with the advice in it. */
export interface EditedFile {
  readonly text: string;
  /** As `diff -U0` prints them; none if the file has the advice already. */
  readonly diff: readonly string[];
}

/**
 * Writes advice about requirements into the text of a workflow file. Comments, order and notation stay.
 *
 * The new text is read again: it is refused unless each job gets what the advice says, and nothing else differs.
 * Throws: `FILE_DIFFERS` where the file is not what the advice is about, `FILE_UNEDITABLE`.
 */
export function editRequirements(
  source: Source,
  advice: readonly RequirementsAdvice[],
  { requirementsOf, planOf }: EditOptions,
): EditedFile {
  const format = source.format ?? formatOfName(source.name);
  const parsed = readText(source, () => {});
  if (format === undefined || parsed === undefined)
    throw new Refusal(
      'FILE_UNEDITABLE',
      `${source.name}: the name of a workflow file ends in .yaml, .json, .json5 or .kdl`,
    );
  const plan = planOf(source);
  const root = parsed.places();
  const finder = lineFinder(source.text);
  const placed = (offset: number) => {
    const { line, column } = finder(offset);
    return `${source.name}:${line}:${column}`;
  };
  const work = { text: { text: source.text, format }, root, value: parsed.value, plan };
  const differences = differencesOf(work, advice, requirementsOf).map(
    ({ at, message }) => `${placed(offsetOf(root, at, false))}: ${message}`,
  );
  if (differences.length > 0) throw differs(source.name, differences);
  let splices: Splice[];
  try {
    splices = advice.flatMap((each) => splicesOf(work, each));
  } catch (error) {
    if (!(error instanceof Unplaceable)) throw error;
    throw uneditable(`${placed(error.offset)}: ${error.message}`, advice, error);
  }
  const text = spliced(source.text, splices);
  const edited = { ...source, text };
  const wrong = splices.length > 0 && !isAsAdvised({ ...work, edited, after: planOf(edited) }, advice);
  if (wrong) throw uneditable(`${source.name}: its requirements are shared in a way that cannot be edited`, advice);
  return { text, diff: changedLines(source.text, splices) };
}

interface Work {
  readonly text: EditedText;
  readonly root: TextPlace;
  readonly value: Value;
  readonly plan: Plan;
}

const SHOWN = 10;

const differs = (name: string, differences: readonly string[]) =>
  new Refusal(
    'FILE_DIFFERS',
    [
      `${name} differs from the workflow in what would change; nothing was written:`,
      ...differences.slice(0, SHOWN).map((line) => `  ${line}`),
      ...(differences.length > SHOWN ? [`  … and ${differences.length - SHOWN} more differences`] : []),
    ].join('\n'),
  );

function uneditable(message: string, advice: readonly RequirementsAdvice[], cause?: unknown): Refusal {
  const wanted = advice
    .slice(0, SHOWN)
    .map(({ after, jobs }) => `  ${after.name} (${counted(jobs.size, 'job')}): ${needsText(after)}`);
  return new Refusal(
    'FILE_UNEDITABLE',
    [`${message}; nothing was written. The advice:`, ...wanted].join('\n'),
    {},
    { cause },
  );
}

interface FileDifference {
  readonly at: readonly (string | number)[];
  readonly message: string;
}

/** Where the file has other requirements or jobs than those that the advice is about. */
function differencesOf(
  { plan }: Work,
  advice: readonly RequirementsAdvice[],
  requirementsOf: EditOptions['requirementsOf'],
): FileDifference[] {
  const found: FileDifference[] = [];
  const add = (at: FileDifference['at'], message: string) => found.push({ at, message });
  const changed = new Map(advice.map((each) => [each.before.name, each]));
  const inPlace = new Map(advice.filter(({ isSplit }) => !isSplit).map((each) => [each.before.name, each.after]));
  for (const { before } of changed.values()) {
    const index = plan.resourceRequirements.findIndex(({ name }) => name === before.name);
    const has = plan.resourceRequirements[index];
    if (has === undefined) add(['resource_requirements'], `there are no requirements named ${before.name}`);
    else if (!isAlike(has, before) && !isAlike(has, inPlace.get(before.name) ?? before))
      add(
        ['resource_requirements', index],
        `${before.name} asks for ${needsText(has)}; in the workflow it asks for ${needsText(before)}`,
      );
  }
  const wanted = wantedOf(advice);
  const missing = new Set(wanted.keys());
  for (let job = 0; job < plan.jobs.length && found.length <= SHOWN; job += 1) {
    const name = plan.jobName(job);
    missing.delete(name);
    const has = needsOf(plan, job)?.name;
    const had = requirementsOf.get(name);
    const isDone = has !== undefined && has === wanted.get(name)?.after.name;
    if (has === had || isDone || ((has === undefined || !changed.has(has)) && !wanted.has(name))) continue;
    add(
      ['jobs', plan.entryOf(job), 'resource_requirements'],
      `job ${name} has the requirements ${has ?? 'default'}; ${had === undefined ? 'the workflow has no such job' : `in the workflow it has ${had}`}`,
    );
  }
  for (const name of [...missing].slice(0, SHOWN)) add(['jobs'], `the file has no job ${name}`);
  return found;
}

/** The advice for each job that gets a record of its own, by the name of the job. */
const wantedOf = (advice: readonly RequirementsAdvice[]) =>
  new Map(advice.flatMap((each) => (each.isSplit ? [...each.jobs].map((name) => [name, each] as const) : [])));

const needsOf = ({ jobs, resourceRequirements }: Plan, job: number) =>
  resourceRequirements[jobs.at(job).resourceRequirements ?? -1];

type Needs = Pick<ResourceRequirements, 'num_cpus' | 'memory' | 'runtime'>;

const isAlike = (one: Needs, other: Needs) => isSame(limitsOfFile(one), limitsOfFile(other));
/** A file without a runtime means an hour. */
const limitsOfFile = (needs: Needs) => limitsOf({ runtime: 'PT1H', ...needs } as ResourceRequirements);

const needsText = ({ num_cpus: cpus, memory, runtime }: Needs) =>
  [counted(cpus ?? 1, 'CPU'), memory, runtime].filter((each) => each !== undefined).join(', ');

const CHANGING = ['num_cpus', 'memory', 'runtime'] as const;

function splicesOf(work: Work, { before, after, isSplit, jobs }: RequirementsAdvice): Splice[] {
  const { text, root, plan } = work;
  const records = plan.resourceRequirements;
  const index = records.findIndex(({ name }) => name === before.name);
  const list = root.fields?.get('resource_requirements');
  const record = list?.items?.[index];
  const has = records[index];
  if (list === undefined || record === undefined || has === undefined) throw new Unplaceable(root.at);
  const given = CHANGING.flatMap((field) => {
    const value = after[field];
    return value === undefined || value === null ? [] : [[field, value] as const];
  });
  if (!isSplit)
    return given.flatMap(([field, value]) => {
      if (value === before[field] || isAlike(has, after)) return [];
      const place = record.fields?.get(field);
      return place === undefined ? addedField(text, record, 'memory', [field, value]) : replaced(text, place, value);
    });
  const fields = Object.entries({ ...has, ...Object.fromEntries(given), name: after.name });
  const isThere = records.some(({ name }) => name === after.name);
  const added = isThere ? [] : [addedRecord(text, list, record, { called: 'resource_requirements', fields })];
  return [...added, ...entriesOf(work, jobs).flatMap((entry) => movedEntry(work, entry, after.name))];
}

/** The entries that make these jobs. Each must make no others. */
function entriesOf({ plan, root }: Work, jobs: ReadonlySet<string>): number[] {
  const entries = new Map<number, { inside: number; outside: number }>();
  for (let job = 0; job < plan.jobs.length; job += 1) {
    const entry = plan.entryOf(job);
    const count = entries.get(entry) ?? { inside: 0, outside: 0 };
    if (jobs.has(plan.jobName(job))) count.inside += 1;
    else count.outside += 1;
    entries.set(entry, count);
  }
  return [...entries].flatMap(([entry, { inside, outside }]) => {
    if (inside === 0) return [];
    if (outside > 0) throw new Unplaceable(offsetOf(root, ['jobs', entry, 'resource_requirements'], false));
    return [entry];
  });
}

function movedEntry({ text, root, value }: Work, entry: number, name: string): Splice[] {
  const place = root.fields?.get('jobs')?.items?.[entry]?.fields?.get('resource_requirements');
  const jobs = isMap(value) ? (value['jobs'] as readonly { readonly resource_requirements?: Value }[]) : [];
  if (jobs[entry]?.resource_requirements === name) return [];
  if (place === undefined) throw new Unplaceable(offsetOf(root, ['jobs', entry], false));
  return [replaced(text, place, name)];
}

/** Whether the edited file gives each job what the advice says, and is the same in everything else. */
function isAsAdvised(
  { plan, value, edited, after }: Work & { readonly edited: Source; readonly after: Plan },
  advice: readonly RequirementsAdvice[],
): boolean {
  const again = readText(edited, () => {})?.value;
  if (again === undefined || !isSame(others(value), others(again)) || after.jobs.length !== plan.jobs.length)
    return false;
  const own = wantedOf(advice);
  const stays = new Map(advice.flatMap((each) => (each.isSplit ? [] : [[each.before.name, each.after] as const])));
  for (let job = 0; job < plan.jobs.length; job += 1) {
    const [had, has] = [needsOf(plan, job), needsOf(after, job)];
    const wanted = own.get(plan.jobName(job))?.after ?? stays.get(had?.name ?? '') ?? had;
    if (wanted === undefined ? has !== undefined : has?.name !== wanted.name || !isAlike(has, wanted)) return false;
  }
  return true;
}

/** The file without what the advice changes. */
function others(value: Value): Value {
  if (!isMap(value)) return value;
  const { resource_requirements: _, jobs, ...rest } = value;
  const withoutNeeds = (job: Value): Value => {
    if (!isMap(job)) return job;
    const { resource_requirements: __, ...kept } = job;
    return kept;
  };
  return { ...rest, jobs: Array.isArray(jobs) ? jobs.map(withoutNeeds) : (jobs ?? null) };
}
