import { postgresAddressOf } from './address.ts';
import { CopyIn } from './copy.ts';
import { codeOf, StoreAway } from './errors.ts';
import { newClient, newQuery, type PgClient, type PgRow } from './library.ts';
import { Portal } from './portal.ts';
import type { Columns, CopyValue, RowWriter } from './row-writer.ts';

/**
 * A connection to PostgreSQL that is opened on use, and again after it was lost.
 *
 * Throws: `StoreAway` where the server is away, is shutting down, has no space left or has too many connections.
 */
export class PgConnection {
  /** The address without the password. */
  readonly address: string;
  readonly #url: string;
  #client: Promise<PgClient> | undefined;
  /** The connection of the transaction that is open. */
  #bound: Promise<PgClient> | undefined;
  /** Left by streams, for the next ones. */
  readonly #spare: PgConnection[] = [];

  constructor(url: string) {
    this.#url = url;
    this.address = postgresAddressOf(url);
  }

  async query(sql: string, ...values: readonly unknown[]): Promise<readonly PgRow[]> {
    return this.#with(async (client) => (await client.query(sql, values)).rows);
  }

  /** The number of rows that a statement changed. */
  async run(sql: string, ...values: readonly unknown[]): Promise<number> {
    return this.#with(async (client) => (await client.query(sql, values)).rowCount ?? 0);
  }

  /** Rows in portions, on a connection of their own: other statements may be executed meanwhile. */
  async *stream(sql: string, ...values: readonly unknown[]): AsyncGenerator<readonly PgRow[]> {
    const other = this.#spare.pop() ?? new PgConnection(this.#url);
    let isOver = false;
    try {
      const query = await newQuery(sql, values, PORTION);
      const portal = await other.#with(async (client) => new Portal(client, query, PORTION));
      while (!portal.isOver) {
        const rows = await other.#with(() => portal.next());
        if (rows.length > 0) yield rows;
      }
      isOver = true;
    } finally {
      // A new connection takes longer than most questions.
      if (isOver && this.#spare.length < MOST_SPARE) this.#spare.push(other);
      else await other.close();
    }
  }

  /** Several statements at once, without values. */
  async script(sql: string): Promise<void> {
    await this.#with((client) => client.query(sql));
  }

  async copy(table: string, columns: Columns, rows: readonly (readonly CopyValue[])[]): Promise<void> {
    if (rows.length === 0) return;
    const types = Object.values(columns);
    await this.copyRows(table, columns, (out) => {
      for (const row of rows) out.values(types, row);
    });
  }

  /** Copies the rows that `write` gives, values of the columns in their order. */
  async copyRows(table: string, columns: Columns, write: (out: RowWriter) => void): Promise<void> {
    await this.#with((client) => {
      const copy = new CopyIn(`copy ${table} (${Object.keys(columns).join(', ')}) from stdin (format binary)`, write);
      client.query(copy);
      return copy.done;
    });
  }

  /**
   * Executes `work` in a transaction. It is executed again if another program got in its way, so it changes nothing but the
   * database.
   */
  async transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.query('begin');
        this.#bound = this.#client;
        const result = await work();
        await this.query('commit');
        this.#bound = undefined;
        return result;
      } catch (error) {
        this.#bound = undefined;
        if (!(error instanceof StoreAway)) await this.query('rollback').catch(() => {});
        if (attempt >= MOST_ATTEMPTS || !isConflict(error)) throw error;
      }
    }
  }

  async #with<Result>(use: (client: PgClient) => Promise<Result>): Promise<Result> {
    // The rest of a transaction must not be executed on another connection.
    if (this.#bound !== undefined && this.#client !== this.#bound)
      throw new StoreAway(`the connection to PostgreSQL at ${this.address} was lost`);
    const opened = (this.#client ??= this.#open());
    try {
      return await use(await opened);
    } catch (error) {
      if (!isAway(error)) throw error;
      this.#forget(opened);
      throw new StoreAway(`PostgreSQL at ${this.address} cannot be used now: ${reasonOf(error as Error)}`, {
        cause: error,
      });
    }
  }

  async #open(): Promise<PgClient> {
    const client = await newClient(this.#url);
    const opened = this.#client;
    // Lost between statements: the next one opens another connection.
    client.on('error', () => this.#forget(opened));
    await client.connect();
    // Statements over many partitions look expensive to the planner; compiling them takes longer than executing them.
    // With the usual 4 MB, answers about weeks of a site are sorted on the disk.
    await client.query(
      `select set_config('jit', 'off', false),
         case when pg_size_bytes(current_setting('work_mem')) < 33554432 then set_config('work_mem', '32MB', false) end`,
    );
    return client;
  }

  #forget(opened: Promise<PgClient> | undefined): void {
    if (this.#client === opened) this.#client = undefined;
    void opened?.then((client) => client.end()).catch(() => {});
  }

  async close(): Promise<void> {
    for (const spare of this.#spare.splice(0)) await spare.close();
    const opened = this.#client;
    this.#client = undefined;
    await opened?.then((client) => client.end()).catch(() => {});
  }
}

/** Rows of a portion: enough that the way to the server and back does not count. */
const PORTION = 2000;

/**
 * Connections that are kept for streams: a profile reads what was before a job while it reads the job. With fewer it opens one each
 * time; with many, a server of few connections would be full of idle ones.
 */
const MOST_SPARE = 2;

/** Two programs that wait for each other: the database makes one of them begin again. */
const MOST_ATTEMPTS = 5;

const isConflict = (error: unknown): boolean => ['40001', '40P01', '23505', '55P03'].includes(codeOf(error));

/**
 * Errors that pass: of the network, and of PostgreSQL the classes connection (08), resources (53: disk full, too many
 * connections), operator intervention (57P: shutdown, starting up) and system errors (58).
 */
function isAway(error: unknown): boolean {
  if (error instanceof StoreAway) return false;
  const code = codeOf(error);
  return (
    /^(?:08|53|57P|58)/.test(code) ||
    /^E(?:CONN|PIPE|TIMEDOUT|HOST|NET|NOTFOUND|AI_)/.test(code) ||
    ['ENOENT', 'ENOTFOUND', '25006'].includes(code) ||
    /Connection terminated|timeout expired|not queryable|Client was closed/i.test((error as Error).message)
  );
}

/** Several addresses of a name give an error without a message. */
function reasonOf(error: Error): string {
  const { errors = [] } = error as Error & { readonly errors?: readonly Error[] };
  return error.message !== '' ? error.message : (errors[0]?.message ?? error.name);
}
