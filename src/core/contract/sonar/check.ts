import { attributeTables, type Envelope, type MessageType, typeOfTag } from './envelope.ts';
import type { SonarField, ObjectTable } from './kinds.ts';
import type { ProblemLevel, MessageProblem } from './problem.ts';
import { FractionText } from './read-json.ts';
import { objectRules } from './rules.ts';
import { errorObject, metadataObject } from './shared.ts';
import { checkScalar, EXPECTED, foundText } from './scalar.ts';

export interface CheckedMessage {
  /** Absent if the envelope is unusable. */
  readonly envelope?: Envelope;
  readonly problems: readonly MessageProblem[];
  /** There are members that the definition does not have; they stand in the envelope too. */
  readonly hasUnknown: boolean;
}

/** Of one envelope: a file of another format would give a problem for each of its members. */
const MOST_PROBLEMS = 100;

/** Checks an envelope against the definition, and gives its typed value. */
export function checkEnvelope(raw: unknown): CheckedMessage {
  const check = new Check();
  const envelope = check.envelope(raw);
  const isUnusable = check.problems.some(({ level }) => level === 'unusable');
  return {
    ...(isUnusable || envelope === undefined ? {} : { envelope }),
    problems: check.problems,
    hasUnknown: check.hasUnknown,
  };
}

type Members = Record<string, unknown>;

const BOTH = 'data and errors';
const NEITHER = 'neither data nor errors';
const UNKNOWN = 'an unknown member';
/** What was found where there is no value to show. */
const PHRASES: ReadonlySet<string> = new Set([BOTH, NEITHER, UNKNOWN]);

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof FractionText);

class Check {
  readonly problems: MessageProblem[] = [];
  hasUnknown = false;
  #path: (string | number)[] = [];
  readonly #reportHere = (level: ProblemLevel, found: unknown, expected: string) => this.report(level, found, expected);

  envelope(raw: unknown): Envelope | undefined {
    if (!isMembers(raw)) return this.report('unusable', raw, 'an envelope: an object with meta, and data or errors');
    const known = this.#knownMembers(raw, ['meta', 'data', 'errors']);
    const meta = this.#at('meta', () => this.#object(metadataObject, known['meta'] ?? {}));
    const { data, errors } = known;
    const errorList = this.#at('errors', () => this.#list({ kind: errorObject, list: 1, says: '' }, errors)) ?? [];
    const isData = data !== undefined && data !== null;
    if (data === null) this.report('refused', null, 'no data member in an envelope of errors', 'data');
    if (isData && errorList.length > 0) this.report('unusable', BOTH, 'one of them');
    if (!isData && errorList.length === 0) this.report('unusable', NEITHER, 'one of them');
    const unknown = unknownOf(raw, known, ['meta', 'data', 'errors']);
    if (Object.keys(unknown).length > 0) this.#unknown(Object.keys(unknown));
    if (!isData) return { ...unknown, meta, errors: errorList } as unknown as Envelope;
    const checked = this.#at('data', () => this.#data(data));
    return checked === undefined ? undefined : ({ ...unknown, meta, data: checked } as unknown as Envelope);
  }

  /** Nothing stands for the value that is reported. */
  report(level: ProblemLevel, found: unknown, expected: string, ...path: (string | number)[]): undefined {
    if (this.problems.length >= MOST_PROBLEMS && level !== 'unusable') return;
    if (this.problems.length >= MOST_PROBLEMS * 2) return;
    const field = [...this.#path, ...path].reduce<string>(
      (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
      '',
    );
    const isPhrase = typeof found === 'string' && PHRASES.has(found);
    this.problems.push({ level, field, found: isPhrase ? found : foundText(found), expected });
  }

  #data(raw: unknown): { type: MessageType; attributes: Members } | undefined {
    if (!isMembers(raw)) return this.report('unusable', raw, 'an object with type and attributes');
    const known = this.#knownMembers(raw, ['type', 'attributes']);
    const tag = known['type'];
    const type = typeof tag === 'string' && Object.hasOwn(typeOfTag, tag) ? typeOfTag[tag] : undefined;
    if (type === undefined) return this.report('unusable', tag, 'sysinfo, sample, job (or jobs) or cluster', 'type');
    if (tag === 'slurm_jobs') this.report('warning', tag, 'job or jobs', 'type');
    const unknown = unknownOf(raw, known, ['type', 'attributes']);
    if (Object.keys(unknown).length > 0) this.#unknown(Object.keys(unknown));
    const attributes = this.#at('attributes', () => this.#object(attributeTables[type], known['attributes']));
    const foreign = Object.keys(attributes).find((name) => isOfAnotherType(type, name));
    if (foreign !== undefined)
      this.report('unusable', tag, `the tag of its attributes: ${foreign} is no attribute of ${type}`, 'type');
    return { ...unknown, type, attributes };
  }

