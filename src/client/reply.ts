import { anotherProgram } from './another-program.ts';
import { type Response, Unreachable } from './errors.ts';

/** Expected of a reply, made from the schema of its route: `[]` for a list, or the names of fields that an object has. */
export type ExpectedReply = string;

/**
 * The value of a reply, unless another program sent it: a portal that asks for a login answers 200 with a page or with `{}`.
 *
 * An object is accepted that has one of the expected fields: an older server may lack others.
 *
 * Throws: `Unreachable`, so that what waits for a server waits here too.
 */
export function serverReply(doing: string, response: Response, expected: ExpectedReply): unknown {
  const { text } = response;
  const value = valueOf(text);
  if (value !== undefined && isExpected(value, expected)) return value;
  const found =
    anotherProgram(response) ??
    (text.trim() === ''
      ? 'nothing'
      : value === undefined
        ? `no JSON: ${text.trim().slice(0, FOUND_LENGTH)}`
        : kindOf(value));
  throw new Unreachable(`${doing}: no Torc server replied: expected ${wordsOf(expected)}, found ${found}`, {
    remedy: response.status >= 300 ? REDIRECT_REMEDY : REMEDY,
  });
}

const FOUND_LENGTH = 80;
const REMEDY =
  'Compare the URL (--url, TORC_API_URL). A portal or a proxy in front of the server may have replied, for instance because its login has expired: log in there again, and give its cookie (--cookie-header).';

const REDIRECT_REMEDY =
  'If the server moved there (https, another path), give that URL (--url, TORC_API_URL). If it is a login of a portal or a proxy, log in there again, and give its cookie (--cookie-header).';

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isExpected(value: unknown, expected: ExpectedReply): boolean {
  if (expected === '') return true;
  if (expected === LIST) return Array.isArray(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const fields = value as Record<string, unknown>;
  const names = expected.split(' ');
  return names.includes(ITEMS) ? Array.isArray(fields[ITEMS]) : names.some((name) => fields[name] !== undefined);
}

const LIST = '[]';
const ITEMS = 'items';

function wordsOf(expected: ExpectedReply): string {
  if (expected === '') return 'JSON';
  if (expected === LIST) return 'a list';
  const names = expected.split(' ');
  return names.includes(ITEMS) ? 'an object with a list "items"' : `an object with ${names.slice(0, 3).join(', ')}`;
}

/** Short: a value of another program says nothing more. */
const kindOf = (value: unknown): string =>
  Array.isArray(value)
    ? 'a list'
    : typeof value === 'object' && value !== null
      ? `an object with ${Object.keys(value).length === 0 ? 'no field' : Object.keys(value).slice(0, 3).join(', ')}`
      : String(value).slice(0, FOUND_LENGTH);
