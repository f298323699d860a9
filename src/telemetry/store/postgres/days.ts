import { DAY_SECONDS, dayOf } from '../days.ts';
import type { PgConnection } from './connection.ts';
import { codeOf } from './errors.ts';
import { dailyTables } from './migrations.ts';

/** Days before 2000-01-01 come from clocks that are not set. */
const FIRST_DAY = 10_957;
/** A node whose clock is ahead by more has no partition of its own for its days. */
const DAYS_AHEAD = 2;
/** Partitions of 1,000 days: more make every statement slower, and clocks that step could make thousands. */
const MOST_DAYS = 1_000;
/** Any number that no other program uses for a lock in this database. */
const PARTITION_LOCK = 7_350_621_002;
/** Rows of the day stand in the default partition already: of a day that was pruned, or that was once far ahead. */
const ROWS_IN_DEFAULT = '23514';

/** Makes the partitions of days before rows of these days are written. Rows of all other days go to the default partitions. */
export class Days {
  readonly #db: PgConnection;
  #known = new Set<number>();
  /** The number of partitions, when they were counted. */
  #count = 0;

  constructor(db: PgConnection) {
    this.#db = db;
  }

  async ensure(days: Iterable<number>, received: number): Promise<void> {
    const newest = dayOf(received) + DAYS_AHEAD;
    const missing = [...new Set(days)].filter((day) => day >= FIRST_DAY && day <= newest && !this.#known.has(day));
    if (missing.length === 0) return;
    for (const day of await this.existing()) this.#known.add(day);
    this.#count = this.#known.size;
    for (const day of missing.toSorted((one, other) => one - other)) {
      if (this.#known.has(day)) continue;
      if (this.#count < MOST_DAYS) await this.#create(day);
      this.#known.add(day);
      this.#count++;
    }
  }

  /** The days that have partitions. */
  async existing(): Promise<readonly number[]> {
    const rows = await this.#db.query(
      `select substring(c.relname from 'd([0-9]+)$')::int as day from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = 'sonar.envelope'::regclass and c.relname ~ '^envelope_d[0-9]+$'`,
    );
    return rows.map(({ day }) => Number(day));
  }

  /** Another program pruned: a day that was there may be gone. */
  forget(): void {
    this.#known = new Set();
  }

  async #create(day: number): Promise<void> {
    try {
      await this.#db.transaction(async () => {
        await this.#db.query('select pg_advisory_xact_lock($1)', PARTITION_LOCK);
        if ((await this.existing()).includes(day)) return;
        for (const table of dailyTables)
          // Attached and not created in place: that would wait for everybody who reads the table.
          await this.#db.script(
            `create table sonar.${partitionOf(table, day)} (like sonar.${table} including defaults);
             alter table sonar.${table} attach partition sonar.${partitionOf(table, day)}
               for values from (${day * DAY_SECONDS}) to (${(day + 1) * DAY_SECONDS})`,
          );
      });
    } catch (error) {
      if (codeOf(error) !== ROWS_IN_DEFAULT) throw error;
    }
  }
}

export const partitionOf = (table: string, day: number): string => `${table}_d${day}`;
