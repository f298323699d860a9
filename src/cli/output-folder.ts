import { makeFolder } from '../cluster/make-folder.ts';
import { restrictFiles } from '../cluster/umask.ts';
import type { Context } from './context.ts';

/**
 * Makes the output folder of a runner, as private as the site wants it, before anything is created on the server: a
 * folder that cannot be made leaves no workflow behind.
 */
export function makeOutputFolder({ configuration }: Context, path: string): void {
  restrictFiles(configuration['client.run.umask']);
  makeFolder(path);
}
