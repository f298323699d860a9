import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runToEnd } from '../../cluster/exec.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { type Installation, installationOf, makeCurrent, mayReturn, releaseIn } from './installation.ts';
import { makePart } from './part.ts';
import { type Place, placeAt } from './place.ts';
import { trustedComment } from './signature.ts';
import { chosenOf, isNewerVersion, type Listed, listedFor } from './sums.ts';
import { keepPart, unpack } from './unpack.ts';

interface UpdateOptions {
  /** The newest where it is undefined. */
  readonly version: string | undefined;
  /** Folder or URL; where it is undefined, the one from which torc was installed. */
  readonly from: string | undefined;
  /** Text of a public key, in place of the one that this version trusts. */
  readonly key: string | undefined;
  readonly token: string | undefined;
  /** Also to an older version that refuses databases which the current one has opened. */
  readonly isForced: boolean;
}

/** What an update or a rollback did. */
export interface Switched {
  readonly from: string;
  readonly to: string;
  readonly isChanged: boolean;
  /** Whether a signature was checked. */
  readonly isSigned: boolean;
  readonly place: string;
  readonly versions: string;
  /** Whether the tables of the two differ. */
  readonly migrates: boolean;
  /** Whether the older of the two may use a database that the newer one has opened. */
  readonly mayReturn: boolean;
}

/**
 * Installs a version beside the one that is there, and makes it the current one.
 *
 * Nothing of an installed version is changed: signature and sum are checked before an archive is unpacked, it gets its place when it
 * is complete and has started, and the last step is one rename of a link. So a kill at any moment leaves a torc that works, and what
 * runs goes on with its own version.
 * Throws: `UPDATE_ELSEWHERE`, `RELEASE_REFUSED`, `SIGNATURE_REFUSED`, `ROLLBACK_REFUSED`, and errors of the disk.
 */
export async function updateSelf(root: string, options: UpdateOptions): Promise<Switched> {
  const installation = installationOf(root);
  const { versions, current } = installation;
  const own = releaseIn(join(versions, current));
  const from = options.from ?? installation.from;
  if (from === undefined) throw new Refusal('RELEASE_REFUSED', 'it is not known where releases are');
  const key = options.key ?? own.key;
  const { place, chosen } = await find(placeAt(from, options.token), options.version, own.platform, key);
  const { version } = chosen;
  const result = { from: current, to: version, isSigned: key !== '', place: place.name, versions };
  const isOld = options.version === undefined && isNewerVersion(current, version);
  if (isOld || version === current) return { ...result, to: current, isChanged: false, ...NO_DIFFERENCE };
  if (!existsSync(join(versions, version))) await fetchVersion(place, chosen, { versions, platform: own.platform });
  const difference = await switchTo(installation, version, options.isForced);
  return { ...result, isChanged: true, ...difference };
}

const NO_DIFFERENCE = { migrates: false, mayReturn: true };

/** Makes an installed version the current one. Throws `ROLLBACK_REFUSED` for one that refuses databases which the current one has opened. */
async function switchTo(installation: Installation, version: string, isForced: boolean) {
  const { versions, current } = installation;
  const [own, other] = [releaseIn(join(versions, current)), releaseIn(join(versions, version))];
  const difference = { migrates: own.schema !== other.schema, mayReturn: mayReturn(own, other) };
  if (!isForced && other.schema < own.schema && !difference.mayReturn)
    throw new Refusal(
      'ROLLBACK_REFUSED',
      `torc ${version} refuses a database that torc ${current} has opened: its tables have version ${own.schema}, and ${version} knows ${other.schema}. As it was before, it is in FILE-before-${own.schema} beside it`,
      { current, version },
    );
  makeCurrent(installation, version);
  await linkPrograms(installation);
  return difference;
}

/**
 * Makes the version that was current before the current one again. `isForced`: also where it refuses databases that the current one has
 * opened. Throws: `UPDATE_ELSEWHERE`, `RELEASE_REFUSED`, `ROLLBACK_REFUSED`.
 */
export async function rollBackSelf(root: string, isForced: boolean): Promise<Switched> {
  const installation = installationOf(root);
  const { versions, current, previous } = installation;
  if (previous === undefined || previous === current || !existsSync(join(versions, previous)))
    throw new Refusal('RELEASE_REFUSED', `there is no version before ${current} in ${versions}`);
  await refuseBroken(join(versions, previous), previous);
  const difference = await switchTo(installation, previous, isForced);
  return { from: current, to: previous, isChanged: true, isSigned: false, place: versions, versions, ...difference };
}

