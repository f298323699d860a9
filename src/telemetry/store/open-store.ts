import type { StoreAccess } from './database.ts';
import type { TelemetryStore } from './telemetry-store.ts';

/** Opens the store at a path. Throws: `StoreUnusable`. */
export async function openStore(path: string, access: StoreAccess = {}): Promise<TelemetryStore> {
  const { EmbeddedStore } = await import('./embedded-store.ts');
  return new EmbeddedStore(path, access);
}
