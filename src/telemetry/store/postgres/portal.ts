import type { PgClient, PgQuery, PgRow, PgWire } from './library.ts';

/**
 * Rows of one statement in portions, with one way to the server and back for each: between them the statement waits in the server.
 * Until the last portion the connection is of no use for others; to end it earlier, close the connection.
 */
export class Portal {
  readonly #size: number;
  #rows: PgRow[] = [];
  /** What continues the statement, undefined after its last row. */
  #wire: PgWire | undefined;
  #arrived = Promise.withResolvers<void>();
  isOver = false;

  constructor(client: PgClient, query: PgQuery, size: number) {
    this.#size = size;
    query.on('row', (row) => void this.#rows.push(row));
    query.on('error', (error) => this.#arrived.reject(error));
    query.on('end', () => {
      this.isOver = true;
      this.#arrived.resolve();
    });
    query.handlePortalSuspended = (wire) => {
      this.#wire = wire;
      this.#arrived.resolve();
    };
    client.query(query);
  }

  /** The next rows; none after the last ones. */
  async next(): Promise<readonly PgRow[]> {
    if (this.#wire !== undefined) {
      this.#wire.execute({ portal: '', rows: this.#size });
      this.#wire.flush();
      this.#wire = undefined;
    }
    await this.#arrived.promise;
    const rows = this.#rows;
    this.#rows = [];
    if (!this.isOver) {
      this.#arrived = Promise.withResolvers<void>();
      // The connection may be lost while no call waits: the next call says so.
      this.#arrived.promise.catch(() => {});
    }
    return rows;
  }
}
