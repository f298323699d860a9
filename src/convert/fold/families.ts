import { sequence } from '../../core/lists/sequence.ts';
import { combine } from '../../core/workflow-file/expand/axes.ts';
import type { Value, ValueMap } from '../../core/workflow-file/text/value.ts';
import { alignTexts, type Row } from './align.ts';
import { canBeListed } from './columns.ts';
import { instanceTest, templateOfJobs } from './template.ts';

/** A job with the values of the wildcards that it was made for. */
export interface Member {
  readonly job: ValueMap;
  readonly row: Row;
}

/** Jobs with the template that stands for all of them, and the parameters that it names. */
export interface FoundFamily {
  readonly template: ValueMap;
  readonly names: readonly string[];
  readonly members: readonly Member[];
}

// A rule whose jobs have nothing in common is not compared job by job: 20,000 jobs would take minutes.
const MOST_TRIES = 8;
/** Jobs by which a template is made, and those that may contradict it before it is taken as it is. */
const MOST_EXAMPLES = 8;

/** The families among jobs of one rule and one shape, each job in one at most. `nameFor` gives a parameter a name that is free. */
export function familiesAmong(given: readonly Member[], nameFor: (name: string) => string): readonly FoundFamily[] {
  const families: FoundFamily[] = [];
  let rest = given.filter(isWritable);
  for (let tries = 0; tries < MOST_TRIES && rest.length > 1; tries += 1) {
    const plain = familyOfFirst(rest);
    const derived = (plain?.members.length ?? 0) * 2 < rest.length ? withOwnColumns(rest, nameFor) : rest;
    const other = derived === rest ? undefined : familyOfFirst(derived);
    const family = (other?.members.length ?? 0) > (plain?.members.length ?? 0) ? other : plain;
    if (family !== undefined) families.push(family);
    const taken = new Set(family?.members.map(({ job }) => job) ?? [rest[0]?.job]);
    rest = rest.filter(({ job }) => !taken.has(job));
  }
  return families;
}

const isWritable = ({ row }: Member): boolean => [...row.values()].every(canBeListed);

/** The family of the first job and as many of the others as one template stands for. */
function familyOfFirst(all: readonly Member[]): FoundFamily | undefined {
  const [first, ...others] = all as readonly [Member, ...Member[]];
  for (const partner of new Set([others.at(-1), others[0], others[others.length >> 1]])) {
    if (partner === undefined) continue;
    let examples = [first, partner];
    let family = familyOf(examples, all);
    const odd = new Set<Member>();
    while (family !== undefined && examples.length + odd.size < MOST_EXAMPLES) {
      // A job that the template does not make gives a better one, or is in another family.
      const members: ReadonlySet<Member> = new Set(family.members);
      const other = all.find((each) => !members.has(each) && !odd.has(each));
      if (other === undefined) break;
      const better = familyOf([...examples, other], all);
      if (better === undefined || better.members.length <= family.members.length) odd.add(other);
      else [family, examples] = [better, [...examples, other]];
    }
    // A parameter that does not vary among its members is none.
    const exact = family === undefined ? undefined : familyOf(examples, family.members);
    if (exact !== undefined && exact.members.length > 1) return exact;
  }
  return undefined;
}

function familyOf(examples: readonly Member[], all: readonly Member[]): FoundFamily | undefined {
  const names = varyingNames(all);
  const rows = examples.map(({ row }) => row);
  const template = templateOfJobs(
    examples.map(({ job }) => job),
    rows,
    names,
  );
  if (template === undefined) return undefined;
  const axes = names.map((name) => ({ name, values: sequence(all.length, (at) => all[at]?.row.get(name)) }));
  const isInstance = instanceTest(template, combine(axes, 'zip'));
  const text = JSON.stringify(template);
  return {
    template,
    names: names.filter((name) => text.includes(`{${name}}`)),
    members: all.filter(({ job }, at) => isInstance(job, at)),
  };
}

const varyingNames = (members: readonly Member[]): readonly string[] =>
  [...(members[0]?.row.keys() ?? [])].filter((name) => new Set(members.map(({ row }) => row.get(name))).size > 1);

/** With a parameter more for each input that no wildcard explains, as a function returns it, and one for such a name. */
function withOwnColumns(members: readonly Member[], nameFor: (name: string) => string): readonly Member[] {
  const names = varyingNames(members);
  const examples = [...new Set([0, 1, 2, members.length >> 1, members.length - 1])].flatMap((at) => members[at] ?? []);
  const rows = examples.map(({ row }) => row);
  const isExplained = (textOf: (job: ValueMap) => string) =>
    alignTexts(
      examples.map(({ job }) => textOf(job)),
      rows,
      names,
    ) !== undefined;
  const inputs = (members[0]?.job['inputs'] ?? []) as readonly Value[];
  const inputAt = (at: number) => (job: ValueMap) => (job['inputs'] as string[])[at] ?? '';
  const open = [...inputs.keys()].filter((at) => !isExplained(inputAt(at)));
  const columns = open.map((at): [string, (job: ValueMap) => string] => [
    nameFor(open.length === 1 ? 'input' : `input_${at + 1}`),
    inputAt(at),
  ]);
  const nameOf = (job: ValueMap) => job['name'] as string;
  if (!isExplained(nameOf)) {
    const head = commonHead(members.map(({ job }) => nameOf(job)));
    columns.push([nameFor('label'), (job) => nameOf(job).slice(head.length)]);
  }
  if (columns.length === 0 || columns.length > MOST_COLUMNS) return members;
  return members
    .map(({ job, row }) => ({
      job,
      row: new Map([...row, ...columns.map(([name, textOf]): [string, string] => [name, textOf(job)])]),
    }))
    .filter(isWritable);
}

// A table of more columns is no easier to read than the jobs.
const MOST_COLUMNS = 4;

/** Up to the last `_` before the texts differ. */
function commonHead(texts: readonly string[]): string {
  const [first = ''] = texts;
  let end = 0;
  while (end < first.length && texts.every((text) => text[end] === first[end])) end += 1;
  return first.slice(0, first.lastIndexOf('_', end - 1) + 1);
}
