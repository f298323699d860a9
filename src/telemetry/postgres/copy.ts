import type { PgWire, Submittable } from './library.ts';

/** A value of a column, as `COPY` takes it. */
export type CopyValue = number | bigint | string | boolean | readonly (number | bigint)[] | null;

/** One row in the text format of `COPY`. */
export function copyLine(values: readonly CopyValue[]): string {
  let line = '';
  for (const value of values) {
    if (line !== '') line += '\t';
    line += value === null ? '\\N' : copyText(value);
  }
  return `${line}\n`;
}

function copyText(value: Exclude<CopyValue, null>): string {
  if (typeof value === 'string') return /[\\\t\n\r]/.test(value) ? escaped(value) : value;
  if (typeof value === 'boolean') return value ? 't' : 'f';
  return typeof value === 'object' ? `{${value.join(',')}}` : String(value);
}

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r');

/** Copies rows into a table: the client sends it as it sends a statement. */
export class CopyIn implements Submittable {
  readonly done: Promise<void>;
  readonly #sql: string;
  readonly #lines: Buffer;
  #resolve: () => void = () => {};
  #reject: (error: Error) => void = () => {};

  constructor(sql: string, lines: string) {
    this.#sql = sql;
    this.#lines = Buffer.from(lines);
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  submit(wire: PgWire): void {
    wire.query(this.#sql);
  }

  handleCopyInResponse(wire: PgWire): void {
    wire.sendCopyFromChunk(this.#lines);
    wire.endCopyFrom();
  }

  handleCommandComplete(): void {}

  handleError(error: Error): void {
    this.#reject(error);
  }

  handleReadyForQuery(): void {
    this.#resolve();
  }
}
