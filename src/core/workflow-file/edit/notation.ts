import type { TextPlace } from '../../json/place.ts';
import { greatest } from '../../quantity/extremes.ts';
import type { SpecFormat } from '../text/read-text.ts';
import { compactJson, type Value } from '../text/value.ts';
import type { Splice } from './splice.ts';

/** The text of a workflow file in which values are replaced and records added; all else stays as it was written. */
export interface EditedText {
  readonly text: string;
  readonly format: SpecFormat;
}

/** Fields of a record of the file, in order. */
export type RecordFields = readonly (readonly [name: string, value: Value])[];

/** A place where the text has no form that this code knows how to continue. */
export class Unplaceable extends Error {
  readonly offset: number;

  constructor(offset: number) {
    super('the text there has a form that cannot be continued');
    this.offset = offset;
  }
}

/** Replaces a text or a number, in the quotes that it has. */
export function replaced({ text, format }: EditedText, place: TextPlace, value: string | number): Splice {
  const { at } = place;
  if (place.end === undefined || at < 0) throw new Unplaceable(Math.max(0, at));
  const quote = text[at] as string;
  const isQuoted = quote === '"' || quote === "'";
  const end = endOf(text, format, place);
  if (typeof value === 'number') return { at, end, text: String(value) };
  if (isQuoted) return { at, end, text: `${quote}${value}${quote}` };
  return { at, end, text: format === 'yaml' ? scalar(value) : JSON.stringify(value) };
}

/** Adds a field to a record behind the one named `beside`, which it has. */
export function addedField(
  { text, format }: EditedText,
  record: TextPlace,
  beside: string,
  [name, value]: RecordFields[number],
): Splice {
  const place = record.fields?.get(beside);
  if (place?.keyAt === undefined || place.end === undefined) throw new Unplaceable(record.at);
  const { keyAt } = place;
  const end = endOf(text, format, place);
  const before = text.slice(text.lastIndexOf('\n', keyAt - 1) + 1, keyAt);
  const isFirst = /^\s*$/.test(before);
  if (format === 'yaml' && text[record.at] !== '{') {
    const at = lineEnd(text, end);
    return { at, end: at, text: `\n${before.replaceAll(/[^\t]/g, ' ')}${name}: ${literal(value, format)}` };
  }
  if (format === 'kdl') {
    const at = end;
    return { at, end: at, text: `${isFirst ? `\n${before}` : '; '}${name} ${literal(value, format)}` };
  }
  const quote = format !== 'yaml' && /["']/.test(text[keyAt] as string) ? text[keyAt] : '';
  const gap = isFirst ? `\n${before}` : ' ';
  return { at: end, end, text: `,${gap}${quote}${name}${quote}: ${literal(value, format)}` };
}

/** Adds a record to a list, behind the one that stands at `item`, in its form. */
export function addedRecord(
  { text, format }: EditedText,
  list: TextPlace,
  item: TextPlace,
  { called, fields }: { readonly called: string; readonly fields: RecordFields },
): Splice {
  const last = greatest(placesIn(item).map((place) => endOf(text, format, place)));
  const before = text.slice(text.lastIndexOf('\n', item.at - 1) + 1, item.at);
  if (format === 'kdl') {
    const [[, name] = [], ...rest] = fields;
    const at = closedAt(text, last, item.at);
    const body = rest.map(([field, value]) => `${field} ${literal(value, format)}`).join('; ');
    const gap = /^\s*$/.test(before) ? `\n${before}` : '; ';
    return { at, end: at, text: `${gap}${called} ${literal(name ?? null, format)} { ${body} }` };
  }
  if (format === 'yaml' && text[list.at] !== '[') {
    const dash = /^([ \t]*-)([ \t]+)$/.exec(before);
    if (dash === null) throw new Unplaceable(item.at);
    const [, start, gap] = dash as unknown as [string, string, string];
    const at = lineEnd(text, text[item.at] === '{' ? closedAt(text, last, item.at) : last);
    const lines = fields.map(([field, value]) => `${field}: ${literal(value, format)}`);
    const indent = `${start.replace('-', ' ')}${gap}`;
    return {
      at,
      end: at,
      text: `\n${start}${gap}${text[item.at] === '{' ? `{ ${lines.join(', ')} }` : lines.join(`\n${indent}`)}`,
    };
  }
  const at = closedAt(text, last, item.at);
  const keyAt = item.fields?.get('name')?.keyAt ?? item.at;
  const quote = format !== 'yaml' && /["']/.test(text[keyAt] as string) ? text[keyAt] : '';
  const lines = fields.map(([field, value]) => `${quote}${field}${quote}: ${literal(value, format)}`);
  const gap = /^\s*$/.test(before) ? `\n${before}` : ' ';
  return { at, end: at, text: `,${gap}{ ${lines.join(', ')} }` };
}

/** The end of a value: in YAML that of a quoted text is before its quote, in KDL blanks behind a value belong to it. */
function endOf(text: string, format: SpecFormat, { at, end = at }: TextPlace): number {
  if (format === 'yaml') return /["']/.test(text[at] as string) ? end + 1 : end;
  return at + text.slice(at, end).trimEnd().length;
}

const placesIn = (place: TextPlace): TextPlace[] => [
  place,
  ...[...(place.fields?.values() ?? []), ...(place.items ?? [])].flatMap(placesIn),
];

const lineEnd = (text: string, at: number): number => {
  const found = text.indexOf('\n', at);
  const end = found < 0 ? text.length : found;
  return text[end - 1] === '\r' ? end - 1 : end;
};

/** What may stand between the last value of a record and its brace. */
const FILLER = /(?:[\s,;]|\/\/[^\n]*|#[^\n]*|\/\*[^]*?\*\/)*\}/y;

/** Behind the brace that closes a record whose last value ends at `from`. */
function closedAt(text: string, from: number, start: number): number {
  FILLER.lastIndex = from;
  if (!FILLER.test(text)) throw new Unplaceable(start);
  return FILLER.lastIndex;
}

const literal = (value: Value, format: SpecFormat): string =>
  typeof value === 'string' && format === 'yaml' ? scalar(value) : compactJson(value);

/** Texts that mean themselves in YAML without quotes; a name may be `007` or `yes`. */
const scalar = (value: string): string =>
  /^[A-Za-z_][\w.-]*$/.test(value) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(value)
    ? value
    : /^\d+[kmgt]$/.test(value)
      ? value
      : JSON.stringify(value);
