import { isPostgresUrl } from './postgres/address.ts';
import type { StoreAccess } from './sqlite/database.ts';
import type { TelemetryStore } from './telemetry-store.ts';

/**
 * Opens the store at a path, or the one in PostgreSQL at a `postgres://` URL.
 *
 * Throws: `StoreUnusable`, `StoreAway`.
 */
export async function openStore(path: string, access: StoreAccess = {}): Promise<TelemetryStore> {
  if (isPostgresUrl(path)) {
    const { PostgresStore } = await import('./postgres/store.ts');
    return PostgresStore.open(path, access);
  }
  const { EmbeddedStore } = await import('./embedded/embedded-store.ts');
  return new EmbeddedStore(path, access);
}
