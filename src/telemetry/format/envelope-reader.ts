import { isUtf8 } from 'node:buffer';
import { checkEnvelope } from '../../core/contract/sonar/check.ts';
import type { Envelope } from '../../core/contract/sonar/envelope.ts';
import type { MessageProblem } from '../../core/contract/sonar/problem.ts';
import { mayLoseDigits, readSonarJson } from '../../core/contract/sonar/read-json.ts';
import { Unreadable } from '../../core/json/place.ts';
import { type StreamPiece, Splitter } from './split.ts';

/** One record of a stream: an envelope, or what stands in the place of one. */
export interface EnvelopeRecord {
  /** Its number in the stream, from 1. */
  readonly number: number;
  readonly line: number;
  readonly offset: number;
  /** Absent if it cannot be used. */
  readonly envelope?: Envelope;
  readonly hasUnknown: boolean;
  readonly problems: readonly MessageProblem[];
  readonly bytes: Buffer;
}

/** How often an envelope is looked for inside of broken text, which may consist of nothing but their beginnings. */
const MOST_RESCUES = 16;
const BEGINNING = '{"meta"';

/**
 * Reads envelopes from the bytes of a stream, whatever is between them.
 *
 * `isCareful` also finds members that stand twice and integers that are written as `1.0`; it takes about three times as
 * long. Exact integers and all other problems are found without it.
 *
 * Framings that are read: envelopes one after another, separated by commas, in a list, as values of the objects that
 * Sonar's daemon prints (`topic`, `key`, `client`, `value`), and behind the control lines of its Kafka proxy.
 */
export class EnvelopeReader {
  readonly #splitter: Splitter;
  readonly #isCareful: boolean;
  readonly #separators = new Set<string>();
  #number = 0;

  constructor({ isCareful = false, limit }: { readonly isCareful?: boolean; readonly limit?: number } = {}) {
    this.#splitter = new Splitter(limit);
    this.#isCareful = isCareful;
  }

  push(chunk: Buffer): EnvelopeRecord[] {
    return this.#splitter.push(chunk).flatMap((piece) => this.#read(piece, 0));
  }

  end(): EnvelopeRecord[] {
    return this.#splitter.end().flatMap((piece) => this.#read(piece, 0));
  }

  #read(piece: StreamPiece, rescues: number): EnvelopeRecord[] {
    if (piece.kind === 'separator') return this.#separator(piece);
    if (piece.kind === 'junk')
      return this.#broken(piece, 'envelopes with white space between them', piece.reason, rescues);
    if (!isUtf8(piece.bytes))
      return this.#broken(piece, 'Unicode text in UTF-8', 'bytes that are not UTF-8', MOST_RESCUES);
    const text = piece.bytes.toString('utf8');
    const problems: MessageProblem[] = [];
    let raw: unknown;
    try {
      raw = this.#parse(text, problems);
    } catch (error) {
      if (!(error instanceof Unreadable || error instanceof SyntaxError)) throw error;
      return this.#broken(piece, 'JSON', `JSON that is malformed: ${error.message}`, rescues);
    }
    const framed = raw as { topic?: unknown; value?: unknown; meta?: unknown };
    if (framed.meta === undefined && framed.topic !== undefined) {
      // The control line of the Kafka proxy; it may hold a password.
      if (Object.hasOwn(framed, 'data-size')) return [];
      if (framed.value !== undefined) raw = framed.value;
    }
    const checked = checkEnvelope(raw);
    return [this.#record(piece, { ...checked, problems: [...problems, ...checked.problems] })];
  }

  #parse(text: string, problems: MessageProblem[]): unknown {
    if (!this.#isCareful && !mayLoseDigits(text)) return JSON.parse(text);
    return readSonarJson(text, (name) => {
      if (problems.length < 20)
        problems.push({
          level: 'warning',
          field: name,
          found: 'a member that stands twice',
          expected: 'one; the last counts',
        });
    });
  }

  #record(piece: StreamPiece, checked: Pick<EnvelopeRecord, 'envelope' | 'hasUnknown' | 'problems'>): EnvelopeRecord {
    const { line, offset, bytes } = piece;
    return { number: ++this.#number, line, offset, bytes, ...checked };
  }

  #broken(piece: StreamPiece, expected: string, found = 'text', rescues = 0): EnvelopeRecord[] {
    const next = rescues < MOST_RESCUES ? piece.bytes.indexOf(BEGINNING, 1) : -1;
    const own = next === -1 ? piece : { ...piece, bytes: piece.bytes.subarray(0, next) };
    const problem: MessageProblem = { level: 'unusable', field: '', found, expected };
    const record = this.#record(own, { problems: [problem], hasUnknown: false });
    if (next === -1) return [record];
    const splitter = new Splitter();
    const pieces = [...splitter.push(piece.bytes.subarray(next)), ...splitter.end()];
    return [
      record,
      ...pieces.flatMap((each) => {
        if (each.kind === 'separator') return [];
        return this.#read(
          { ...each, offset: each.offset + piece.offset + next, line: each.line + piece.line - 1 },
          rescues + 1,
        );
      }),
    ];
  }

  /** Commas and brackets between envelopes, once of each kind: a stream may have millions. */
  #separator(piece: StreamPiece): EnvelopeRecord[] {
    const text = piece.bytes.length === 3 ? 'a byte order mark' : `"${piece.bytes.toString()}" between envelopes`;
    const kind = /[[\]]/.test(text) ? 'list' : text;
    // The items of a list have commas between them.
    if (this.#separators.has(kind) || this.#separators.has('list')) return [];
    this.#separators.add(kind);
    const problem: MessageProblem = {
      level: 'refused',
      field: '',
      found: text,
      expected: 'envelopes with white space between them',
    };
    const { line, offset, bytes } = piece;
    return [{ number: 0, line, offset, bytes, problems: [problem], hasUnknown: false }];
  }
}
