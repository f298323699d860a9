import { type Compat, unchangedCompat, usualCompat } from './compat.ts';
import { attributeTables, type Envelope, type MessageType } from './envelope.ts';
import { exactUint } from './extended-uint.ts';
import type { SonarField, ObjectTable, Uint } from './kinds.ts';
import { errorObject, metadataObject } from './shared.ts';

/**
 * Writes envelopes: defaults are left out, members that consumers rely on are always written, members stand in the
 * order of the definition and unknown ones behind them. The text is one line without a line break at its end.
 */

type Members = Readonly<Record<string, unknown>>;

/** One envelope as JSON. */
export function encodeEnvelope(envelope: Envelope, compat: Compat = usualCompat): string {
  const meta = compat.meta === 'two' ? metaOfTwo(envelope.meta) : encodeObject(metadataObject, envelope.meta, compat);
  if (envelope.data === undefined) {
    const errors = envelope.errors.map((each) => encodeObject(errorObject, each, compat));
    return `{"meta":${meta},"errors":[${errors.join(',')}]${unknownOf(envelope, ENVELOPE)}}`;
  }
  const { type, attributes } = envelope.data;
  const tag = type === 'job' ? compat.tag : type;
  const data = `{"type":"${tag}","attributes":${encodeObject(attributeTables[type], attributes, compat)}${unknownOf(envelope.data, DATA)}}`;
  return `{"meta":${meta},"data":${data}${unknownOf(envelope, ENVELOPE)}}`;
}

const ENVELOPE: ReadonlySet<string> = new Set(['meta', 'data', 'errors']);
const DATA: ReadonlySet<string> = new Set(['type', 'attributes']);

/** The members outside the definition, each behind a comma. */
function unknownOf(members: object, known: ReadonlySet<string>): string {
  let text = '';
  for (const [name, value] of Object.entries(members))
    if (!known.has(name) && value !== undefined) text += `,${quoted(name)}:${exactJson(value)}`;
  return text;
}

/** The attributes alone, values as they are: what identifies a message, however it was formatted. */
export const encodeAttributes = (type: MessageType, attributes: Members): string =>
  encodeObject(attributeTables[type], attributes, unchangedCompat);

const metaOfTwo = ({ producer, version }: Envelope['meta']): string =>
  `{"producer":${quoted(producer)},"version":${quoted(version)}}`;

