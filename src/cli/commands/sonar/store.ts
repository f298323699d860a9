import { isOpenToAll, whyNotTrusted } from '../../../cluster/trust.ts';
import { restrictFiles } from '../../../cluster/umask.ts';
import type { TelemetryStore } from '../../../telemetry/store/telemetry-store.ts';
import { builtIn } from '../../config/schema.ts';
import { Failure } from '../../command/failure.ts';
import { option } from '../../command/option.ts';

export const storeOption = option('--store <file>', 'file of the telemetry store, or postgres://USER@HOST/DATABASE', {
  setting: 'client.sonar.store',
});

interface StoreOptions {
  readonly isReadOnly?: boolean;
  readonly isDurable?: boolean;
  /** The umask for new files of the store. Telemetry shows the activity of all users, so other users must not read it. */
  readonly umask?: string;
}

/**
 * The store of the current folder, which is used without being named, may be the work of another user: what is asked of it would be
 * false, and what is written would be read. One that is named is the user's choice.
 */
function refuseForeign(path: string): void {
  if (path !== builtIn['client.sonar.store']) return;
  const options = { groupMayWrite: true };
  const why = isOpenToAll('.')
    ? 'everybody may replace files in this folder'
    : ['', '-wal', '-shm', '-journal'].map((end) => whyNotTrusted(`${path}${end}`, options)).find(Boolean);
  if (why !== undefined) throw new Failure(`the store is not used: ${why}. If you want it, name it: --store ./${path}`);
}

/** Opens the store for a command, and closes it behind it. */
export async function withStore<Result>(
  path: string,
  { umask, ...options }: StoreOptions,
  use: (store: TelemetryStore) => Result | Promise<Result>,
): Promise<Result> {
  // A sample of a node needs no database: it is loaded on use.
  const { StoreUnusable } = await import('../../../telemetry/store/sqlite/database.ts');
  const { openStore } = await import('../../../telemetry/store/open-store.ts');
  let store: TelemetryStore | undefined;
  if (umask !== undefined) restrictFiles(umask);
  refuseForeign(path);
  try {
    store = await openStore(path, options);
    return await use(store);
  } catch (cause) {
    // A full disk, a lock that another program keeps: what was stored before stays.
    if ((cause as NodeJS.ErrnoException).code === 'ERR_SQLITE_ERROR')
      throw new Failure(`the store ${path} cannot be used: ${(cause as Error).message}; run the command again`, {
        cause,
      });
    const { PostgresUnusable, StoreAway } = await import('../../../telemetry/store/postgres/errors.ts');
    if (cause instanceof StoreAway)
      throw new Failure(`${cause.message}; what was stored before stays: run the command again`, { cause });
    if (!(cause instanceof StoreUnusable || cause instanceof PostgresUnusable)) throw cause;
    const hint = options.isReadOnly === true ? '; torc sonar ingest makes one, --store names another' : '';
    throw new Failure(`${cause.message}${hint}`, { cause });
  } finally {
    await store?.close();
  }
}
