import { isUtf8 } from 'node:buffer';
import { beginSlice } from '../store/slices.ts';

/**
 * `JSON.parse` for large texts, in slices with event-loop iterations between them: 100 MB at once take a second.
 *
 * A scanner walks over the bytes and keeps the open arrays and objects. It recognises only brackets, commas and
 * strings. As soon as the innermost one is larger than a piece, it is split: `JSON.parse` parses the members up to the
 * last comma as a small array or object, and they are added to the value of the outer one. Anything smaller than a
 * piece is never split. Each byte is parsed by `JSON.parse`, or is a bracket, a comma or a blank.
 *
 * Limit: one string is never split, however long it is.
 */
export async function parseInSlices(bytes: Buffer, pieceBytes = PIECE_BYTES): Promise<unknown> {
  const slice = beginSlice();
  const stack: Open[] = [];
  const innermost = () => stack.at(-1) ?? fail(bytes, at);
  let at = 0;

  for (; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const end = endOfString(bytes, at);
      const open = stack.at(-1);
      if (open !== undefined) open.keyAt = at;
      at = end;
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      if (stack.length === DEEPEST) throw new SyntaxError(`more than ${DEEPEST} levels of arrays and objects`);
      stack.push({ isArray: byte === OPEN_ARRAY, at, from: at + 1, keyAt: at, made: undefined, isAfterPart: false });
    } else if (byte === COMMA) {
      const open = innermost();
      if (open.isAfterPart) endPart(bytes, open, at);
      else if (at - open.from >= pieceBytes) {
        takeApart(bytes, stack);
        add(bytes, open, at);
        if (slice.isOver) await slice.pause();
      } else continue;
      open.from = at + 1;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      const open = innermost();
      if (open.isArray !== (byte === CLOSE_ARRAY)) fail(bytes, at);
      stack.pop();
      const outer = stack.at(-1);
      if (open.made === undefined) {
        if (outer === undefined) return last(bytes, at, parse(bytes, open.at, at + 1));
        continue;
      }
      if (open.isAfterPart) endPart(bytes, open, at);
      else add(bytes, open, at);
      if (outer === undefined) return last(bytes, at, open.made);
      outer.isAfterPart = true;
      outer.from = at + 1;
    } else if (stack.length === 0 && !isBlank(byte as number)) break;
  }
  // A string, a number, or a value that does not end.
  return parse(bytes, 0, bytes.length);
}

/** An array or object whose end was not read yet. */
interface Open {
  readonly isArray: boolean;
  /** The position of its bracket. */
  readonly at: number;
  /** Bytes from here on were not parsed yet. */
  from: number;
  /** The last string directly in it: the key of the next value. */
  keyAt: number;
  /** Its value so far; undefined as long as it is not split. */
  made: unknown[] | Record<string, unknown> | undefined;
  /** The last member was an array or object that was split: now a comma must follow, or the end. */
  isAfterPart: boolean;
}

/** Bytes parsed at once: a millisecond. Smaller pieces cost more in total, larger ones block the event loop longer. */
const PIECE_BYTES = 64 * 1024;
/** Each open array or object costs memory, and splitting all of them is one slice. Real requests have ten levels. */
const DEEPEST = 10_000;
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const isBlank = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

function endOfString(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at += 1;
  }
  throw new SyntaxError(`Unterminated string in JSON at byte ${start}`);
}

function fail(bytes: Buffer, at: number): never {
  const found = at < bytes.length ? JSON.stringify(bytes.toString('latin1', at, at + 1)) : 'the end';
  throw new SyntaxError(`Unexpected ${found} in JSON at byte ${at}`);
}

function parse(bytes: Buffer, from: number, to: number, before = '', after = ''): unknown {
  const part = bytes.subarray(from, to);
  if (!isUtf8(part)) throw new SyntaxError('it is not UTF-8');
  try {
    return JSON.parse(before + part.toString('utf8') + after);
  } catch (cause) {
    throw new SyntaxError(`${(cause as Error).message}, in the part from byte ${from} to ${to}`, { cause });
  }
}

/** Gives each open array and object a value of its own, and puts it into the one around it. */
function takeApart(bytes: Buffer, stack: readonly Open[]): void {
  for (const [index, open] of stack.entries()) {
    if (open.made !== undefined) continue;
    open.made = open.isArray ? [] : {};
    const outer = stack[index - 1];
    if (outer === undefined) continue;
    if (outer.isAfterPart) fail(bytes, open.at);
    // The members before it in the outer one, and null in its place.
    if (outer.isArray) {
      const members = parse(bytes, outer.from, open.at, '[', 'null]') as unknown[];
      members.pop();
      extend(outer, members);
      (outer.made as unknown[]).push(open.made);
    } else {
      extend(outer, parse(bytes, outer.from, open.at, '{', 'null}') as object);
      const key = parse(bytes, outer.keyAt, endOfString(bytes, outer.keyAt) + 1) as string;
      set(outer.made as Record<string, unknown>, key, open.made);
    }
  }
}

/** Adds the members between `from` and a comma or the end. */
function add(bytes: Buffer, open: Open, to: number): void {
  const members = open.isArray ? parse(bytes, open.from, to, '[', ']') : parse(bytes, open.from, to, '{', '}');
  if (Object.keys(members as object).length === 0) fail(bytes, to);
  extend(open, members as object);
}

function extend({ made }: Open, members: object): void {
  if (Array.isArray(made)) for (const member of members as unknown[]) made.push(member);
  else for (const [key, value] of Object.entries(members)) set(made as Record<string, unknown>, key, value);
}

/** As in `JSON.parse`, `__proto__` is an ordinary key. */
function set(made: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(made, key, { value, writable: true, enumerable: true, configurable: true });
  } else made[key] = value;
}

function endPart(bytes: Buffer, open: Open, to: number): void {
  for (let at = open.from; at < to; at += 1) if (!isBlank(bytes[at] as number)) fail(bytes, at);
  open.isAfterPart = false;
}

function last<T>(bytes: Buffer, end: number, value: T): T {
  for (let at = end + 1; at < bytes.length; at += 1) if (!isBlank(bytes[at] as number)) fail(bytes, at);
  return value;
}
