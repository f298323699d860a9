/**
 * Divides a stream of bytes into envelopes without parsing them, in constant memory.
 *
 * Envelopes follow one another with white space or nothing between. Streams in the field also have commas between them,
 * a list around them, a byte order mark, envelopes that were cut off, and other text. So a stream is never given up: what
 * is no envelope becomes a piece of its own, and the next envelope is found where an object begins, or, inside of one that
 * was cut off, at the start of a line with `{"meta"`.
 */
export interface StreamPiece {
  readonly kind: 'object' | 'junk' | 'separator';
  /** Of junk at most `KEPT_BYTES`. */
  readonly bytes: Buffer;
  /** Offset of its first byte in the stream. */
  readonly offset: number;
  /** Number of its first line, from 1. */
  readonly line: number;
  /** Why it is junk. */
  readonly reason?: string;
}

/** Of a piece that cannot be used: enough to recognize it. */
const KEPT_BYTES = 65_536;

/** The limit of an envelope: a whole site's jobs take 2 MB, a topology 1 MB. */
export const GREATEST_ENVELOPE = 64 * 2 ** 20;
const GREATEST_NESTING = 64;
/** Of one envelope: `{}` takes 56 bytes as an object. A sample of 335,000 processes has 3.7 million. */
const MOST_VALUES = 4_000_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const LIST_OPEN = 0x5b;
const LIST_CLOSE = 0x5d;
const COMMA = 0x2c;
const META = Buffer.from('"meta"');

const isBlank = (byte: number): boolean => byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09;

/** Where a piece that is being read began. */
interface Start {
  readonly offset: number;
  readonly line: number;
}

export class Splitter {
  readonly #limit: number;
  #pieces: StreamPiece[] = [];
  /** Bytes of the piece so far, from earlier chunks. */
  #kept: Buffer[] = [];
  #keptLength = 0;
  #start: Start | undefined;
  #isObject = false;
  #depth = 0;
  #isDeep = false;
  #values = 0;
  #inString = false;
  #isEscaped = false;
  #offset = 0;
  #line = 1;
  /** A line with `{"meta"`: 1 behind the line break, 2 behind `{`, then the letters of `"meta"`. */
  #matched = 0;
  #candidate: Start | undefined;

  constructor(limit = GREATEST_ENVELOPE) {
    this.#limit = limit;
  }

