import { faultOfText } from '../../text/text-fault.ts';
import type { Complain, Complaint, ValuePath } from '../problems/problems.ts';
import { suggest } from '../problems/suggest.ts';
import {
  compactJson,
  describe,
  ExactNumber,
  isList,
  isMap,
  valueKindOf,
  type Value,
  type ValueMap,
} from '../text/value.ts';
import type { Field, Shape } from './shape.ts';
import { sectionsOf, type Section } from './unknown-field.ts';
import { fieldOfOthers, unknownFieldText } from './unknown-field.ts';
import { wrongTypeText } from './wrong-type.ts';

/** A valid value, or the readable parts of it; and the fields with lost parts that later checks may use. */
export interface Checked<T> {
  readonly value: T;
  /** Top-level fields of which a part could not be read. */
  readonly damaged: ReadonlySet<string>;
}

/**
 * Checks a value against a shape and reports everything that does not fit.
 *
 * A wrong value is corrected if its meaning is clear (a number for a string, one string for a list, a misspelled field
 * whose correct name is missing) and dropped otherwise, so that each error is reported once and the rest is checked.
 */
export function checkShape<T>(shape: Shape<T>, value: Value, complain: Complain): Checked<T> {
  const checker = new Checker(shape, complain);
  const read = checker.read(shape, value);
  return { value: (read === LOST ? checker.standIn(shape) : read) as T, damaged: checker.damaged };
}

/** Replaces a required text that could not be read; checks skip it. No file can contain it. */
export const UNREAD = '\u0000';

const LOST = Symbol('lost');

const NAMES_OF_ENTRIES = new Set(['input_files', 'output_files', 'failure_handler', 'resource_requirements']);

class Checker {
  readonly damaged = new Set<string>();
  private readonly path: (string | number)[] = [];
  private readonly report: Complain;
  private isMuted = false;
  private readonly sections: readonly Section[];

  constructor(root: Shape<unknown>, complain: Complain) {
    this.report = complain;
    this.sections = sectionsOf(root);
  }

  read(shape: Shape<unknown>, value: Value): unknown {
    switch (shape.kind) {
      case 'any':
        return value;
      case 'list':
        return this.list(shape, value);
      case 'map':
        return isMap(value) ? this.map(shape, value) : this.wrongType(shape, value);
      case 'object':
        if (shape.short !== undefined && typeof value === 'string') return this.object(shape, { [shape.short]: value });
        return isMap(value) ? this.object(shape, value) : this.wrongType(shape, value);
      case 'choice':
        if (typeof value === 'string' && shape.choices?.includes(value) !== true)
          return this.unknownChoice(shape, value);
        return typeof value === 'string' ? value : this.wrongType(shape, value);
      case 'string':
      case 'integer':
      case 'float':
      case 'boolean':
        return this.scalar(shape, value);
    }
  }

  /** An empty value of the shape, for a required field. */
  standIn(shape: Shape<unknown>): unknown {
    if (shape.kind === 'string' || shape.kind === 'choice') return UNREAD;
    if (shape.kind === 'integer' || shape.kind === 'float') return 1;
    if (shape.kind === 'boolean') return false;
    if (shape.kind === 'list') return [];
    const needed = Object.entries(shape.fields ?? {}).filter(([, field]) => field.isNeeded);
    return Object.fromEntries(needed.map(([name, field]) => [name, this.standIn(field.shape)]));
  }

  private scalar(shape: Shape<unknown>, value: Value): unknown {
    const kind = valueKindOf(value);
    if (typeof value === 'string') this.refuseBadText(value);
    if (kind === shape.kind || (shape.kind === 'float' && kind === 'integer')) {
      return value instanceof ExactNumber ? value.value : value;
    }
    this.wrongType(shape, value);
    if (shape.kind === 'string' && (kind === 'integer' || kind === 'float' || kind === 'boolean')) {
      return compactJson(value);
    }
    if (shape.kind === 'integer' && typeof value === 'string' && /^-?\d{1,15}$/.test(value)) return Number(value);
    return LOST;
  }

  /** What the server would refuse, also in a dry run. */
  private refuseBadText(value: string): void {
    const message = faultOfText(value);
    if (message !== undefined) this.complain({ code: 'TEXT_REFUSED', message, path: this.here(), found: value });
  }

  private list(shape: Shape<unknown>, value: Value): unknown {
    const of = shape.of;
    if (of === undefined) return value;
    if (!isList(value)) {
      this.wrongType(shape, value);
      if (typeof value !== 'string') return LOST;
      return of.kind === 'string' ? [value] : of.short === undefined ? LOST : [{ [of.short]: value }];
    }
    const items: unknown[] = [];
    for (const [index, item] of value.entries()) {
      const read = this.at(index, () => this.read(of, item));
      // A lost item keeps its position, so that the others keep their number in the file.
      items.push(read === LOST ? this.standIn(of) : read);
    }
    return items;
  }

  private map(shape: Shape<unknown>, value: ValueMap): unknown {
    const of = shape.of;
    if (of === undefined || of.kind === 'any') return value;
    const read: [string, unknown][] = [];
    for (const [key, item] of Object.entries(value)) {
      const found = this.at(key, () => this.read(of, item));
      if (found !== LOST) read.push([key, found]);
    }
    return Object.fromEntries(read);
  }

