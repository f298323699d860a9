import type { AttemptLink } from '../rows/records.ts';
import type { StoreDatabase } from './database.ts';
import { toInteger } from '../rows/numbers.ts';
import type { SqliteWriter } from './write.ts';

/** Writes links of clusters that the store knows, and gives how many were new. Part of a transaction of the caller. */
export function writeLinks(db: StoreDatabase, writer: SqliteWriter, links: readonly AttemptLink[]): number {
  let added = 0;
  for (const link of links) {
    const cluster = writer.clusterOf(link.cluster);
    if (cluster === undefined) continue;
    added += db.run(
      'insert into link values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing',
      cluster,
      writer.nodeOf(cluster, link.node),
      toInteger(link.job) ?? 0,
      toInteger(link.epoch) ?? 0,
      toInteger(link.pid) ?? 0,
      toInteger(link.start) ?? 0,
      link.time,
      link.workflow,
      link.workflowJob,
      link.run,
      link.attempt,
      toInteger(link.slurmJob),
      link.step ?? null,
    ).changes;
  }
  return added;
}
