import type { PgWire, Submittable } from './library.ts';
import { RowWriter } from './row-writer.ts';

/** Used by all copies: each writes its rows in one go. */
const writer = new RowWriter();

/** Copies rows into a table: the client sends it as it sends a statement. The rows are sent while they are encoded. */
export class CopyIn implements Submittable {
  readonly done: Promise<void>;
  readonly #sql: string;
  readonly #write: (out: RowWriter) => void;
  #resolve: () => void = () => {};
  #reject: (error: Error) => void = () => {};

  constructor(sql: string, write: (out: RowWriter) => void) {
    this.#sql = sql;
    this.#write = write;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  submit(wire: PgWire): void {
    wire.query(this.#sql);
  }

  handleCopyInResponse(wire: PgWire): void {
    try {
      writer.writeAll(this.#write, (bytes) => wire.sendCopyFromChunk(bytes));
    } catch (error) {
      this.#reject(error as Error);
      wire.sendCopyFail((error as Error).message);
      return;
    }
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
