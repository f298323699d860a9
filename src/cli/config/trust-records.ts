import { lstatSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { readFound } from '../../cluster/found-file.ts';
import { makeFolder } from '../../cluster/make-folder.ts';
import { replaceFile } from '../../cluster/replace-file.ts';
import { booleanKind } from './kinds.ts';

/**
 * Which files of folders the user trusts: a record for each path, below the state folder of the user.
 *
 * `torc config trust` records what is in the file, so a file that `git pull` or another program changed counts no more. `torc config
 * init` records the mark that it writes into the first line: its user will edit that file, and a file of another project at the same path
 * lacks the mark.
 */

type Environment = Readonly<Record<string, string | undefined>>;

interface TrustRecord {
  readonly path: string;
  readonly sha256?: string;
  readonly mark?: string;
}

/** `changed`: it was trusted with other content. */
export type TrustInFile = 'trusted' | 'changed' | 'unknown';

export function trustIn(path: string, text: string, environment: Environment): TrustInFile {
  if (booleanKind.read(environment['TORC_TRUST_CONFIG'], () => {}) === true) return 'trusted';
  const record = recordOf(realOf(path), environment);
  if (record === undefined) return 'unknown';
  if (record.mark !== undefined && record.mark === markIn(text)) return 'trusted';
  return record.sha256 === sha256(text) ? 'trusted' : 'changed';
}

/**
 * Records that the file counts as it is now, or, if it has the mark of its first line, also after it is edited. Returns why nothing
 * could be recorded.
 */
export function trustFile(path: string, text: string, environment: Environment, mark?: string): string | undefined {
  const real = realOf(path);
  const folder = folderOf(environment);
  makeFolder(dirname(folder), 0o700);
  makeFolder(folder, 0o700);
  const why = whyNotPrivate(folder);
  if (why !== undefined)
    return `nothing is recorded in ${folder}: ${why}. Set HOME or XDG_STATE_HOME to a folder of yours, or TORC_TRUST_CONFIG=1`;
  const record: TrustRecord = mark === undefined ? { path: real, sha256: sha256(text) } : { path: real, mark };
  const place = join(folder, nameOf(real));
  replaceFile(place, `${JSON.stringify(record)}\n`, 0o600);
  return undefined;
}

const MARK = /^# Written by torc config init for \S+, mark ([\da-f]{32})$/m;
const markIn = (text: string): string | undefined => MARK.exec(text.split('\n', 1)[0] as string)?.[1];

/** The first line of a file that `torc config init` writes, with its mark. */
export function markedLine(user: string): { readonly line: string; readonly mark: string } {
  const { randomBytes } = process.getBuiltinModule('node:crypto');
  const mark = randomBytes(16).toString('hex');
  return { line: `# Written by torc config init for ${user.replaceAll(/\s/g, '_') || 'you'}, mark ${mark}`, mark };
}

function recordOf(path: string, environment: Environment): TrustRecord | undefined {
  const folder = folderOf(environment);
  if (whyNotPrivate(folder) !== undefined) return undefined;
  try {
    const found = readFound(join(folder, nameOf(path)), { groupMayWrite: false });
    if (found.kind !== 'text') return undefined;
    const record = JSON.parse(found.text) as TrustRecord;
    return record.path === path ? record : undefined;
  } catch {
    // A damaged record proves nothing.
    return undefined;
  }
}

function folderOf(environment: Environment): string {
  const state = environment['XDG_STATE_HOME'] ?? '';
  const home = environment['HOME'] || homedir();
  return join(isAbsolute(state) ? state : join(home, '.local/state'), 'torc/trusted');
}

/** Why another user may write in the folder; also where there is none. */
function whyNotPrivate(folder: string): string | undefined {
  const user = process.getuid?.();
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return 'there is no such folder';
  if (!found.isDirectory()) return 'it is no folder';
  if (user !== undefined && found.uid !== user) return `it belongs to user ${found.uid}`;
  return (found.mode & 0o022) === 0 ? undefined : 'others may write in it';
}

/** The file in its real folder; a link in place of the file keeps its name. */
function realOf(path: string): string {
  const whole = resolve(path);
  return join(realpathSync(dirname(whole)), basename(whole));
}

const nameOf = (path: string): string => `${sha256(path).slice(0, 32)}.json`;

// Only few commands need a digest, and loading Node's cryptography takes time of each start.
const sha256 = (text: string): string =>
  process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex');
