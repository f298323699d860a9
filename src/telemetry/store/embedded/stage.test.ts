import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../tests/support/programs.ts';
import { loadDuckDB, openDatabaseToClose } from '../archive/duckdb.ts';
import { sortSamples } from './stage.ts';

/** 100 MB of counters: more than a close may hold. */
const SAMPLES = 50_000;
const CORES = 256;
const DAY = 20_513;
const FIRST = DAY * 2 ** 32 + 1;

it('samples that are larger together than the memory of a close are put into the order of their numbers', async () => {
  const database = await openDatabaseToClose(await loadDuckDB(), temporaryFolder());
  const connection = await database.connect();
  const values = async (sql: string) =>
    ((await (await connection.run(sql)).getRows())[0] ?? []).map((value) => (value === null ? null : Number(value)));
  await connection.run('create table sample (id bigint, node varchar, cpus ubigint[])');
  for (let first = 0; first < SAMPLES; first += 1000)
    await connection.run(
      `insert into sample select id, 'n' || id % 100, list_transform(range(${CORES}), x -> (x * 1000 + id)::ubigint)
         from range(${first}, ${first + 1000}) t(id)`,
    );
  // The other way round.
  await connection.run(`create table numbered as select id, ${FIRST}::bigint + ${SAMPLES} - 1 - id as n from sample`);
  await sortSamples(connection, DAY);
  const wrong = `n <> ${FIRST}::bigint + rowid or id <> ${SAMPLES} - 1 - rowid or cpus[${CORES}] <> ${CORES - 1} * 1000 + id`;
  expect(await values(`select count(*), count(*) filter (where ${wrong}) from sample`)).toEqual([SAMPLES, 0]);
  connection.closeSync();
  database.closeSync();
});