  private object(shape: Shape<unknown>, value: ValueMap): unknown {
    const fields = shape.fields ?? {};
    const read: Record<string, unknown> = {};
    const guessed = this.guess(shape, fields, value);
    for (const key of Object.keys(value)) {
      const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (field !== undefined) this.field(read, key, key, field, value[key] ?? null);
    }
    for (const [key, name] of guessed) {
      const field = fields[name];
      const wasMuted = this.isMuted;
      // The name was reported; the guess of its meaning must not cause more problems.
      this.isMuted = true;
      if (field !== undefined) this.field(read, name, key, field, value[key] ?? null);
      this.isMuted = wasMuted;
    }
    for (const name of neededOf(shape)) {
      if (Object.hasOwn(read, name)) continue;
      if (!Object.hasOwn(value, name) && ![...guessed.values()].includes(name)) this.missing(name);
      const field = fields[name];
      if (field !== undefined) read[name] = this.standIn(field.shape);
    }
    return read;
  }

  private field(
    read: Record<string, unknown>,
    name: string,
    key: string,
    field: Field<unknown, boolean>,
    value: Value,
  ): void {
    if (value === null && !field.isNeeded) return;
    if (field.isOld === true && this.path.length === 0) this.reportOld(key, field);
    const found = this.at(key, () => this.read(field.shape, value));
    if (found !== LOST) read[name] = found;
  }

  /** Reports unknown fields; those that clearly mean a missing field are read as that field. */
  private guess(
    shape: Shape<unknown>,
    fields: NonNullable<Shape<unknown>['fields']>,
    value: ValueMap,
  ): Map<string, string> {
    const meant = new Map<string, string>();
    for (const key of Object.keys(value)) {
      if (Object.hasOwn(fields, key)) continue;
      const near = suggest(key, Object.keys(fields));
      const suggestion = near ?? fieldOfOthers(shape, key);
      this.unknownField(shape, key, suggestion);
      // Other tools have paths or numbers where we have names of entries: reading them as that would be a second mistake.
      if (near === undefined && suggestion !== undefined && NAMES_OF_ENTRIES.has(suggestion)) continue;
      if (suggestion !== undefined && shape.isOpen !== true && !Object.hasOwn(value, suggestion))
        meant.set(key, suggestion);
    }
    return meant;
  }

  private at<T>(step: string | number, read: () => T): T {
    this.path.push(step);
    const result = read();
    // Only a lost list or record: a job without a readable priority can still be referred to.
    if (result === LOST && this.path.length <= 2 && typeof this.path[0] === 'string') this.damaged.add(this.path[0]);
    this.path.pop();
    return result;
  }

  private complain(complaint: Complaint): void {
    if (!this.isMuted) this.report(complaint);
  }

  private here(step?: string): ValuePath {
    return step === undefined ? [...this.path] : [...this.path, step];
  }

  private wrongType(shape: Shape<unknown>, value: Value): typeof LOST {
    this.complain({
      code: 'TYPE_WRONG',
      message: `invalid type: ${describe(value)}, expected ${shape.expects}`,
      plain: wrongTypeText(shape, value, this.path),
      path: this.here(),
      found: describe(value),
      allowed: [shape.expects],
    });
    return LOST;
  }

  private unknownChoice(shape: Shape<unknown>, value: string): typeof LOST {
    const allowed = shape.choices ?? [];
    const suggestion = suggest(value, allowed);
    this.complain({
      code: 'CHOICE_UNKNOWN',
      message: `unknown variant \`${value}\`, expected ${oneOf(allowed)}`,
      path: this.here(),
      found: value,
      allowed,
      ...(suggestion === undefined ? {} : { suggestion }),
    });
    return LOST;
  }

  private unknownField(shape: Shape<unknown>, key: string, suggestion: string | undefined): void {
    const allowed = Object.keys(shape.fields ?? {});
    this.complain({
      code: shape.isOpen === true ? 'FIELD_IGNORED' : 'FIELD_UNKNOWN',
      message: `unknown field \`${key}\`${shape.isOpen === true ? ' is ignored' : ''}, expected ${oneOf(allowed)}`,
      path: this.here(key),
      atKey: true,
      found: key,
      allowed,
      ...(suggestion === undefined ? this.belongsElsewhere(shape, key) : { suggestion }),
    });
  }

  private belongsElsewhere(shape: Shape<unknown>, key: string): { plain?: string } {
    const plain = unknownFieldText(shape, key, this.sections);
    return plain === undefined ? {} : { plain: `unknown field \`${key}\`: ${plain}` };
  }

  private missing(name: string): void {
    this.complain({
      code: 'FIELD_MISSING',
      message: `missing field \`${name}\``,
      path: this.here(name),
      allowed: [name],
    });
    if (this.path.length === 0) this.damaged.add(name);
  }

  private reportOld(key: string, field: Field<unknown, boolean>): void {
    const message = `field \`${key}\` is deprecated: ${field.says}`;
    this.complain({ code: 'FIELD_IGNORED', message, path: this.here(key), atKey: true, found: key });
  }
}

/** Names as Torc lists them: `` `a` ``, `` `a` or `b` ``, ``one of `a`, `b`, `c` ``. */
const oneOf = (names: readonly string[]): string => {
  const quoted = names.map((name) => `\`${name}\``);
  return quoted.length <= 2 ? quoted.join(' or ') : `one of ${quoted.join(', ')}`;
};

const neededNames = new WeakMap<Shape<unknown>, readonly string[]>();

function neededOf(shape: Shape<unknown>): readonly string[] {
  const known = neededNames.get(shape);
  if (known !== undefined) return known;
  const names = Object.entries(shape.fields ?? {}).flatMap(([name, field]) => (field.isNeeded ? [name] : []));
  neededNames.set(shape, names);
  return names;
}
