import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { type Addition, type LockedPackage, packageName } from '../../cluster/additions/additions.ts';
import { additionFolder, LOADER } from '../../cluster/additions/folder.ts';
import { packages } from '../../cluster/additions/packages.gen.ts';
import { makeFolder } from '../../cluster/make-folder.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { makePart } from './part.ts';
import { type Place, placeAt } from './place.ts';
import { keepPart, unpack } from './unpack.ts';

/** What was added. */
export interface Added {
  readonly folder: string;
  readonly packages: number;
  /** It was there already, or another process was faster. */
  readonly wasThere: boolean;
}

/**
 * Installs the libraries of an addition into a folder of its own, in the versions that torc is tested with: each archive must have the
 * hash that the lock of torc has. The folder has its name when it is complete. `from`: URL of a registry of npm, or folder with archives of `npm pack`.
 *
 * Throws: `RELEASE_REFUSED`, and errors of the disk.
 */
export async function addLibraries(
  addition: Addition,
  {
    folder,
    from,
    wanted = packages[addition],
  }: { readonly folder: string; readonly from: string; readonly wanted?: readonly LockedPackage[] },
): Promise<Added> {
  const target = additionFolder(addition, folder);
  const needed = wanted.filter(isForThisMachine);
  if (existsSync(target)) return { folder: target, packages: needed.length, wasThere: true };
  makeFolder(folder);
  const part = makePart(folder);
  try {
    const place = placeAt(from);
    const tree = join(part, 'tree');
    mkdirSync(tree);
    for (const each of needed) await install(place, each, tree);
    writeFileSync(join(tree, LOADER.name), LOADER.text, { mode: 0o644 });
    return { folder: target, packages: needed.length, wasThere: !gotPlace(tree, target) };
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

/** False where another process was faster. */
function gotPlace(tree: string, target: string): boolean {
  try {
    renameSync(tree, target);
    return true;
  } catch (error) {
    if (!existsSync(target)) throw error;
    return false;
  }
}

const isForThisMachine = ({ os, cpu }: LockedPackage): boolean =>
  (os?.includes(process.platform) ?? true) && (cpu?.includes(process.arch) ?? true);

async function install(place: Place, { path, version, integrity }: LockedPackage, folder: string): Promise<void> {
  const name = packageName(path);
  // As a registry has it, and as `npm pack` writes it.
  const names = [
    `${name}/-/${basename(name)}-${version}.tgz`,
    `${name.replace('@', '').replace('/', '-')}-${version}.tgz`,
  ];
  const source = (await place.open(names[0] as string)) ?? (await place.open(names[1] as string));
  if (source === undefined)
    throw new Refusal('RELEASE_REFUSED', `${place.name} has no ${name} ${version} (${names.join(' or ')})`, { name });
  const archive = join(folder, 'archive.tgz');
  await keepPart(source, archive);
  const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  if (found !== integrity)
    throw new Refusal(
      'RELEASE_REFUSED',
      `${name} ${version} of ${place.name} is damaged or another one: its hash is ${found}, and torc was tested with ${integrity}`,
      { name },
    );
  await unpack(archive, 'package', join(folder, path));
  rmSync(archive);
}
