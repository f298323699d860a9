import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../tests/support/programs.ts';
import { loadDuckDB, openDatabaseToClose, runWithMore } from './duckdb.ts';

/** 100 MB: DuckDB sorts rows with lists in memory. */
const WIDE =
  'create table wide as select id, list_transform(range(256), x -> x * 1000 + id) as cpus from range(50000) t(id)';
const SORTED = 'create table sorted as select * from wide order by id desc';

it('a statement of a close that needs more memory than the limit gets more, and another error stays an error', async () => {
  const database = await openDatabaseToClose(await loadDuckDB(), temporaryFolder());
  const connection = await database.connect();
  await connection.run(WIDE);
  await expect(connection.run(SORTED)).rejects.toThrow(/^Out of Memory Error/);
  await runWithMore(connection, SORTED);
  const [[count]] = (await (await connection.run('select count(*) from sorted')).getRows()) as [[bigint]];
  expect(count).toBe(50_000n);
  await expect(runWithMore(connection, SORTED)).rejects.toThrow(/already exists/);
  connection.closeSync();
  database.closeSync();
});
