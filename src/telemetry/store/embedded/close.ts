import type { ArchiveTableName } from '../tables.ts';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../../cluster/make-folder.ts';
import { type Lock, takeNodeLock } from '../../../cluster/node-lock.ts';
import { type StoreDatabase, StoreUnusable } from '../sqlite/database.ts';
import { type ClosedDay, closedDays, filesOfTable, SAMPLES } from '../archive/catalog.ts';
import { type DeleteLimits, deleteLeftovers } from './delete-leftovers.ts';
import { DAY_SECONDS, dayOf, dayText, HASH_BYTES } from '../days.ts';
import { type DuckDB, loadDuckDB, openDatabaseToClose, quotedText, runWithMore } from '../archive/duckdb.ts';
import { archiveFile, archiveFolder, publish, bytesOfFiles, sweep, unfinishedFolder } from '../archive/files.ts';
import type { ClosedReport, CloseOptions } from '../telemetry-store.ts';
import type { EmbeddedRows } from './embedded-rows.ts';
import { hoursOfDay } from './hours-of-day.ts';
import { type DayToClose, stage, stageHours } from './stage.ts';
import { archiveTableNames, archiveTables, hourOrder, hourTableNames, isAlwaysWritten } from '../archive/tables.ts';

/** The steps of a close, each of which may be the last one of a program that is killed. */
type CloseStep = 'staged' | 'written' | 'published' | 'switched' | 'deleting' | 'deleted';

export interface CloseSettings extends CloseOptions, DeleteLimits {
  readonly onStep?: (step: CloseStep, day: string) => void;
}

/**
 * Moves the samples of days that are over from hot rows into files, one for each cluster, table and day.
 *
 * Files are written under other names, made durable and renamed. They become valid in the one transaction that deletes the
 * envelopes of the hot rows and keeps their hashes; a reader reads before or after it. So a close that is killed has
 * either happened or not, and the next one removes what it left. Late envelopes of a closed day are hot rows until the
 * next close, which writes the files of the day anew.
 *
 * Throws: `DUCKDB_MISSING`, `CloseRunning`.
 */
export async function* closeEmbeddedDays(
  db: StoreDatabase,
  rows: EmbeddedRows,
  store: string,
  options: CloseSettings,
): AsyncGenerator<ClosedReport> {
  // A store in memory has no place for files.
  if (store === ':memory:') return;
  await deleteLeftovers(db, options);
  const days = daysToClose(db, options.before);
  if (days.length === 0) return;
  const duck = await loadDuckDB();
  const lock = lockOf(store);
  try {
    const valid = new Set(
      closedDays(db).flatMap(({ clusterName, day, part, hasSamples }) =>
        [...(hasSamples ? archiveTableNames : []), ...hourTableNames].map((table) =>
          archiveFile(store, clusterName, day, table, part),
        ),
      ),
    );
    sweep(store, (file) => valid.has(file));
    for (const day of days) {
      const report = await closeDay(duck, db, rows, store, day, options);
      yield report;
    }
  } finally {
    lock.release();
  }
}

/** Another program closes days of the store. */
class CloseRunning extends StoreUnusable {}

function lockOf(store: string): Lock {
  const lock = takeNodeLock(archiveFolder(store), 'close');
  if (lock !== undefined) return lock;
  throw new CloseRunning(`another program closes days of ${store}; run the command again when it is done`);
}

/** Days with hot samples. */
function daysToClose(db: StoreDatabase, before: number): DayToClose[] {
  return db
    .all(
      `select c.id, c.name, e.time / ${DAY_SECONDS} as day, max(e.id) as last_id
       from envelope e join cluster c on c.id = e.cluster
       where e.type = 'sample' and e.node is not null and e.time >= 0 and e.time < ? group by 1, 3 order by 1, 3`,
      dayOf(before) * DAY_SECONDS,
    )
    .map((row) => ({
      cluster: Number(row['id']),
      clusterName: String(row['name']),
      day: Number(row['day']),
      lastId: Number(row['last_id']),
    }));
}

