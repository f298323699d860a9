import type { Complain, ValuePath } from '../problems/problems.ts';
import type { SpecFamily, SpecFamilies } from '../expand/family.ts';
import { aboutEach } from '../expand/instances.ts';
import { isOutside } from '../expand/shift.ts';
import { templateOf, type Template } from '../expand/template.ts';
import { fieldsOf, isConcerned, type FamilyFields, type NamedToken } from './fields.ts';
import type { Relation } from './relation.ts';
import { dependencies } from './relations.ts';
import { ListsWriter, type Lists } from '../../lists/int-list.ts';
import type { Lost } from './lost.ts';
import { PatternMalformed } from '../pattern/pattern.ts';
import type { Names, Selections } from '../pattern/selection.ts';
import type { JobSpec } from '../shape/workflow.ts';
import type { Sequence } from '../../lists/sequence.ts';
import { suggest } from '../problems/suggest.ts';
import type { TextPart } from '../problems/text-part.ts';

const NO_LISTS: Lists = { starts: new Int32Array(), items: new Int32Array() };

/** The records that a relation refers to. */
export interface Targets {
  readonly names: Names;
  readonly selections: Selections;
  readonly lost: Lost;
  /** Whether a token may be replaced by the record: user data without data cannot. */
  canStandFor(index: number): boolean;
  /** The record with this path; each path that a job has is one of a record. */
  findPath?(path: string): number;
  /** What a name that no record has probably means, and what to write. */
  adviceFor?(name: string): string | undefined;
}

/**
 * Reads one relation of all jobs: for each job the numbers of the records that it names, and for each pattern the
 * number of its selection, counted on from the number of records.
 */
export class Linker {
  private suggestions = 0;
  private readonly jobs: SpecFamilies<JobSpec>;
  private readonly complain: Complain;
  /** The maximum number of names of one relation, all jobs together. */
  private readonly limit: number;

  constructor(jobs: SpecFamilies<JobSpec>, limit: number, complain: Complain) {
    this.jobs = jobs;
    this.limit = limit;
    this.complain = complain;
  }

  /** Announces the patterns that the selections will be asked for. */
  announce(relation: Relation, { selections }: Targets): void {
    for (const family of this.jobs.all) {
      for (const text of family.spec[relation.patterns] ?? []) {
        const pattern = templateOf(text, family.axes);
        if (pattern.fixed !== undefined) selections.numberOf(pattern.fixed);
        else for (let index = 0; index < family.count; index += 1) selections.numberOf(pattern.render(index));
      }
    }
  }

  link(relation: Relation, targets: Targets): Lists {
    if (!this.jobs.all.some(({ spec }) => isConcerned(spec, relation))) return NO_LISTS;
    const writer = new ListsWriter(this.jobs.length, targets.names.length + targets.selections.count, this.limit);
    for (const family of this.jobs.all) {
      const fields = fieldsOf(family, relation);
      let numbers: number[] = [];
      for (let combination = 0; combination < family.count; combination += 1) {
        // Without parameters, all instances name the same records.
        if (!fields.isFixed || combination === 0) {
          numbers = this.numbersOf({ family, relation, targets, fields, combination });
        }
        if (!writer.isFull) for (const number of numbers) writer.add(number);
        writer.next();
      }
    }
    if (writer.isFull) this.reportTooMany(relation);
    return writer.done();
  }

  private numbersOf(site: Site): number[] {
    const { relation, fields, combination, targets } = site;
    const named: number[] = [];
    // What a job writes is written whatever its number; what it waits for is left out before the first and after the last.
    const isLeftOut = (text: Template): boolean =>
      relation.token?.direction !== 'output' && isOutside(text, combination);
    for (const [at, name] of fields.names.entries()) {
      if (isLeftOut(name)) continue;
      const number = this.named(name.render(combination), [relation.names, at], site);
      if (number !== undefined) named.push(number);
    }
    for (const path of fields.paths) {
      if (isLeftOut(path)) continue;
      const number = targets.findPath?.(path.render(combination)) ?? -1;
      if (number >= 0) named.push(number);
    }
    // Torc ignores the lists of a job as soon as its command has a token: the job would not wait for those records.
    const explicit = [
      ...named,
      ...this.inText(fields.command, 'command', site),
      ...this.inText(fields.script, 'invocation_script', site),
    ];
    const selected: number[] = [];
    for (const [at, pattern] of fields.patterns.entries()) {
      const number = this.selected(pattern.render(combination), [relation.patterns, at], explicit, site);
      if (number !== undefined) selected.push(number);
    }
    for (const each of selected) explicit.push(each);
    return explicit;
  }

