/** The part of the library `pg` that is used: it is installed beside torc, and has no types of its own. */
import { loadLibrary } from '../../../cluster/additions/folder.ts';
import { Refusal } from '../../../core/contract/refusals.ts';

/** A column as it is read: integers of 64 bits are bigints. */
export type PgCell = bigint | number | string | boolean | Uint8Array | readonly bigint[] | null;
export type PgRow = Readonly<Record<string, PgCell>>;

/** An object that speaks the protocol itself, such as a copy of rows. */
export interface Submittable {
  submit(connection: PgWire): void;
}

/** The connection below a client. */
export interface PgWire {
  query(sql: string): void;
  execute(portal: { readonly portal: string; readonly rows: number }): void;
  flush(): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
}

/** A statement whose rows are handed on one by one. */
export interface PgQuery extends Submittable {
  on(event: 'row', listener: (row: PgRow) => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  on(event: 'end', listener: () => void): void;
  /** Called after as many rows as were asked for, if there may be more. */
  handlePortalSuspended: (wire: PgWire) => void;
}

export interface PgClient {
  connect(): Promise<void>;
  query(sql: string, values?: readonly unknown[]): Promise<{ rows: PgRow[]; rowCount: number | null }>;
  query(statement: Submittable): unknown;
  end(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): void;
}

interface PgLibrary {
  readonly Client: new (options: object) => PgClient;
  readonly Query: new (options: {
    readonly text: string;
    readonly values: readonly unknown[];
    readonly rows: number;
  }) => PgQuery;
  readonly types: { getTypeParser(oid: number, format?: string): (text: string) => unknown };
}

const OID_INT8 = 20;
const OID_INT8_LIST = 1016;

/** Integers of 64 bits with all their digits, alone and in lists. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [OID_INT8]: BigInt,
  [OID_INT8_LIST]: (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(BigInt)),
};

/**
 * A client that is not connected yet.
 *
 * Throws: `POSTGRES_MISSING` where the library is not installed.
 */
export async function newClient(url: string): Promise<PgClient> {
  const { Client, types } = await postgresLibrary();
  return new Client({
    connectionString: url,
    application_name: 'torc',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    types: {
      getTypeParser: (oid: number, format?: string) =>
        format === 'binary' ? types.getTypeParser(oid, format) : (parsers[oid] ?? types.getTypeParser(oid, format)),
    },
  });
}

/** A statement of which the server sends at most `rows` rows at once. */
export async function newQuery(text: string, values: readonly unknown[], rows: number): Promise<PgQuery> {
  const { Query } = await postgresLibrary();
  return new Query({ text, values, rows });
}

/** A server that does not answer within this time is away. */
const CONNECT_MS = 15_000;

async function postgresLibrary(): Promise<PgLibrary> {
  try {
    const library = await loadLibrary(
      'pg',
      async () => (await import('pg')) as unknown as { readonly default: PgLibrary },
    );
    return library.default;
  } catch (cause) {
    throw new Refusal('POSTGRES_MISSING', `PostgreSQL cannot be used: ${(cause as Error).message.split('\n')[0]}`, {});
  }
}
