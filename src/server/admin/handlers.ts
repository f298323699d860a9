import { PAGE_LIMIT } from '../../core/contract/shape.ts';
import type { Handlers } from '../handlers.ts';
import { ownTables } from '../store/migrate.ts';
import { clamped, listPageOf } from '../store/listing.ts';
import type { Store } from '../records/store.ts';
import { adminQueries, auditEntryOf } from './queries.ts';
import { carryOut, type SqlSettings } from './sql.ts';
import type { TrafficLog } from './traffic.ts';

export interface AdminSettings extends SqlSettings {
  readonly traffic: TrafficLog;
  /** Reads the users again and returns their number. */
  readonly reloadUsers: () => number;
}

/** Requests of administrators about the server itself. */
export const adminHandlers = (store: Store, settings: AdminSettings) => {
  const queries = adminQueries(store.db, ownTables);
  const run = carryOut(store, queries, settings);
  return {
    reloadAuth: () => {
      const count = settings.reloadUsers();
      return { message: 'Auth credentials reloaded successfully', user_count: count };
    },
    runSql: ({ body }, caller) => run(body, caller),
    /** Limits out of range are silently clamped, as in Torc 1.0.0. */
    listAuditLog({ query }) {
      const { offset = 0, limit = PAGE_LIMIT } = clamped(query);
      const items = queries.auditLog.all({ limit, offset }).map(auditEntryOf);
      return listPageOf(items, offset, queries.audited.get({})?.rows ?? 0);
    },
    getApiStats: ({ query }) => settings.traffic.stats(query.window_seconds, query.interval_seconds),
  } satisfies Partial<Handlers>;
};