  private named(name: string, at: ValuePath, site: Site): number | undefined {
    const { names, lost } = site.targets;
    const number = names.index.find(name);
    if (number >= 0) return number;
    if (lost.mayHave(name)) return undefined;
    const advice = site.targets.adviceFor?.(name);
    const own = site.relation === dependencies ? site.family.name.render(site.combination) : undefined;
    const suggestion = advice === undefined ? this.suggest(name, names, own) : undefined;
    const sentences = about(site, (job) => site.relation.unknown(job, name));
    this.complain({
      code: 'REFERENCE_UNKNOWN',
      ...sentences,
      ...(advice === undefined ? {} : { plain: `${sentences.message}; ${advice}` }),
      path: ['jobs', site.family.at, ...at],
      found: name,
      ...(suggestion === undefined ? {} : { suggestion }),
    });
    return undefined;
  }

  private selected(text: string, at: ValuePath, explicit: readonly number[], site: Site): number | undefined {
    const { relation, targets, family, combination } = site;
    const { names, selections, lost } = targets;
    const number = selections.numberOf(text);
    const path = ['jobs', family.at, ...at];
    if (number instanceof PatternMalformed) {
      const reason = number.message;
      const sentences = about(site, (job) => {
        const { message, creation } = relation.malformed(job, text);
        return { message: `${message}: ${reason}`, creation: `${creation}: ${reason}` };
      });
      this.complain({ code: 'PATTERN_MALFORMED', ...sentences, path, found: text });
      return undefined;
    }
    const members = selections.membersOf(number);
    if (members.length === 0) {
      if (selections.isTooMany || lost.mayBegin(selections.prefixOf(number))) return undefined;
      const sentences = about(site, (job) => relation.unmatched(job, text));
      this.complain({ code: 'PATTERN_UNMATCHED', ...sentences, path, found: text });
      return undefined;
    }
    if (members.length <= explicit.length && isWithin(members, explicit)) {
      const job = family.name.render(combination);
      const message = `Job '${job}' ${relation.patterns} '${text}' adds nothing: all it matches is listed by name`;
      this.complain({ code: 'PATTERN_REDUNDANT', message, path, found: text });
    }
    return names.length + number;
  }

  /** The records that tokens in a text refer to. */
  private inText(tokens: readonly NamedToken[], field: string, site: Site): number[] {
    const { targets, combination } = site;
    const found: number[] = [];
    for (const { name: written, part } of tokens) {
      const name = written.render(combination);
      const number = targets.names.index.find(name);
      if (number >= 0 && targets.canStandFor(number)) found.push(number);
      else if (!targets.lost.mayHave(name)) this.reportUnknownToken({ name, part, field, isThere: number >= 0 }, site);
    }
    return found;
  }

  private reportUnknownToken({ name, part, field, isThere }: UnknownToken, site: Site): void {
    const { family, relation, targets, combination } = site;
    const suggestion = isThere ? undefined : this.suggest(name, targets.names);
    const token = `\${${relation.token?.kind}.${relation.token?.direction}.${name}}`;
    const place = `in the ${field} of job '${family.name.render(combination)}'`;
    const record = relation.token?.kind === 'files' ? 'file' : 'user data record';
    this.complain({
      // Torc runs the job with the text, on which every shell ends with "bad substitution".
      ...(isThere
        ? { code: 'TOKEN_EMPTY', message: `${token} stays as it is ${place}: it has no data` }
        : { code: 'TOKEN_UNKNOWN', message: `${token} ${place} names no ${record} of this workflow` }),
      path: ['jobs', family.at, field],
      part,
      found: name,
      ...(suggestion === undefined ? {} : { suggestion }),
    });
  }

  private reportTooMany({ names }: Relation): void {
    this.complain({
      code: 'EDGES_TOO_MANY',
      message: `The jobs of this workflow have more than ${this.limit} ${names} together`,
      allowed: [`at most ${this.limit}`],
    });
  }

  /**
   * The nearest name, other than that of the job which may not depend on itself. Only for the first few errors and among the first names, because each suggestion compares all of
   * them.
   */
  private suggest(name: string, { length, nameAt }: Names, own?: string): string | undefined {
    this.suggestions += 1;
    if (this.suggestions > 50) return undefined;
    const candidates = function* (): Generator<string> {
      for (let index = 0; index < Math.min(length, 10_000); index += 1) {
        const candidate = nameAt(index);
        if (candidate !== own) yield candidate;
      }
    };
    return suggest(name, candidates());
  }
}

interface UnknownToken {
  readonly name: string;
  readonly part: TextPart;
  readonly field: string;
  /** Whether the record exists without data. */
  readonly isThere: boolean;
}

/** One instance of a family, for one relation. */
interface Site {
  readonly family: SpecFamily<JobSpec>;
  readonly relation: Relation;
  readonly targets: Targets;
  readonly fields: FamilyFields;
  readonly combination: number;
}

/** A sentence about an instance; about all of them if no parameter is used and all share the error. */
function about(
  { family, fields, combination }: Site,
  sentence: (job: string) => { message: string; creation: string },
): { message: string; creation: string; echoes?: Sequence<string> } {
  const first = sentence(family.name.render(combination));
  return fields.isFixed ? { ...first, ...aboutEach(family, (job) => sentence(job).message) } : first;
}

function isWithin(members: Int32Array, list: readonly number[]): boolean {
  const listed = new Set(list);
  return members.every((member) => listed.has(member));
}