/** The archive to take, from the place itself or from a folder in it that is named after the version. */
async function find(place: Place, version: string | undefined, platform: string, key: string) {
  const listed = await listedIn(place, platform, key);
  const chosen = chosenOf(listed ?? [], version);
  if (chosen !== undefined) return { place, chosen };
  const inner = version === undefined ? undefined : place.inside(version);
  const inIt = inner === undefined ? undefined : chosenOf((await listedIn(inner, platform, key)) ?? [], version);
  if (inner !== undefined && inIt !== undefined) return { place: inner, chosen: inIt };
  const there = (listed ?? []).map((each) => each.version).join(', ');
  const what = listed === undefined ? 'no SHA256SUMS' : `no torc ${version ?? ''} for ${platform}`.replace('  ', ' ');
  throw new Refusal('RELEASE_REFUSED', `${place.name} has ${what}${there === '' ? '' : `, but ${there}`}`);
}

/** What the SHA256SUMS of a place lists, once its signature is right; undefined where there is none. */
async function listedIn(place: Place, platform: string, key: string): Promise<readonly Listed[] | undefined> {
  const sums = await textOf(place, 'SHA256SUMS');
  if (sums === undefined) return undefined;
  if (key !== '') {
    const signature = await textOf(place, 'SHA256SUMS.minisig');
    if (signature === undefined)
      throw new Refusal('SIGNATURE_REFUSED', `${place.name} has no SHA256SUMS.minisig, the signature of its sums`);
    trustedComment(`${place.name}/SHA256SUMS`, sums, signature.toString('utf8'), key);
  }
  return listedFor(sums.toString('utf8'), platform);
}

/** More is no list of sums. */
const MOST_BYTES = 2 ** 20;

async function textOf(place: Place, file: string): Promise<Buffer | undefined> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const part of (await place.open(file)) ?? []) {
    parts.push(part);
    sizeBytes += part.length;
    if (sizeBytes > MOST_BYTES)
      throw new Refusal('RELEASE_REFUSED', `${place.name}/${file} is too large for what it is`);
  }
  return parts.length === 0 ? undefined : Buffer.concat(parts);
}

async function fetchVersion(
  place: Place,
  { file, version, sha256 }: Listed,
  { versions, platform }: { readonly versions: string; readonly platform: string },
): Promise<void> {
  const part = makePart(versions);
  try {
    const source = await place.open(file);
    if (source === undefined) throw new Refusal('RELEASE_REFUSED', `${place.name} lists ${file}, and has it not`);
    const archive = join(part, file);
    const found = await keepPart(source, archive).catch((cause: NodeJS.ErrnoException) => {
      // An error of our own disk has a code.
      if (cause.code !== undefined && cause.syscall !== undefined) throw cause;
      throw new Refusal('RELEASE_REFUSED', `${place.name}/${file} ended early: ${cause.message}`, {}, { cause });
    });
    if (found !== sha256)
      throw new Refusal(
        'RELEASE_REFUSED',
        `${place.name}/${file} is damaged or was cut off: its sum is ${found}, and SHA256SUMS says ${sha256}`,
      );
    const tree = join(part, 'tree');
    await unpack(archive, `torc-${version}-${platform}`, tree);
    await refuseBroken(tree, version);
    try {
      renameSync(tree, join(versions, version));
    } catch (error) {
      // Another update was faster.
      if (!existsSync(join(versions, version))) throw error;
    }
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

/** Starts a version, as its user will: it may be for another machine, or need a newer library of this one. */
async function refuseBroken(tree: string, version: string): Promise<void> {
  const printed = await runToEnd(join(tree, 'bin/torc'), ['--version'], { atMostMs: 60_000 }).catch((error: Error) => ({
    stdout: '',
    stderr: error.message,
  }));
  if (printed.stdout.startsWith(`torc ${version}`)) return;
  const words = `${printed.stderr}${printed.stdout}`.trim();
  throw new Refusal('RELEASE_REFUSED', `torc ${version} does not start on this machine: ${words}`);
}

/** Links the programs and pages that the current version has and the one before had not. */
const linkPrograms = ({ prefix, versions }: Installation) =>
  runToEnd('/bin/sh', [join(versions, 'current/share/link.sh'), prefix], { atMostMs: 60_000 });
