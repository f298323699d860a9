import { isUtf8 } from 'node:buffer';
import { setField } from '../../core/json/read-json.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { beginSlice, type Slice } from '../store/slices.ts';

/**
 * `JSON.parse` for large texts, in slices with event-loop iterations between them: 100 MB at once take a second.
 *
 * A scanner walks over the bytes and keeps the open arrays and objects. It recognises only brackets, commas and
 * strings. As soon as the innermost one is larger than a piece, it is split: `JSON.parse` parses the members up to the
 * last comma as a small array or object, and they are added to the value of the outer one. Anything smaller than a
 * piece is never split. Each byte is parsed by `JSON.parse`, or is a bracket, a comma or a blank.
 *
 * A string is never split, so a longer one than `MOST_TEXT_BYTES` is refused, as are more values than `MOST_VALUES`: a few bytes of
 * text may be an object of fifty.
 */
export async function parseInSlices(
  bytes: Buffer,
  { pieceBytes = PIECE_BYTES, checkOf = () => undefined, isGone = () => false }: ParseOptions = {},
): Promise<unknown> {
  const slice = beginSlice();
  const stack: Open[] = [];
  const innermost = () => stack.at(-1) ?? fail(bytes, at);
  let at = 0;
  let values = 0;
  let lookAt = LOOK_BYTES;
  const pause = async () => {
    await slice.pause();
    if (isGone()) throw new Refusal('BODY_MALFORMED', 'the connection ended while its body was read');
  };

  for (; at < bytes.length; at += 1) {
    if (at >= lookAt) {
      lookAt = at + LOOK_BYTES;
      if (slice.isOver) await pause();
    }
    const byte = bytes[at];
    if (byte === COMMA || byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      values += 1;
      if (values > MOST_VALUES) throw tooLarge(`more than ${MOST_VALUES} values`);
    }
    if (byte === QUOTE) {
      const end = endOfString(bytes, at);
      const open = stack.at(-1);
      if (open !== undefined) open.keyAt = at;
      at = end;
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      if (stack.length === DEEPEST) throw new SyntaxError(`more than ${DEEPEST} levels of arrays and objects`);
      const check = stack.length === 1 ? listCheck(bytes, stack[0] as Open, checkOf) : undefined;
      const isArray = byte === OPEN_ARRAY;
      stack.push({ isArray, at, from: at + 1, keyAt: at, made: undefined, isAfterPart: false, check, checked: 0 });
    } else if (byte === COMMA) {
      const open = innermost();
      if (open.isAfterPart) endPart(bytes, open, at);
      else if (at - open.from >= pieceBytes) {
        takeApart(bytes, stack);
        add(bytes, open, at);
        if (slice.isOver) await pause();
      } else continue;
      open.from = at + 1;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      const open = innermost();
      if (open.isArray !== (byte === CLOSE_ARRAY)) fail(bytes, at);
      stack.pop();
      const outer = stack.at(-1);
      if (open.made === undefined) {
        if (outer === undefined) return last(bytes, at, parse(bytes, open.at, at + 1), slice);
        continue;
      }
      if (open.isAfterPart) endPart(bytes, open, at);
      else add(bytes, open, at);
      if (outer === undefined) return last(bytes, at, open.made, slice);
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
  /** Of a list that is checked while it is read. */
  readonly check: ListCheck | undefined;
  /** So many of its elements were checked. */
  checked: number;
}

/** Checks elements from this position on, and returns them checked; it throws where the body is to be refused at once. */
export type ListCheck = (elements: readonly unknown[], from: number, list: readonly unknown[]) => readonly unknown[];

export interface ParseOptions {
  readonly pieceBytes?: number;
  /** The check of the list under this name in the outermost object; it is called only where the list is split. */
  readonly checkOf?: (name: string) => ListCheck | undefined;
  /** The client has gone: no request waits for the value. */
  readonly isGone?: () => boolean;
}

function listCheck(bytes: Buffer, root: Open, checkOf: (name: string) => ListCheck | undefined): ListCheck | undefined {
  if (root.isArray || bytes[root.keyAt] !== QUOTE) return undefined;
  return checkOf(String(parse(bytes, root.keyAt, endOfString(bytes, root.keyAt) + 1)));
}

/** The elements of a list that are complete, and not checked yet. */
function checkElements(open: Open): void {
  const { check, made, checked } = open;
  if (check === undefined || !Array.isArray(made)) return;
  const list = made as unknown[];
  const good = check(checked === 0 ? list : list.slice(checked), checked, list);
  for (const [index, element] of good.entries()) list[checked + index] = element;
  open.checked = list.length;
}

/** Bytes parsed at once: a millisecond. Smaller pieces cost more in total, larger ones block the event loop longer. */
const PIECE_BYTES = 64 * 1024;
/** Each open array or object costs memory, and splitting all of them is one slice. Real requests have ten levels. */
const DEEPEST = 10_000;
/** 200 MB of memory at most. Real requests have 20 values a job. */
const MOST_VALUES = 2_000_000;
/** Copied and parsed at once in 20 ms; as for values that administrators read. */
const MOST_TEXT_BYTES = 8 * 2 ** 20;
/** How often the time is looked at between commas: blanks may be many. */
const LOOK_BYTES = 2 ** 20;
const tooLarge = (what: string) => new Refusal('BODY_TOO_LARGE', `the request has ${what}`);
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const isBlank = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

function endOfString(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at += 1;
    if (at - start > MOST_TEXT_BYTES) throw tooLarge(`a text of more than ${MOST_TEXT_BYTES} bytes, at byte ${start}`);
  }
  throw new SyntaxError(`Unterminated string in JSON at byte ${start}`);
}

function fail(bytes: Buffer, at: number): never {
  const found = at < bytes.length ? JSON.stringify(bytes.toString('latin1', at, at + 1)) : 'the end';
  throw new SyntaxError(`Unexpected ${found} in JSON at byte ${at}`);
}

function parse(bytes: Buffer, from: number, to: number, before = '', after = ''): unknown {
  if (to - from > MOST_TEXT_BYTES + 2 * PIECE_BYTES)
    throw tooLarge(`a value of more than ${MOST_TEXT_BYTES} bytes, at byte ${from}`);
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
      checkElements(outer);
      (outer.made as unknown[]).push(open.made);
    } else {
      extend(outer, parse(bytes, outer.from, open.at, '{', 'null}') as object);
      const key = parse(bytes, outer.keyAt, endOfString(bytes, outer.keyAt) + 1) as string;
      setField(outer.made as Record<string, unknown>, key, open.made);
    }
  }
}

