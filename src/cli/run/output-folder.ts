import { join } from 'node:path';
import { makeFolder } from '../../cluster/make-folder.ts';
import { mayAnybodyWrite, whyNotTrusted } from '../../cluster/trust.ts';
import { groupMayWrite, restrictFiles } from '../../cluster/umask.ts';
import { STDIO_FOLDER } from '../../core/contract/files/job.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { Context } from '../command/context.ts';

/**
 * Makes the output folder of a runner, as private as the site wants it, before anything is created on the server: a
 * folder that cannot be made leaves no workflow behind.
 *
 * Throws `NOT_TRUSTED` for one in which another user may have prepared files, or may replace them.
 */
export function makeOutputFolder({ configuration, settings }: Context, path: string): void {
  restrictFiles(configuration['client.run.umask']);
  makeFolder(path);
  const why = settings.trustsOwner ? undefined : whyPrepared(path);
  if (why !== undefined) throw new Refusal('NOT_TRUSTED', `the output folder may not be ours alone: ${why}`, { path });
}

/**
 * Why files in an output folder may be prepared: links, also hard ones, which look like files. In a folder such as /tmp any user
 * can make them, and the folder of the output of jobs too.
 */
function whyPrepared(path: string): string | undefined {
  const options = { groupMayWrite: groupMayWrite() };
  const why = whyNotTrusted(path, options) ?? whyNotTrusted(join(path, STDIO_FOLDER), options);
  return why ?? (mayAnybodyWrite(path) ? `everybody may make files in ${path}; name a folder in it` : undefined);
}
