import { type Compat, unchangedCompat, usualCompat } from './compat.ts';
import { attributeTables, type Envelope, type MessageType } from './envelope.ts';
import { exactUint } from './extended-uint.ts';
import type { Field, ObjectTable, Uint } from './kinds.ts';
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
    return `{"meta":${meta},"errors":[${errors.join(',')}]}`;
  }
  const { type, attributes } = envelope.data;
  const tag = type === 'job' ? compat.tag : type;
  return `{"meta":${meta},"data":{"type":"${tag}","attributes":${encodeObject(attributeTables[type], attributes, compat)}}}`;
}

/** The attributes alone, values as they are: what identifies a message, whoever formatted it. */
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

export function encodeObject(table: ObjectTable, members: Members, compat: Compat): string {
  let text = '';
  for (const [name, field] of entriesOf(table)) {
    const written = encodeField(table, name, field, members[name], compat);
    if (written !== undefined) text += `${text === '' ? '' : ','}"${name}":${written}`;
  }
  for (const name of Object.keys(members)) {
    if (Object.hasOwn(table.fields, name) || members[name] === undefined) continue;
    text += `${text === '' ? '' : ','}${quoted(name)}:${exactJson(members[name])}`;
  }
  return `{${text}}`;
}

const entries = new WeakMap<ObjectTable, readonly (readonly [string, Field])[]>();

/** The fields of a table as a list, made once: this runs for every process of every sample. */
export function entriesOf(table: ObjectTable): readonly (readonly [string, Field])[] {
  let found = entries.get(table);
  if (found === undefined) entries.set(table, (found = Object.entries(table.fields)));
  return found;
}

function encodeField(
  table: ObjectTable,
  name: string,
  field: Field,
  value: unknown,
  compat: Compat,
): string | undefined {
  if (field.list !== undefined) {
    const list = (value ?? []) as readonly unknown[];
    if (list.length === 0) return isWritten(field) ? '[]' : undefined;
    const one = (each: unknown) => encodeOne(field, each, compat);
    return field.list === 1
      ? `[${list.map(one).join(',')}]`
      : `[${(list as readonly (readonly unknown[])[]).map((row) => `[${row.map(one).join(',')}]`).join(',')}]`;
  }
  if (typeof field.kind === 'object') {
    if (value === undefined) return isWritten(field) ? '{}' : undefined;
    const text = encodeObject(field.kind, value as Members, compat);
    return text === '{}' && !isWritten(field) ? undefined : text;
  }
  const changed = value === undefined ? undefined : changedBy(compat, table, name, value);
  if (isDefault(changed)) return isWritten(field) ? defaultText(field) : undefined;
  return encodeOne(field, changed, compat);
}

const isWritten = ({ always, required }: Field): boolean => always === true || required === 'refused';

const isDefault = (value: unknown): boolean =>
  value === undefined || value === '' || value === false || value === 0 || value === 0n || value === null;

function defaultText({ kind }: Field): string {
  if (kind === 'uint' || kind === 'nonzero' || kind === 'extended' || kind === 'int' || kind === 'float') return '0';
  return kind === 'bool' ? 'false' : '""';
}

function encodeOne({ kind }: Field, value: unknown, compat: Compat): string {
  if (typeof kind === 'object') return encodeObject(kind, value as Members, compat);
  if (typeof value === 'string') {
    if (kind !== 'timestamp') return quoted(value);
    return quoted(compat.zone === 'z' ? value.replace(/\+00:00$/, 'Z') : value.replace(/Z$/, '+00:00'));
  }
  // JSON has no text for what is not a number.
  if (typeof value === 'number') return Number.isFinite(value) ? plainNumber(value) : '0';
  return String(value);
}

/** 1e21 is no integer to readers that read integers of 64 bits. */
const plainNumber = (value: number): string =>
  Number.isInteger(value) && Math.abs(value) >= 1e21 ? String(BigInt(value)) : String(value);

/** A text that is not well formed would be refused by readers: its broken characters are replaced. */
const quoted = (text: string): string => JSON.stringify(text.isWellFormed() ? text : text.toWellFormed());

/** The value as another convention of the field writes it. */
function changedBy(compat: Compat, { name: table }: ObjectTable, name: string, value: unknown): unknown {
  if (table === 'SlurmJob') {
    if (name === 'job_state' && compat.state === 'word') return String(value).split(' ', 1)[0];
    if (name === 'time_limit' && compat['time-limit'] === 'minutes' && BigInt(value as Uint) > 1n)
      return exactUint((BigInt(value as Uint) - 2n + 59n) / 60n + 2n);
  }
  if (table === 'SampleGpu' && name === 'performance_state' && compat['performance-state'] === 'sonar')
    return BigInt(value as Uint) > 1n ? exactUint(BigInt(value as Uint) - 1n) : value;
  if (table === 'SacctData' && name.startsWith('AveDisk') && compat['ave-disk'] === 'bytes')
    return exactUint(BigInt(value as Uint) * 1024n);
  return value;
}
