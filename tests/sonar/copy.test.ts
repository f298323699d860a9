import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PgConnection } from '../../src/telemetry/store/postgres/connection.ts';
import { typedColumns, type CopyValue } from '../../src/telemetry/store/postgres/row-writer.ts';
import { PostgresServer, postgresIsMissing } from './postgres-server.ts';

const columns = {
  ...typedColumns('int8', 'n'),
  ...typedColumns('int4', 'small'),
  ...typedColumns('float8', 'share'),
  ...typedColumns('bool', 'is_true'),
  ...typedColumns('text', 'words'),
  ...typedColumns('int8[]', 'list'),
};
const TABLE =
  'create temporary table copied (n bigint, small int, share float8, is_true bool, words text, list bigint[])';

let server: PostgresServer;
let db: PgConnection;
beforeAll(async () => {
  if (postgresIsMissing !== undefined) return;
  server = await PostgresServer.start();
  db = new PgConnection(await server.newDatabase());
  await db.script(TABLE);
});
afterAll(async () => {
  await db?.close();
  await server?.stop();
});

/** What the table has after these rows were copied. */
async function copied(rows: readonly (readonly CopyValue[])[]) {
  await db.script('truncate copied');
  await db.copy('copied', columns, rows);
  return (await db.query('select * from copied')).map((row) => Object.values(row));
}
const rowOf = (n: number | bigint): CopyValue[] => [n, null, null, null, null, null];

if (postgresIsMissing !== undefined) process.stderr.write(`copies of rows are not tested: ${postgresIsMissing}\n`);

describe.skipIf(postgresIsMissing !== undefined)('rows that are copied', () => {
  it('integers keep all digits, as numbers and as bigints, at each power of two of 64 bits', async () => {
    const powers = Array.from({ length: 63 }, (_, power) => 2n ** BigInt(power)).flatMap((each) => [
      each - 1n,
      each,
      each + 1n,
    ]);
    const all = [...powers.flatMap((each) => [each, -each]), 2n ** 63n - 1n, -(2n ** 63n)];
    const asNumbers = all.filter((each) => Number.isSafeInteger(Number(each))).map(Number);
    const rows = await copied([...all, ...asNumbers].map(rowOf));
    expect(rows.map(([n]) => n)).toEqual([...all, ...asNumbers.map(BigInt)]);
  });

  it('values of each type arrive as they were given, and so does no value', async () => {
    const rows = [
      [1, -2_147_483_648, 0.1 + 0.2, true, 'a\tb\nc\\N "é" 𝄞', [0, -1, 2n ** 62n, 4_294_967_296]],
      [2, 2_147_483_647, -1.7976931348623157e308, false, '', []],
      [3, null, 5e-324, null, null, null],
    ] as const;
    const expected = rows.map(([n, small, share, isTrue, words, list]) => [
      BigInt(n),
      small,
      share,
      isTrue,
      words,
      list === null ? null : list.map(BigInt),
    ]);
    expect(await copied(rows)).toEqual(expected);
  });

  it('rows that are longer than what is sent at once, and many short ones, all arrive', async () => {
    const long = 'é'.repeat(300_000);
    const list = Array.from({ length: 50_000 }, (_, index) => index);
    const rows: CopyValue[][] = [
      [-1, null, null, null, long, list],
      ...Array.from({ length: 20_000 }, (_, n) => rowOf(n)),
    ];
    const found = await copied(rows);
    expect(found.map(([n]) => Number(n))).toEqual(rows.map(([n]) => n));
    expect(found[0]?.slice(4)).toEqual([long, list.map(BigInt)]);
  });

  it.each([1.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY])(
    'a number that is no exact integer (%d) is refused, stores nothing, and leaves the connection usable',
    async (value) => {
      await db.script('truncate copied');
      await expect(db.copy('copied', columns, [rowOf(1), rowOf(value)])).rejects.toThrow(
        `${value} is no exact integer`,
      );
      await expect(db.copy('copied', columns, [[1, value, null, null, null, null]])).rejects.toThrow('32 bits');
      expect(await db.query('select * from copied')).toEqual([]);
    },
  );
});