/** JSON with the exact numbers of bigints, for values outside the definition. */
export function exactJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(exactJson).join(',')}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .map(([name, each]) => `${quoted(name)}:${exactJson(each)}`)
      .join(',')}}`;
  return typeof value === 'string' ? quoted(value) : (JSON.stringify(value) ?? 'null');
}

function encodeObject(table: ObjectTable, members: Members, compat: Compat): string {
  let text = '';
  let known = 0;
  for (const { name, head, write } of writersOf(table, compat)) {
    const value = members[name];
    if (value !== undefined) known++;
    const written = write(value);
    if (written !== undefined) text += text === '' ? head + written : `,${head}${written}`;
  }
  const names = Object.keys(members);
  if (names.length === known) return `{${text}}`;
  for (const name of names) {
    if (Object.hasOwn(table.fields, name) || members[name] === undefined) continue;
    text += `${text === '' ? '' : ','}${quoted(name)}:${exactJson(members[name])}`;
  }
  return `{${text}}`;
}

/** A field, with everything decided that does not depend on its value. */
interface FieldWriter {
  readonly name: string;
  /** What stands before the value. */
  readonly head: string;
  /** The value as JSON; undefined where it is left out. */
  readonly write: (value: unknown) => string | undefined;
}

const writers = new WeakMap<Compat, WeakMap<ObjectTable, readonly FieldWriter[]>>();

/** The writers of a table, made once: they run for every process of every sample. */
function writersOf(table: ObjectTable, compat: Compat): readonly FieldWriter[] {
  let tables = writers.get(compat);
  if (tables === undefined) writers.set(compat, (tables = new WeakMap()));
  let found = tables.get(table);
  if (found === undefined) {
    found = Object.entries(table.fields)
      .filter(([name]) => !isLeftOut(compat, table, name))
      .map(([name, field]) => ({
        name,
        head: `"${name}":`,
        write: writerOf(table, name, field, compat),
      }));
    tables.set(table, found);
  }
  return found;
}

const isLeftOut = (compat: Compat, { name: table }: ObjectTable, name: string): boolean =>
  table === 'SysinfoAttributes' && name === 'software' && compat.software === 'left-out';

function writerOf(table: ObjectTable, name: string, field: SonarField, compat: Compat): FieldWriter['write'] {
  const one = (each: unknown) => encodeOne(field, each, compat);
  const { kind } = field;
  if (field.list !== undefined) {
    const row = (list: readonly unknown[]): string => {
      if (list.length > SOME) return `[${joinedBySome(list, one)}]`;
      let text = '';
      for (const each of list) text += text === '' ? one(each) : `,${one(each)}`;
      return `[${text}]`;
    };
    const ofNone = isWritten(field) ? '[]' : undefined;
    const all =
      field.list === 1
        ? row
        : (list: readonly unknown[]) => `[${(list as readonly (readonly unknown[])[]).map(row).join(',')}]`;
    return (value) => {
      const list = (value ?? []) as readonly unknown[];
      return list.length === 0 ? ofNone : all(list);
    };
  }
  if (typeof kind === 'object') {
    const ofNone = isWritten(field) ? '{}' : undefined;
    return (value) => {
      const text = value === undefined ? '{}' : encodeObject(kind, value as Members, compat);
      return text === '{}' ? ofNone : text;
    };
  }
  const ofDefault = isWritten(field) ? defaultText(field) : undefined;
  const change = changeOf(compat, table, name);
  return (value) => {
    const changed = change === undefined || value === undefined ? value : change(value);
    return isDefault(changed) ? ofDefault : one(changed);
  };
}

/** Elements of a list that are joined at once. */
const SOME = 1_000;

/**
 * The engine keeps a text that was added up as the tree of its pieces, which takes ten times the memory, until the whole is
 * read: of 335,000 processes 325 MB for 49. Joined pieces are one text.
 */
function joinedBySome(list: readonly unknown[], textOf: (each: unknown) => string): string {
  const texts: string[] = [];
  for (let from = 0; from < list.length; from += SOME)
    texts.push(
      list
        .slice(from, from + SOME)
        .map(textOf)
        .join(','),
    );
  return texts.join(',');
}

const isWritten = ({ always, required }: SonarField): boolean => always === true || required === 'refused';

const isDefault = (value: unknown): boolean =>
  value === undefined || value === '' || value === false || value === 0 || value === 0n || value === null;

function defaultText({ kind }: SonarField): string {
  if (kind === 'uint' || kind === 'nonzero' || kind === 'extended' || kind === 'int' || kind === 'float') return '0';
  return kind === 'bool' ? 'false' : '""';
}

function encodeOne({ kind }: SonarField, value: unknown, compat: Compat): string {
  if (typeof kind === 'object') return encodeObject(kind, value as Members, compat);
  if (typeof value === 'string') {
    if (kind !== 'timestamp') return quoted(value);
    return quoted(compat.zone === 'z' ? value.replace(/\+00:00$/, 'Z') : value.replace(/Z$/, '+00:00'));
  }
  if (typeof value === 'number' && !(Math.abs(value) < 1e21)) return greatNumber(value);
  return String(value);
}

/** 1e21 is no integer to readers that read integers of 64 bits, and JSON has no text for what is not a number. */
const greatNumber = (value: number): string => (Number.isFinite(value) ? String(BigInt(value)) : '0');

/** A text that is not well formed would be refused by readers: its broken characters are replaced. */
const quoted = (text: string): string => JSON.stringify(text.isWellFormed() ? text : text.toWellFormed());

/** How another convention of the field changes a value; undefined where it stays as it is. */
function changeOf(
  compat: Compat,
  { name: table }: ObjectTable,
  name: string,
): ((value: unknown) => unknown) | undefined {
  if (table === 'SlurmJob') {
    if (name === 'job_state' && compat.state === 'word') return (value) => String(value).split(' ', 1)[0];
    if (name === 'time_limit' && compat['time-limit'] === 'minutes')
      return (value) => (BigInt(value as Uint) > 1n ? exactUint((BigInt(value as Uint) - 2n + 59n) / 60n + 2n) : value);
  }
  if (table === 'SampleGpu' && name === 'performance_state' && compat['performance-state'] === 'sonar')
    return (value) => (BigInt(value as Uint) > 1n ? exactUint(BigInt(value as Uint) - 1n) : value);
  if (table === 'SacctData' && name.startsWith('AveDisk') && compat['ave-disk'] === 'bytes')
    return (value) => exactUint(BigInt(value as Uint) * 1024n);
  return undefined;
}
