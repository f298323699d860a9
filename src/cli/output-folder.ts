import { makeFolder } from '../cluster/make-folder.ts';
import { whyNotTrusted } from '../cluster/trust.ts';
import { groupMayWrite, restrictFiles } from '../cluster/umask.ts';
import { Refusal } from '../core/contract/refusals.ts';
import type { Context } from './context.ts';

/**
 * Makes the output folder of a runner, as private as the site wants it, before anything is created on the server: a
 * folder that cannot be made leaves no workflow behind.
 *
 * Throws `NOT_TRUSTED` for one in which another user may have prepared files, or may replace them.
 */
export function makeOutputFolder({ configuration, settings }: Context, path: string): void {
  restrictFiles(configuration['client.run.umask']);
  makeFolder(path);
  const why = settings.trustsOwner ? undefined : whyNotTrusted(path, { groupMayWrite: groupMayWrite() });
  if (why !== undefined) throw new Refusal('NOT_TRUSTED', `the output folder may not be ours alone: ${why}`, { path });
}
