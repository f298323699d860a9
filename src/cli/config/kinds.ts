import { type Amounts, limitsFault } from '../../core/job/amounts.ts';
import { listValue } from '../../core/text/list-value.ts';

/**
 * The types of configuration values. Values come from TOML, or as text from a variable, which is converted.
 *
 * They are our own and not those of a schema library, because every command reads variables, and loading a library
 * would slow each start.
 */
export interface Kind<out T> {
  /** The end of the sentence "expected …". */
  readonly expected: string;
  /** The value, or undefined if it is not of this type; errors inside it are reported to `hear`. */
  read(value: unknown, hear: HearInside): T | undefined;
}

/** Called for an error inside a value: its place, and the message. */
type HearInside = (inside: readonly string[], words: string, isUnknown?: boolean) => void;

const simple = <T>(expected: string, read: (value: unknown) => T | undefined): Kind<T> => ({ expected, read });

const numberOf = (value: unknown): number | undefined => {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : undefined;
};

export const textKind = simple('text', (value) => (typeof value === 'string' ? value : undefined));

/** The root of a service on HTTP. A login belongs elsewhere: `torc config show` prints values. */
export const httpUrlKind = simple('a URL such as http://localhost:4318, without a login', (value) => {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  const isRoot = url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === '';
  return isRoot ? (value as string) : undefined;
});

export const integerKind = (least: number, most = Number.MAX_SAFE_INTEGER) =>
  simple(
    most === Number.MAX_SAFE_INTEGER ? `a whole number of ${least} or more` : `a whole number from ${least} to ${most}`,
    (value) => {
      const number = numberOf(value);
      return Number.isSafeInteger(number) && (number as number) >= least && (number as number) <= most
        ? number
        : undefined;
    },
  );

export const port = integerKind(0, 65_535);

export const positiveKind = simple('a number above 0', (value) => {
  const number = numberOf(value);
  return Number.isFinite(number) && (number as number) > 0 ? number : undefined;
});

export const notNegative = simple('a number of 0 or more', (value) => {
  const number = numberOf(value);
  return Number.isFinite(number) && (number as number) >= 0 ? number : undefined;
});

const truths: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  '1': true,
  false: false,
  no: false,
  off: false,
  '0': false,
};

export const booleanKind = simple('true or false', (value) => {
  if (typeof value === 'boolean') return value;
  return typeof value === 'string' ? truths[value.trim().toLowerCase()] : undefined;
});

export const choiceKind = <const C extends string>(...words: readonly C[]): Kind<C> =>
  simple(`one of ${words.join(', ')}`, (value) => words.find((word) => word === value));

const levels = ['trace', 'debug', 'info', 'warn', 'warning', 'error', 'off'];

/** The severity of a log in upper or lower case, as in Torc 1.0.0. */
export const level = simple('debug, info, warn or error', (value) =>
  typeof value === 'string' && levels.includes(value.toLowerCase()) ? value.toLowerCase() : undefined,
);

export const namesKind = simple('a list of names', (value): readonly string[] | undefined => {
  if (typeof value === 'string')
    return value
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '');
  return Array.isArray(value) && value.every((name) => typeof name === 'string') ? value : undefined;
});

/** A list of texts; a text alone is none, as its words may have commas and blanks. */
export const listOfText = simple('a list of texts', (value): readonly string[] | undefined =>
  Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : undefined,
);

/** Limits by name: a table of whole numbers in a file, and `matlab=4,cores=20` in a variable. */
export const limitsKind: Kind<Amounts> = {
  expected: 'a table of limits such as matlab = 4',
  read(value, hear) {
    const table = typeof value === 'string' ? fromText(value) : value;
    if (!isTable(table)) return undefined;
    const fine = Object.entries(table as Amounts).filter(([name, most]) => {
      const fault = limitsFault({ [name]: most });
      if (fault !== undefined) hear([name], fault);
      return fault === undefined;
    });
    return Object.fromEntries(fine);
  },
};

/** Limits from `matlab=4,cores=20`. A part of another form gets a value that the check refuses. */
const fromText = (text: string): Amounts =>
  Object.fromEntries(
    listValue(text).map((part) => {
      const [name = '', amount = ''] = part.split(/=(.*)/s);
      return [name.trim(), /^\s*\d+\s*$/.test(amount) ? Number(amount) : NaN];
    }),
  );

/** A umask as three octal digits: `077`, or 0o077 in a TOML file. */
export const mask = simple('an octal mask of permissions as 077 or 027', (value) => {
  const text = typeof value === 'number' ? value.toString(8).padStart(3, '0') : value;
  return typeof text === 'string' && /^0?[0-7]{3}$/.test(text) ? text.slice(-3) : undefined;
});

type Fields = Readonly<Record<string, { readonly kind: Kind<unknown>; readonly isNeeded?: true }>>;
type Entry = Readonly<Record<string, unknown>>;

/** A table of named items, each with these fields. */
export const tableKind = (fields: Fields): Kind<Readonly<Record<string, Entry>>> => ({
  expected: 'a table of tables',
  read(value, hear) {
    if (!isTable(value)) return undefined;
    return Object.fromEntries(
      Object.entries(value).map(([name, entry]) => [name, readEntry(entry, fields, [name], hear)]),
    );
  },
});

/** A list of items, each with these fields. */
export const listKind = (fields: Fields): Kind<readonly Entry[]> => ({
  expected: 'a list of tables',
  read(value, hear) {
    if (!Array.isArray(value)) return undefined;
    return value.map((entry, index) => readEntry(entry, fields, [`${index + 1}`], hear));
  },
});

function readEntry(entry: unknown, fields: Fields, inside: readonly string[], hear: HearInside): Entry {
  if (!isTable(entry)) {
    hear(inside, `expected a table, found ${found(entry)}`);
    return {};
  }
  for (const name of Object.keys(entry)) {
    if (!(name in fields)) hear([...inside, name], name, true);
  }
  const read: Record<string, unknown> = {};
  for (const [name, { kind, isNeeded }] of Object.entries(fields)) {
    const value = entry[name];
    if (value === undefined) {
      if (isNeeded === true) hear(inside, `${name} is missing; expected ${kind.expected}`);
      continue;
    }
    const own = kind.read(value, (deeper, words, isUnknown) => hear([...inside, name, ...deeper], words, isUnknown));
    if (own === undefined) hear([...inside, name], `expected ${kind.expected}, found ${found(value)}`);
    else read[name] = own;
  }
  return read;
}

export const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** The value as shown in a message. */
export function found(value: unknown): string {
  if (isTable(value)) return 'a table';
  const shown = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
  return shown.length > 80 ? `${shown.slice(0, 77)}...` : shown;
}
