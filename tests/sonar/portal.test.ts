import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PgConnection } from '../../src/telemetry/store/postgres/connection.ts';
import { StoreAway } from '../../src/telemetry/store/postgres/errors.ts';
import { PostgresServer, postgresIsMissing } from './postgres-server.ts';

const COUNT = 'select n from generate_series(1, $1::int) n';

let server: PostgresServer;
let db: PgConnection;
beforeAll(async () => {
  if (postgresIsMissing !== undefined) return;
  server = await PostgresServer.start();
  db = new PgConnection(await server.newDatabase());
});
afterAll(async () => {
  await db?.close();
  await server?.stop();
});

const numbersOf = async (sql: string, ...values: readonly unknown[]) =>
  (await Array.fromAsync(db.stream(sql, ...values))).flat().map(({ n }) => n);

if (postgresIsMissing !== undefined)
  process.stderr.write(`portions of PostgreSQL are not tested: ${postgresIsMissing}\n`);

describe.skipIf(postgresIsMissing !== undefined)('rows in portions', () => {
  it.each([0, 1, 1999, 2000, 2001, 4000, 5003])(
    'all of %i rows arrive, in their order and in portions',
    async (count) => {
      const portions = await Array.fromAsync(db.stream(COUNT, count));
      expect(portions.flat().map(({ n }) => n)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
      expect(portions.every(({ length }) => length > 0 && length <= 2000)).toBe(true);
    },
  );

  it('who stops early, and who reads beside it, get their own rows', async () => {
    for await (const rows of db.stream(COUNT, 10_000)) {
      expect(await numbersOf(COUNT, 3)).toEqual([1, 2, 3]);
      expect(rows).toHaveLength(2000);
      break;
    }
    expect(await numbersOf(COUNT, 2)).toEqual([1, 2]);
  });

  it('a statement that fails before its first row or after a portion fails the reader, and the next one works', async () => {
    await expect(numbersOf('select nonsense as n')).rejects.toThrow(/nonsense/);
    await expect(numbersOf('select 1 / (2500 - n) as n from generate_series(1, 5000) n')).rejects.toThrow(
      /division by zero/,
    );
    expect(await numbersOf(COUNT, 1)).toEqual([1]);
  });

  it('a connection that is lost between two portions is reported as a store that is away', async () => {
    const stream = db.stream('select n, pg_backend_pid() as pid from generate_series(1, 5000) n');
    const first = await stream.next();
    const [{ pid } = { pid: 0 }] = first.value as readonly { readonly pid: number }[];
    await db.query('select pg_terminate_backend($1)', pid);
    await expect(Array.fromAsync(stream)).rejects.toThrow(StoreAway);
    expect(await numbersOf(COUNT, 1)).toEqual([1]);
  });
});