  #at<T>(part: string | number, read: () => T): T {
    this.#path.push(part);
    try {
      return read();
    } finally {
      this.#path.pop();
    }
  }

  #unknown(names: readonly string[]): void {
    this.hasUnknown = true;
    for (const name of names) this.report('warning', UNKNOWN, 'a member of the format; this one is kept', name);
  }

  /** The members of the given names, in whatever letter case; of two the one in the right case. */
  #knownMembers(raw: Members, names: readonly string[]): Members {
    const known: Members = {};
    for (const name of Object.keys(raw)) {
      if (names.includes(name)) known[name] = raw[name];
      else {
        const meant = names.find((each) => each.toLowerCase() === name.toLowerCase());
        if (meant === undefined || Object.hasOwn(raw, meant)) continue;
        this.report('warning', name, `the member ${meant}`, name);
        known[meant] = raw[name];
      }
    }
    return known;
  }

  #object(table: ObjectTable, raw: unknown): Members {
    const members: Members = {};
    if (!isMembers(raw)) {
      this.report('unusable', raw, `an object (${table.name})`);
      return members;
    }
    for (const name of Object.keys(raw)) {
      const own = Object.hasOwn(table.fields, name) ? name : this.#otherCase(table, raw, name);
      const field = own === undefined ? undefined : table.fields[own];
      if (own === undefined || field === undefined) {
        this.#unknown([name]);
        members[name] = raw[name];
        continue;
      }
      this.#path.push(own);
      const value = this.#field(field, raw[name]);
      this.#path.pop();
      if (value !== undefined) members[own] = value;
    }
    for (const [name, field] of requiredOf(table))
      if (members[name] === undefined && !isNullish(raw[name])) continue;
      else if (members[name] === undefined) this.#missing(name, field);
    objectRules[table.name]?.(members, (level, found, expected, ...path) =>
      this.report(level, found, expected, ...path),
    );
    return members;
  }

  #missing(name: string, field: SonarField): void {
    if (field.required === 'known')
      this.report('warning', undefined, 'a name: its default is the empty name, and stores need one', name);
    else if (field.kind === 'timestamp' || field.kind === 'hostname')
      this.report('unusable', undefined, EXPECTED[field.kind], name);
    else this.report('refused', undefined, expectedText(field), name);
  }

  #otherCase(table: ObjectTable, raw: Members, name: string): string | undefined {
    const meant = lowerNames(table).get(name.toLowerCase());
    if (meant === undefined || Object.hasOwn(raw, meant)) return undefined;
    this.report('warning', name, `the member ${meant}`, name);
    return meant;
  }

  /** The typed value, or undefined for the default. */
  #field(field: SonarField, raw: unknown): unknown {
    if (raw === null) return this.report('warning', null, 'a value, or no member at all: null reads as the default');
    if (field.until !== undefined)
      this.report('warning', raw, `no such member: producers left it out from Sonar ${field.until} on`);
    if (field.list === 2) return this.#rows(field, raw);
    if (field.list === 1) return this.#list(field, raw);
    return this.#one(field, raw);
  }

  #rows(field: SonarField, raw: unknown): unknown {
    if (!Array.isArray(raw)) return this.report('unusable', raw, 'a list of lists');
    return raw.map((row, index) => this.#at(index, () => this.#list(field, row) ?? []));
  }

  #list(field: SonarField, raw: unknown): unknown[] | undefined {
    if (raw === undefined || raw === null) {
      if (raw === null) this.report('warning', null, 'a list, or no member at all: null reads as the empty list');
      return undefined;
    }
    if (!Array.isArray(raw)) return this.report('unusable', raw, 'a list');
    const items: unknown[] = Array.from({ length: raw.length });
    for (let index = 0; index < raw.length; index++) {
      this.#path.push(index);
      const value = this.#one(field, raw[index]);
      this.#path.pop();
      items[index] = value ?? defaultOf(field);
    }
    return items;
  }

  #one(field: SonarField, raw: unknown): unknown {
    if (typeof field.kind === 'object') return this.#object(field.kind, raw);
    if (raw === null) return this.report('warning', null, 'a value: null reads as the default');
    return checkScalar(field.kind, raw, this.#reportHere);
  }
}

/** A wrong tag would store a sample as the hardware of its node. */
const isOfAnotherType = (type: MessageType, name: string): boolean =>
  !Object.hasOwn(attributeTables[type].fields, name) &&
  Object.values(attributeTables).some(({ fields }) => Object.hasOwn(fields, name));

const isNullish = (value: unknown): boolean => value === undefined || value === null || value === '';

const defaultOf = ({ kind }: SonarField): unknown =>
  typeof kind === 'object'
    ? {}
    : kind === 'bool'
      ? false
      : kind === 'uint' || kind === 'nonzero' || kind === 'extended' || kind === 'int' || kind === 'float'
        ? 0
        : '';

const expectedText = ({ kind, list }: SonarField): string =>
  list !== undefined ? 'a list' : typeof kind === 'object' ? 'an object' : EXPECTED[kind];

const required = new WeakMap<ObjectTable, readonly (readonly [string, SonarField])[]>();
function requiredOf(table: ObjectTable): readonly (readonly [string, SonarField])[] {
  let found = required.get(table);
  if (found === undefined) {
    found = Object.entries(table.fields).filter(([, field]) => field.required !== undefined);
    required.set(table, found);
  }
  return found;
}

const lowered = new WeakMap<ObjectTable, ReadonlyMap<string, string>>();
function lowerNames(table: ObjectTable): ReadonlyMap<string, string> {
  let found = lowered.get(table);
  if (found === undefined)
    lowered.set(table, (found = new Map(Object.keys(table.fields).map((name) => [name.toLowerCase(), name]))));
  return found;
}

function unknownOf(raw: Members, known: Members, names: readonly string[]): Members {
  const unknown: Members = {};
  for (const name of Object.keys(raw)) {
    if (names.includes(name)) continue;
    const meant = names.find((each) => each.toLowerCase() === name.toLowerCase());
    if (meant !== undefined && known[meant] === raw[name]) continue;
    unknown[name] = raw[name];
  }
  return unknown;
}
