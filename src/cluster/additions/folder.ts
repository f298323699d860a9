import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { requireOwn } from '../own-library.ts';
import { isOpenToAll, whyNotTrusted } from '../trust.ts';
import { type Addition, ADDITIONS } from './additions.ts';
import { packages } from './packages.gen.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder of a user's additions, or one that a site has for all: TORC_ADDITIONS. */
export const additionsFolder = (environment: Environment): string =>
  environment['TORC_ADDITIONS'] ??
  join(environment['XDG_DATA_HOME'] ?? join(homedir(), '.local/share'), 'torc/additions');

/** The folder of an addition, which says by its name which packages are in it: another version of torc may need others. */
export function additionFolder(addition: Addition, folder: string): string {
  const hash = createHash('sha256').update(JSON.stringify(packages[addition])).digest('hex').slice(0, 8);
  return join(folder, `${addition}-${hash}`);
}

/** In each addition: from there Node finds its libraries. */
export const LOADER = { name: 'load.mjs', text: 'export const load = (name) => import(name);\n' };

/**
 * Loads a library that torc does not bring: from its addition, or from beside torc with `load`, as npm installs it.
 *
 * Throws: an error that names a place which another user may change, and that of Node where it is nowhere.
 */
export async function loadLibrary<T>(name: string, load: () => Promise<T>, environment = process.env): Promise<T> {
  const [addition] = (Object.keys(ADDITIONS) as Addition[]).filter((each) =>
    (ADDITIONS[each] as readonly string[]).includes(name),
  );
  const folder = addition === undefined ? undefined : additionFolder(addition, additionsFolder(environment));
  if (folder === undefined || !existsSync(folder)) {
    requireOwn(name);
    return load();
  }
  const loader = join(realpathSync(folder), LOADER.name);
  refuseOpen(loader);
  const { load: fromThere } = (await import(pathToFileURL(loader).href)) as { load: (name: string) => Promise<T> };
  return fromThere(name);
}

/** Only this user and root may write there: what is in it decides what torc does. */
function refuseOpen(path: string): void {
  const folder = dirname(path);
  const why = [path, folder, join(folder, 'node_modules'), dirname(folder)]
    .map((each) => (isOpenToAll(each) ? `everybody may write ${each}` : whyNotTrusted(each, { groupMayWrite: false })))
    .find((words) => words !== undefined);
  if (why !== undefined) throw new Error(`${folder} is not used: ${why}`);
}
