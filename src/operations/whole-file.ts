import { randomUUID } from 'node:crypto';
import { closeSync, lstatSync, openSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { asUser } from '../cluster/umask.ts';
import { Refusal } from '../core/contract/refusals.ts';

type Write = (text: string) => Promise<void>;

/**
 * Writes a file that a person named, in parts, with a line end behind each.
 *
 * A regular file gets its name when it is complete: an interrupted write leaves nothing, and a file that was there stays until then. The
 * new one has its permissions and its owner; without one before, those of the user's umask. A link of this user or of root is followed. A
 * device or a pipe, and a regular file in a folder or of an owner where no other can take its place, is written into.
 * Throws: `FILE_UNWRITABLE`, and the errors of `writeTo`.
 */
export async function writeWhole<T>(path: string, writeTo: (write: Write) => Promise<T>): Promise<T> {
  const place = placeOf(path);
  const beside = place.isReplaced ? await openBeside(place) : undefined;
  if (beside !== undefined) return written({ path, file: beside.file, beside }, writeTo);
  // Whatever a device of another program does with it: it is open, as by the redirection of a shell.
  const file = await open(place.target, 'w').catch((cause: unknown) => unwritable(path, cause));
  return written({ path, file }, writeTo);
}

/** The same for one text. */
export const writeTextFile = async (path: string, text: string): Promise<void> =>
  writeWhole(path, async (write) => write(text.replace(/\n$/, '')));

interface Place {
  /** Without links. */
  readonly target: string;
  /** What is there. */
  readonly before: Stats | undefined;
  readonly isReplaced: boolean;
}

/** Names of what is open: another file in the place of one would not reach its reader. */
const OPEN_ALREADY = /^\/(?:dev|proc)\//;

function placeOf(path: string): Place {
  try {
    const own = lstatSync(path, { throwIfNoEntry: false });
    const uid = process.getuid?.();
    if (own?.isSymbolicLink() === true && uid !== undefined && own.uid !== uid && own.uid !== 0)
      throw new Error(`it is a link of user ${own.uid}`);
    const before = statSync(path, { throwIfNoEntry: false });
    if (OPEN_ALREADY.test(resolve(path)) || before?.isFile() === false)
      return { target: path, before, isReplaced: false };
    if (before !== undefined) return { target: realpathSync(path), before, isReplaced: true };
    const target = own === undefined ? path : resolve(dirname(path), readlinkSync(path));
    return { target, before, isReplaced: true };
  } catch (cause) {
    return unwritable(path, cause);
  }
}

interface Beside {
  readonly file: FileHandle;
  readonly part: string;
  readonly target: string;
}

/** A file of this name is made beside it; undefined if it could not take the place of the one that is there. */
async function openBeside({ target, before }: Place): Promise<Beside | undefined> {
  // A name that no other user could have prepared.
  const part = `${target}.${randomUUID()}.part`;
  let file: FileHandle | undefined;
  try {
    closeSync(asUser(() => openSync(part, 'wx', 0o666)));
    file = await open(part, 'r+');
    if (before === undefined) return { file, part, target };
    const made = await file.stat();
    if (made.uid !== before.uid || made.gid !== before.gid) await file.chown(before.uid, before.gid);
    // After it: a change of the owner takes the set-user-id bit away.
    await file.chmod(before.mode & 0o7777);
    return { file, part, target };
  } catch (cause) {
    await file?.close();
    await rm(part, { force: true });
    return before === undefined ? unwritable(target, cause) : undefined;
  }
}

async function written<T>(
  { path, file, beside }: { readonly path: string; readonly file: FileHandle; readonly beside?: Beside },
  writeTo: (write: Write) => Promise<T>,
): Promise<T> {
  try {
    const done = await writeTo(async (text) => file.writeFile(`${text}\n`).catch((cause) => unwritable(path, cause)));
    await file.close();
    if (beside !== undefined) await rename(beside.part, beside.target);
    return done;
  } catch (error) {
    await file.close().catch(() => {});
    if (beside !== undefined) await rm(beside.part, { force: true });
    throw error;
  }
}

function unwritable(path: string, cause: unknown): never {
  throw new Refusal('FILE_UNWRITABLE', `cannot write ${path}: ${(cause as Error).message}`, {}, { cause });
}
