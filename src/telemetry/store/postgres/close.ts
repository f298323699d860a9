import { jobHoursOf, nodeHoursOf } from '../figures/hours.ts';
import type { JobHour, NodeHour } from '../rows/hours.ts';
import { DAY_SECONDS, dayOf, dayText } from '../days.ts';
import { toInteger } from '../rows/numbers.ts';
import type { ClosedReport } from '../telemetry-store.ts';
import { PgConnection } from './connection.ts';
import { PostgresUnusable } from './errors.ts';
import { ADD_UP_DAY } from './hour-queries.ts';
import type { PgRows } from './pg-rows.ts';
import { typedColumns, type CopyValue } from './row-writer.ts';
import { WRITERS_LOCK, type PostgresWriter } from './write.ts';

/** Any number that no other program uses for a lock in this database. */
const CLOSE_LOCK = 7_350_621_004;

/** How often a day is added up again because samples of it arrived meanwhile; then it is left to the next round. */
const MOST_ATTEMPTS = 3;

/** Another program closes days of the store. */
class CloseRunning extends PostgresUnusable {}

/** What closing needs of a store: its connections, and rows to read beside them. */
export interface Closing {
  readonly url: string;
  readonly reading: PgConnection;
  readonly rows: PgRows;
  /** Used within `exclusively` only. */
  readonly writing: PgConnection;
  readonly writer: PostgresWriter;
  /** Executes `work` when no other work of the store uses its connection for writing. */
  readonly exclusively: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/**
 * Adds up the hours of days that are over. Their samples stay in their partitions until they are pruned; of hours without samples,
 * questions are answered from what was added up. A day to which samples come late is added up again.
 *
 * Throws: `CloseRunning`.
 */
export async function* closePostgresDays(store: Closing, before: number, now: number): AsyncGenerator<ClosedReport> {
  const first = await store.reading.query(OPEN_DAYS, dayOf(before));
  if (first.length === 0) return;
  // A lock of the session: it goes with its connection, however this program ends.
  const locking = new PgConnection(store.url);
  try {
    const [lock] = await locking.query('select pg_try_advisory_lock($1) as is_ours', CLOSE_LOCK);
    if (lock?.['is_ours'] !== true)
      throw new CloseRunning(
        `another program closes days of ${locking.address}; run the command again when it is done`,
      );
    for (const row of await store.reading.query(OPEN_DAYS, dayOf(before))) {
      const day = { cluster: Number(row['cluster']), clusterName: String(row['name']), day: Number(row['day']) };
      const report = await closeDay(store, day, now);
      if (report !== undefined) yield report;
    }
  } finally {
    await locking.close();
  }
}

const OPEN_DAYS = `
  select d.cluster, c.name, d.day from sonar.day d join sonar.cluster c on c.id = d.cluster
  where d.closed is null and d.day < $1 order by d.cluster, d.day`;

interface DayToClose {
  readonly cluster: number;
  readonly clusterName: string;
  readonly day: number;
}

async function closeDay(store: Closing, toClose: DayToClose, now: number): Promise<ClosedReport | undefined> {
  const { cluster, clusterName, day } = toClose;
  const [from, until] = [day * DAY_SECONDS, (day + 1) * DAY_SECONDS];
  const { reading, writing, rows } = store;
  const numberOf = async (db: PgConnection, sql: string) =>
    Number((await db.query(sql, cluster, from, until))[0]?.['number'] ?? 0);
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    const samples = await numberOf(reading, SAMPLES_OF_DAY);
    const window = { cluster: clusterName, from, until };
    const jobHours = (await Array.fromAsync(jobHoursOf(rows, window))).flat();
    const nodeHours = await nodeHoursOf(rows, window);
    const isClosed = await store.exclusively(async () => {
      const values = await valuesOf(store.writer, cluster, jobHours, nodeHours);
      return writing.transaction(async () => {
        await writing.query('select pg_advisory_xact_lock($1)', WRITERS_LOCK);
        // No program writes now: what was added up is all that the day has, or it is added up again.
        if ((await numberOf(writing, SAMPLES_OF_DAY)) !== samples) return false;
        await replace(writing, 'job_hour', values.jobs, toClose);
        await replace(writing, 'node_hour', values.nodes, toClose);
        for (const sql of ADD_UP_DAY) await writing.run(sql, cluster, from, until);
        await writing.run('update sonar.day set closed = $3 where cluster = $1 and day = $2', cluster, day, now);
        return true;
      });
    });
    if (!isClosed) continue;
    return {
      cluster: clusterName,
      day: dayText(day),
      samples,
      processes: await numberOf(reading, PROCESSES_OF_DAY),
      bytes: await numberOf(reading, SIZE_OF_DAY),
    };
  }
  return undefined;
}

