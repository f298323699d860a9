import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Refuses a library that is installed beside torc, before it is loaded, if another user may have put it there.
 *
 * Node looks for it in `node_modules` of each folder above. One of them may be `/tmp`, where any user can make that folder, so only
 * that of the package counts, and the one in which the package stands, as for the Node that runs torc (bin/runtime.sh).
 * Throws: an error that names the folder. A library that is nowhere is left to `import`, which says so.
 */
export function requireOwn(name: string, from = dirname(fileURLToPath(import.meta.url))): void {
  const own = foldersAbove(from).find((folder) => existsSync(join(folder, 'bin/runtime.sh'))) ?? from;
  const place = foldersAbove(from)
    .map((folder) => join(folder, 'node_modules'))
    .find((modules) => existsSync(join(modules, name)));
  if (place === undefined) return;
  const around = dirname(own);
  if (place !== join(own, 'node_modules') && !(basename(around) === 'node_modules' && place === around))
    throw new Error(`${join(place, name)} is not used: it is not installed beside torc, which is ${own}`);
  const owner = statSync(own).uid;
  for (const path of [place, join(place, name)]) {
    const { uid } = statSync(path);
    if (uid !== 0 && uid !== owner)
      throw new Error(`${path} is not used: it belongs to user ${uid}, torc to user ${owner}`);
  }
}

/** The folder, the one above it and so on, as Node goes through them. */
function foldersAbove(folder: string): string[] {
  const above = dirname(folder);
  const rest = above === folder ? [] : foldersAbove(above);
  // In a folder of this name Node looks for none of its own, and in the folder above it finds this one.
  return basename(folder) === 'node_modules' ? rest : [folder, ...rest];
}