  push(chunk: Buffer): StreamPiece[] {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (this.#start === undefined) {
        if (this.#begins(byte, at)) from = at;
      } else if (this.#isObject) {
        if (this.#endsObject(byte, at)) {
          this.#emit(chunk.subarray(from, at + 1));
          from = at + 1;
        } else if (this.#candidate !== undefined && this.#matched === 2 + META.length)
          from = this.#restart(chunk, from, at);
      } else if (byte === OPEN || byte === NEWLINE) {
        this.#emit(chunk.subarray(from, at));
        if (byte === OPEN) this.#open(at);
        from = at;
      }
      if (byte === NEWLINE) this.#line++;
    }
    if (this.#start !== undefined) this.#keep(chunk.subarray(from));
    this.#offset += chunk.length;
    return this.#taken();
  }

  /** What the end of the stream leaves: an object that was cut off, or text. */
  end(): StreamPiece[] {
    if (this.#start !== undefined)
      this.#emit(Buffer.alloc(0), this.#isObject ? 'cut off: its last brace is missing' : undefined);
    return this.#taken();
  }

  #taken(): StreamPiece[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  /** Between pieces. True if this byte begins one. */
  #begins(byte: number, at: number): boolean {
    if (isBlank(byte)) return false;
    if (byte === OPEN) {
      this.#open(at);
      return true;
    }
    const offset = this.#offset + at;
    if (byte === COMMA || byte === LIST_OPEN || byte === LIST_CLOSE) {
      this.#pieces.push({ kind: 'separator', bytes: Buffer.from([byte]), offset, line: this.#line });
      return false;
    }
    // A byte order mark, in whatever chunks it comes.
    if (offset < 3 && byte === [0xef, 0xbb, 0xbf][offset]) {
      if (offset === 2)
        this.#pieces.push({ kind: 'separator', bytes: Buffer.from([0xef, 0xbb, 0xbf]), offset: 0, line: 1 });
      return false;
    }
    this.#start = { offset, line: this.#line };
    this.#isObject = false;
    return true;
  }

  #open(at: number): void {
    this.#start = { offset: this.#offset + at, line: this.#line };
    this.#isObject = true;
    this.#depth = 1;
    this.#isDeep = false;
    this.#values = 0;
    this.#inString = false;
    this.#isEscaped = false;
    this.#matched = 0;
    this.#candidate = undefined;
  }

  #endsObject(byte: number, at: number): boolean {
    this.#match(byte, at);
    if (this.#inString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#inString = false;
      return false;
    }
    if (byte === QUOTE) this.#inString = true;
    else if (byte === COMMA) this.#values++;
    else if (byte === OPEN || byte === LIST_OPEN) {
      this.#values++;
      if (++this.#depth > GREATEST_NESTING) this.#isDeep = true;
    } else if (byte === CLOSE || byte === LIST_CLOSE) return --this.#depth === 0;
    return false;
  }

  /** Looks for a line that begins an envelope; the state of strings does not matter, because that may be lost. */
  #match(byte: number, at: number): void {
    if (byte === NEWLINE && this.#matched < 2) this.#matched = 1;
    else if (this.#matched === 0 || (isBlank(byte) && this.#matched <= 2)) return;
    else if (this.#matched === 1 && byte === OPEN) {
      this.#matched = 2;
      this.#candidate = { offset: this.#offset + at, line: this.#line };
    } else if (this.#matched >= 2 && byte === META[this.#matched - 2]) this.#matched++;
    else this.#matched = 0;
  }

  /** Cuts the open piece before the candidate, which becomes the open one; gives where its bytes begin in the chunk. */
  #restart(chunk: Buffer, from: number, at: number): number {
    const { offset, line } = this.#candidate as Start;
    const whole = Buffer.concat([...this.#kept, chunk.subarray(from, at + 1)]);
    const length = offset - (this.#start as Start).offset;
    this.#kept = [];
    this.#keptLength = 0;
    // What was dropped of a piece that is too long is not there to be divided.
    const cut = whole.length - (this.#offset + at + 1 - offset);
    this.#push('junk', whole.subarray(0, Math.max(0, cut)), 'cut off: another envelope begins inside', length);
    this.#start = { offset, line };
    this.#depth = 1;
    this.#isDeep = false;
    this.#values = 0;
    this.#inString = false;
    this.#matched = 0;
    this.#candidate = undefined;
    this.#kept = [whole.subarray(Math.max(0, cut))];
    this.#keptLength = this.#kept[0]?.length ?? 0;
    return at + 1;
  }

  #keep(bytes: Buffer): void {
    this.#keptLength += bytes.length;
    const most = this.#isObject ? this.#limit : KEPT_BYTES;
    // Chunks may be views of a buffer that its owner fills again.
    if (this.#keptLength <= most) this.#kept.push(Buffer.from(bytes));
    else if (this.#kept.length > 1 || (this.#kept[0]?.length ?? 0) > KEPT_BYTES)
      this.#kept = [Buffer.from((this.#kept[0] ?? bytes).subarray(0, KEPT_BYTES))];
  }

  #emit(last: Buffer, reason?: string): void {
    const length = this.#keptLength + last.length;
    const isTooLong = this.#isObject && length > this.#limit;
    const bytes = isTooLong || length > this.#limit ? (this.#kept[0] ?? last) : Buffer.concat([...this.#kept, last]);
    const why =
      reason ??
      (isTooLong
        ? `longer than ${this.#limit} bytes`
        : this.#isObject && this.#isDeep
          ? `nested more than ${GREATEST_NESTING} levels deep`
          : this.#isObject && this.#values > MOST_VALUES
            ? `of more than ${MOST_VALUES} values`
            : undefined);
    const isObject = this.#isObject && why === undefined;
    this.#push(isObject ? 'object' : 'junk', bytes, why ?? 'text that is no envelope', length);
    this.#start = undefined;
    this.#forget(bytes);
  }

  /** Gives the copies of a large piece back now, and not when the collector finds them. */
  #forget(piece: Buffer): void {
    if (this.#kept.length > 1)
      for (const { buffer, length } of this.#kept)
        if (buffer !== piece.buffer && buffer.byteLength === length && buffer instanceof ArrayBuffer)
          buffer.transfer(0);
    this.#kept = [];
    this.#keptLength = 0;
  }

  #push(kind: 'object' | 'junk', bytes: Buffer, reason: string, length: number): void {
    const start = this.#start as Start;
    if (length === 0) return;
    this.#pieces.push({ kind, bytes, ...start, ...(kind === 'junk' ? { reason } : {}) });
  }
}