/** Adds the members between `from` and a comma or the end. */
function add(bytes: Buffer, open: Open, to: number): void {
  const members = open.isArray ? parse(bytes, open.from, to, '[', ']') : parse(bytes, open.from, to, '{', '}');
  if (Object.keys(members as object).length === 0) fail(bytes, to);
  extend(open, members as object);
  checkElements(open);
}

function extend({ made }: Open, members: object): void {
  if (Array.isArray(made)) for (const member of members as unknown[]) made.push(member);
  else for (const [key, value] of Object.entries(members)) setField(made as Record<string, unknown>, key, value);
}

function endPart(bytes: Buffer, open: Open, to: number): void {
  if (to - open.from > MOST_TEXT_BYTES) throw tooLarge(`more than ${MOST_TEXT_BYTES} blanks, at byte ${open.from}`);
  for (let at = open.from; at < to; at += 1) if (!isBlank(bytes[at] as number)) fail(bytes, at);
  open.isAfterPart = false;
  checkElements(open);
}

async function last<T>(bytes: Buffer, end: number, value: T, slice: Slice): Promise<T> {
  for (let at = end + 1; at < bytes.length; at += 1) {
    if (!isBlank(bytes[at] as number)) fail(bytes, at);
    if (at % LOOK_BYTES === 0 && slice.isOver) await slice.pause();
  }
  return value;
}
