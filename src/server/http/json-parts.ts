import { PART_LENGTH, piecesOf } from '../../thread/packed.ts';

/** The number of list elements from which on a reply is written in parts. */
const MANY = 100;

/** Whether writing this reply as text would take long: a long list, or an object with one. */
export function isLongReply(reply: unknown): boolean {
  if (Array.isArray(reply)) return reply.length > MANY;
  if (typeof reply !== 'object' || reply === null) return false;
  return Object.values(reply).some((value) => Array.isArray(value) && value.length > MANY);
}

/** A list whose elements are produced while it is written. */
export class Elements {
  readonly of: Iterable<unknown>;
  constructor(of: Iterable<unknown>) {
    this.of = of;
  }
}

/** The text of `JSON.stringify` for a reply, part by part: the same characters. A member is read when its text is made. */
export function* jsonParts(reply: unknown): Generator<string> {
  let part = '';
  for (const piece of pieces(reply)) {
    part += piece;
    if (part.length < PART_LENGTH) continue;
    yield* piecesOf(part);
    part = '';
  }
  yield* piecesOf(part);
}

function* pieces(reply: unknown): Generator<string> {
  if (Array.isArray(reply)) yield* elements(reply);
  else if (typeof reply === 'object' && reply !== null) yield* fields(reply);
  else yield JSON.stringify(reply);
}

function* elements(list: Iterable<unknown>): Generator<string> {
  let before = '[';
  for (const element of list) {
    // A value without JSON is null in a list.
    yield before + ((JSON.stringify(element) as string | undefined) ?? 'null');
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

function* fields(reply: object): Generator<string> {
  let before = '{';
  for (const name of Object.keys(reply)) {
    const value = (reply as Readonly<Record<string, unknown>>)[name];
    const list = value instanceof Elements ? value.of : Array.isArray(value) ? (value as unknown[]) : undefined;
    const text = list === undefined ? (JSON.stringify(value) as string | undefined) : '';
    // In an object it is left out.
    if (text === undefined) continue;
    yield `${before}${JSON.stringify(name)}:${text}`;
    if (list !== undefined) yield* elements(list);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}
