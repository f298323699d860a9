import type { PgConnection } from './connection.ts';
import { partitionOf } from './days.ts';

/**
 * What the planner must know of a day: how many rows there are, and how often what they are joined by repeats. PostgreSQL finds out by itself
 * within minutes; until then it expects one row of each job, and the profile of a job with 16,000 rows takes half a minute.
 */
const COLUMNS: Readonly<Record<string, string>> = {
  envelope: 'time, id, cluster, type, node, source',
  process: 'time, envelope, cluster, node, slot, ord, job, epoch, "user", cmd',
  process_gpu: 'time, envelope, slot, ord, gpu',
  node_sample: 'time, envelope',
  gpu_sample: 'time, envelope, gpu',
  disk_sample: 'time, envelope, disk',
};

/** A day is looked at again when it has so many times the rows: six times in a day of a million. */
const GROWTH = 10;

interface DayRows {
  rows: number;
  /** Rows when the statistics of the planner were made. */
  reported: number;
}

/** Updates the statistics of the planner for days that were written. */
export class PlannerStatistics {
  readonly #db: PgConnection;
  readonly #days = new Map<number, DayRows>();

  constructor(db: PgConnection) {
    this.#db = db;
  }

  /** `written`: rows of processes that were written, by their day. */
  async report(written: ReadonlyMap<number, number>): Promise<void> {
    for (const [day, count] of written) {
      const known = this.#days.get(day) ?? (await this.#read(day));
      this.#days.set(day, known);
      known.rows += count;
      if (known.rows < GROWTH * known.reported || known.rows === 0) continue;
      known.reported = known.rows;
      // Another program does the same, or PostgreSQL does: then it is not done twice.
      const tables = Object.entries(COLUMNS).map(([table, names]) => `sonar.${partitionOf(table, day)} (${names})`);
      await this.#db.script(`analyze (skip_locked) ${tables.join(', ')}`);
    }
  }

  async #read(day: number): Promise<DayRows> {
    const [row] = await this.#db.query(
      'select reltuples::float8 as rows from pg_class where oid = to_regclass($1)',
      `sonar.${partitionOf('process', day)}`,
    );
    // Days of clocks that are not set have no partition.
    if (row === undefined) return { rows: 0, reported: Infinity };
    // Negative where it was never counted.
    const rows = Math.max(0, Number(row['rows']));
    return { rows, reported: rows };
  }
}
