import {
  accessSync,
  constants,
  existsSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Refusal } from '../../core/contract/refusals.ts';

/**
 * What `install.sh` has made: PREFIX/lib/torc has a folder for each version, the link `current` to one of them, the link `previous`
 * to the one before, and `receipt.json`. Links in PREFIX/bin go through `current`. A version that runs keeps its folder, whatever
 * becomes current.
 */
export interface Installation {
  readonly prefix: string;
  /** PREFIX/lib/torc */
  readonly versions: string;
  readonly current: string;
  /** Undefined before the first update. */
  readonly previous: string | undefined;
  /** Folder or URL from which it was installed. */
  readonly from: string | undefined;
}

/** `release.json` of a version: what it is, and whose signature it trusts. */
export interface Release {
  readonly version: string;
  /** `linux-x64` */
  readonly platform: string;
  /** Public key of minisign; '' for one that was built without. */
  readonly key: string;
  /** Version of the tables of a database. */
  readonly schema: number;
  /** The oldest version of the tables whose programs may use a database of this one. */
  readonly oldest?: number;
}

/** Whether the older of two versions may use a database that the newer one has opened. */
export function mayReturn(one: Release, other: Release): boolean {
  const [older, newer] = one.schema <= other.schema ? [one, other] : [other, one];
  return older.schema >= (newer.oldest ?? newer.schema);
}

/** The installation of the package in `root`. Throws: `UPDATE_ELSEWHERE`, with what updates it instead. */
export function installationOf(root: string): Installation {
  const versions = dirname(root);
  const current = linkIn(versions, 'current');
  if (!existsSync(join(versions, 'receipt.json')) || current === undefined)
    throw new Refusal('UPDATE_ELSEWHERE', `this torc was not installed by install.sh: ${whatInstead(root)}`, { root });
  refuseReadOnly(versions);
  const { from } = readJson(join(versions, 'receipt.json')) as { from?: string };
  return {
    prefix: dirname(dirname(versions)),
    versions,
    current,
    previous: linkIn(versions, 'previous'),
    from: from === '' ? undefined : from,
  };
}

/** How a torc is updated that came in another way. */
function whatInstead(root: string): string {
  if (existsSync(join(root, 'src'))) return `it runs from the clone ${root}. Update that: git pull && npm ci`;
  if (basename(dirname(root)) === 'node_modules')
    return `npm installed it in ${root}. Install the newer package file in the same way: npm install --global torc-VERSION.tgz`;
  if (basename(root) === 'torc-flow')
    return `pip installed it in ${root}. Update it in the same way: pip install --upgrade torc-flow`;
  if (root.startsWith('/usr/') || root.startsWith('/opt/'))
    return `a package or a module of this machine brought ${root}. Ask who administers it`;
  return `it runs from ${root}. Unpack the newer archive beside it, or install it once with install.sh of a release`;
}

function refuseReadOnly(versions: string): void {
  try {
    accessSync(versions, constants.W_OK);
  } catch (cause) {
    const words = `${versions} belongs to user ${statSync(versions).uid}, and you may not write there. Ask that user, or install one of your own with install.sh`;
    throw new Refusal('UPDATE_ELSEWHERE', words, { versions }, { cause });
  }
}

function linkIn(versions: string, name: string): string | undefined {
  try {
    return basename(readlinkSync(join(versions, name)));
  } catch {
    return undefined;
  }
}

export const releaseIn = (folder: string): Release => {
  try {
    return readJson(join(folder, 'release.json')) as Release;
  } catch (cause) {
    throw new Refusal('RELEASE_REFUSED', `${folder} is no version of torc: ${(cause as Error).message}`, {}, { cause });
  }
};

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

/** Makes a version the current one, and the current one the previous. A kill leaves the one or the other current. */
export function makeCurrent({ versions, current }: Installation, version: string): void {
  replaceLink(join(versions, 'previous'), current);
  replaceLink(join(versions, 'current'), version);
}

function replaceLink(path: string, target: string): void {
  const part = `${path}.${process.pid}`;
  symlinkSync(target, part);
  renameSync(part, path);
}