const OF_DAY = 'cluster = $1 and time >= $2 and time < $3';
const SAMPLES_OF_DAY = `select count(*) as number from sonar.envelope where ${OF_DAY} and type = 'sample' and node is not null`;
const PROCESSES_OF_DAY = `select count(*) as number from sonar.process where ${OF_DAY} and ord is not null`;
const SIZE_OF_DAY = `
  select coalesce((select sum(pg_column_size(h)) from sonar.job_hour h where ${OF_DAY}), 0)
    + coalesce((select sum(pg_column_size(h)) from sonar.node_hour h where ${OF_DAY}), 0) as number`;

const COLUMNS = {
  job_hour: {
    ...typedColumns('int4', 'cluster'),
    ...typedColumns('int8', 'time'),
    ...typedColumns('int4', 'node'),
    ...typedColumns('int8', 'job epoch'),
    ...typedColumns('int4', '"user" cmd'),
    ...typedColumns('int8', 'first last'),
    ...typedColumns('int4', 'samples'),
    ...typedColumns(
      'float8',
      'processes cpu_seconds peak_cpu_percent memory_kb peak_memory_kb gpu_percent peak_gpu_memory_kb',
    ),
    ...typedColumns('text', 'cards'),
  },
  node_hour: {
    ...typedColumns('int4', 'cluster'),
    ...typedColumns('int8', 'time'),
    ...typedColumns('int4', 'node'),
    ...typedColumns('int8', 'first last boot'),
    ...typedColumns('int4', 'samples cores'),
    ...typedColumns('float8', 'cpu_percent used_memory_kb load1'),
    ...typedColumns('int4', 'cards'),
    ...typedColumns('float8', 'gpu_percent gpu_memory_kb'),
  },
};

async function valuesOf(
  writer: PostgresWriter,
  cluster: number,
  jobHours: readonly JobHour[],
  nodeHours: readonly NodeHour[],
): Promise<{ readonly jobs: CopyValue[][]; readonly nodes: CopyValue[][] }> {
  const { user, cmd } = await writer.idsOf({
    user: new Set(jobHours.map((each) => each.user)),
    cmd: new Set(jobHours.flatMap((each) => (each.cmd === '' ? [] : [each.cmd]))),
  });
  const names = new Set([...jobHours, ...nodeHours].map(({ node }) => node));
  const nodes = await writer.nodesOf([...names].map((name) => ({ cluster, name })));
  const nodeOf = (name: string) => nodes.get(`${cluster} ${name}`) ?? null;
  return {
    jobs: jobHours.map((each) => [
      cluster,
      each.time,
      nodeOf(each.node),
      toInteger(each.job) ?? 0,
      toInteger(each.epoch) ?? 0,
      user.get(each.user) ?? null,
      cmd.get(each.cmd) ?? null,
      each.first,
      each.last,
      each.samples,
      each.processes,
      Number(each.cpuSeconds),
      each.peakCpuPercent,
      Number(each.memoryKb),
      Number(each.peakMemoryKb),
      each.gpuPercent,
      Number(each.peakGpuMemoryKb),
      each.cards,
    ]),
    nodes: nodeHours.map((each) => [
      cluster,
      each.time,
      nodeOf(each.node),
      each.first,
      each.last,
      each.boot ?? null,
      each.samples,
      each.cores,
      each.cpuPercent ?? null,
      Number(each.usedMemoryKb),
      each.load1,
      each.cards,
      each.gpuPercent ?? null,
      Number(each.gpuMemoryKb),
    ]),
  };
}

/**
 * Writes the hours of a day. Of a day that lost samples, an hour stays unless there are more samples of it now: without those
 * before them, late ones say less than what was added up.
 */
async function replace(
  db: PgConnection,
  table: keyof typeof COLUMNS,
  values: readonly (readonly CopyValue[])[],
  { cluster, day }: DayToClose,
): Promise<void> {
  const key = table === 'job_hour' ? 'cluster, time, node, job, epoch, "user"' : 'cluster, time, node';
  await db.run(
    `delete from sonar.${table} where cluster = $1 and time >= $2 and time < $3
       and not exists (select from sonar.day d where d.cluster = $1 and d.day = $2 / ${DAY_SECONDS} and d.has_lost)`,
    cluster,
    day * DAY_SECONDS,
    (day + 1) * DAY_SECONDS,
  );
  await db.script(`create temporary table fresh (like sonar.${table}) on commit drop`);
  await db.copy('fresh', COLUMNS[table], values);
  const columns = Object.keys(COLUMNS[table]);
  const changed = columns.filter((column) => !key.split(', ').includes(column));
  await db.script(
    `insert into sonar.${table} (${columns.join(', ')}) select ${columns.join(', ')} from fresh
     on conflict (${key}) do update set ${changed.map((column) => `${column} = excluded.${column}`).join(', ')}
     where excluded.samples > ${table}.samples;
     drop table fresh`,
  );
}