async function closeDay(
  duck: DuckDB,
  db: StoreDatabase,
  rows: EmbeddedRows,
  store: string,
  toClose: DayToClose,
  { now, onStep = () => {}, ...limits }: CloseSettings,
): Promise<ClosedReport> {
  const { cluster, clusterName, day } = toClose;
  const before = closedDays(db, { cluster, first: day, last: day })[0];
  const part = (before?.part ?? 0) + 1;
  const unfinished = unfinishedFolder(store);
  makeFolder(unfinished);
  const database = await openDatabaseToClose(duck, unfinished);
  const connection = await database.connect();
  const count = async (sql: string) => Number((await (await connection.run(sql)).getRows())[0]?.[0] ?? 0);
  try {
    await stage(duck, connection, db, toClose, before === undefined ? undefined : { store, closed: before });
    // Before samples are deleted, however long from now.
    const hours = await hoursOfDay(rows, clusterName, day);
    const old = before === undefined ? [] : [before];
    const isLost = await stageHours(duck, connection, hours, {
      job_hour: filesOfTable(store, old, 'job_hour'),
      node_hour: filesOfTable(store, old, 'node_hour'),
    });
    onStep('staged', dayText(day));
    const written: [from: string, to: string][] = [];
    for (const name of archiveTableNames) {
      if (!isAlwaysWritten(name) && (await count(`select count(*) from "${name}"`)) === 0) continue;
      const from = join(unfinished, `${name}.parquet`);
      await runWithMore(connection, copyStatement(name, from));
      written.push([from, archiveFile(store, clusterName, day, name, part)]);
    }
    for (const name of hourTableNames) {
      const from = join(unfinished, `${name}.parquet`);
      const sorted = `select * from ${name} order by ${hourOrder[name]}`;
      await runWithMore(connection, `copy (${sorted}) to ${quotedText(from)} ${PARQUET}`);
      written.push([from, archiveFile(store, clusterName, day, name, part)]);
    }
    onStep('written', dayText(day));
    for (const [from, to] of written) publish(from, to);
    onStep('published', dayText(day));
    const files = written.map(([, to]) => to);
    const report = {
      cluster: clusterName,
      day: dayText(day),
      samples: await count('select count(*) from sample'),
      processes: await count('select count(*) from process where ord is not null'),
      bytes: bytesOfFiles(files),
    };
    const has = isLost ? SAMPLES.some : SAMPLES.all;
    switchTo(db, toClose, { part, has, samples: report.samples, bytes: report.bytes, now });
    onStep('switched', report.day);
    await deleteLeftovers(db, { ...limits, onSlice: () => onStep('deleting', report.day) });
    onStep('deleted', report.day);
    return report;
  } finally {
    connection.closeSync();
    database.closeSync();
  }
}

const FORMAT = 'format parquet, compression zstd, compression_level 9, parquet_version v2';
/** DuckDB holds a group whole, twice, outside of its limit: half of its usual 122,880 rows. */
const PARQUET = `(${FORMAT}, row_group_size 61440)`;
/** Rows of samples have a counter for each core. */
const PARQUET_OF_SAMPLES = `(${FORMAT}, row_group_size 4096)`;

/** Sorted by stream, so that a value is near the one before it; with differences instead of values (version 2). */
function copyStatement(name: ArchiveTableName, file: string): string {
  const { columns, order } = archiveTables[name];
  if (name === 'sample') return `copy sample to ${quotedText(file)} ${PARQUET_OF_SAMPLES}`;
  const names = Object.keys(columns)
    .filter((column) => column !== 'id')
    .map((column) => `t."${column}"`);
  return `copy (select m.n, ${names.join(', ')} from "${name}" t join numbered m using (id) order by ${order})
    to ${quotedText(file)} ${PARQUET}`;
}

/** From here on the files are valid, and the hot rows are not. */
function switchTo(
  db: StoreDatabase,
  { cluster, day, lastId }: DayToClose,
  {
    part,
    has,
    samples,
    bytes,
    now,
  }: { part: number; has: (typeof SAMPLES)[keyof typeof SAMPLES]; samples: number; bytes: number; now: number },
): void {
  const inDay = `cluster = ?1 and type = 'sample' and node is not null and time >= ?2 and time < ?3 and id <= ?4`;
  const values = [cluster, day * DAY_SECONDS, (day + 1) * DAY_SECONDS, lastId] as const;
  db.transaction(() => {
    // In the order of the hashes, pages are filled.
    db.run(
      `insert into archived select ?1, ?5, substr(sha256, 1, ${HASH_BYTES}) from envelope where ${inDay} order by 3`,
      ...values,
      day,
    );
    db.run(
      `insert into newest_archived select node, max(time) from envelope where ${inDay} group by node
       on conflict (node) do update set time = max(time, excluded.time)`,
      ...values,
    );
    db.run(`insert into leftover select id from envelope where ${inDay}`, ...values);
    db.run(`delete from envelope where ${inDay}`, ...values);
    db.run(
      'insert or replace into closed_day values (?, ?, ?, ?, ?, ?, ?, ?)',
      cluster,
      day,
      part,
      has,
      lastId,
      samples,
      bytes,
      now,
    );
  });
}

/** The samples of closed days that ended before a time are deleted; their hours stay. Gives the number of envelopes. */
export function forgetDays(db: StoreDatabase, store: string, before: number, keptDays: readonly number[] = []): number {
  const days: ClosedDay[] = closedDays(db, { last: dayOf(before) - 1 }).filter(
    ({ hasSamples, day }) => hasSamples && !keptDays.includes(day),
  );
  if (days.length === 0) return 0;
  // A day that is closed meanwhile would get its samples back.
  const lock = lockOf(store);
  try {
    for (const { cluster, day } of days)
      db.transaction(() => {
        db.run('update closed_day set has_samples = 0 where cluster = ? and day = ?', cluster, day);
        db.run('delete from archived where cluster = ? and day = ?', cluster, day);
      });
    for (const { clusterName, day, part } of days)
      for (const table of archiveTableNames) rmSync(archiveFile(store, clusterName, day, table, part), { force: true });
  } finally {
    lock.release();
  }
  return days.reduce((sum, { samples }) => sum + samples, 0);
}
