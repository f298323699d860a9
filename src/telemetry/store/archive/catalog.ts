import { existsSync } from 'node:fs';
import type { StoreDatabase } from '../sqlite/database.ts';
import { archiveFile } from './files.ts';

export interface ClosedDay {
  readonly cluster: number;
  readonly clusterName: string;
  readonly day: number;
  readonly part: number;
  /** False when its samples were deleted; its hours stay. */
  readonly hasSamples: boolean;
  /** Some of its hours have no samples: all of them, or those of which nothing came again. */
  readonly hasLostHours: boolean;
  readonly samples: number;
  readonly bytes: number;
}

/** What a closed day has of its samples: `has_samples` in the table. */
export const SAMPLES = { deleted: 0n, all: 1n, some: 2n } as const;

/** The closed days of a cluster, or of all, from a day to another one. */
export const closedDays = (
  db: StoreDatabase,
  { cluster, first, last }: { cluster?: number; first?: number; last?: number } = {},
): ClosedDay[] =>
  db
    .all(
      `select d.*, c.name from closed_day d join cluster c on c.id = d.cluster
       where (?1 is null or d.cluster = ?1) and (?2 is null or d.day >= ?2) and (?3 is null or d.day <= ?3)
       order by d.cluster, d.day`,
      cluster ?? null,
      first ?? null,
      last ?? null,
    )
    .map((row) => ({
      cluster: Number(row['cluster']),
      clusterName: String(row['name']),
      day: Number(row['day']),
      part: Number(row['part']),
      hasSamples: row['has_samples'] !== SAMPLES.deleted,
      hasLostHours: row['has_samples'] !== SAMPLES.all,
      samples: Number(row['samples']),
      bytes: Number(row['bytes']),
    }));

/** The valid files of a table; a day without rows has none. */
export const filesOfTable = (store: string, days: readonly ClosedDay[], table: string): string[] =>
  days
    .map(({ clusterName, day, part }) => archiveFile(store, clusterName, day, table, part))
    .filter((file) => existsSync(file));
