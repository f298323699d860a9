import { resolve } from 'node:path';
import { portOwner } from '../../../cluster/host/port-owner.ts';
import { Failure } from '../../command/failure.ts';

interface ServerOptions {
  readonly host: string;
  readonly port: number;
  readonly database: string;
}

/** An error of the system or of SQLite. */
interface Cause {
  readonly code?: string | undefined;
  readonly errcode?: number | undefined;
  readonly message?: string | undefined;
  /** The system call that failed. */
  readonly syscall?: string | undefined;
}

/** Why a server could not start, and what to do; other errors unchanged. */
export function refusedStart(error: unknown, settings: ServerOptions): unknown {
  const { code, errcode, message, syscall } = error as Cause;
  const words =
    listenWords(code, settings) ?? databaseWords({ code, errcode, message: message ?? '', syscall }, settings.database);
  return words === undefined ? error : new Failure(words, { cause: error });
}

/** What work on a database returns; its errors are those of a server that cannot start on it. */
export function refusing<T>(database: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw refusedStart(error, { host: '', port: 0, database });
  }
}

function listenWords(code: string | undefined, { host, port }: ServerOptions): string | undefined {
  const where = `port ${port} of ${host}`;
  if (code === 'EADDRINUSE') {
    const owner = portOwner(port);
    const who = owner === undefined ? 'another process' : `process ${owner.pid} (${owner.command})`;
    return `${where} is in use by ${who}; name another with --port, or 0 for any free one`;
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `${host} is not an address of this machine; name one with --host, 0.0.0.0 for all`;
  return undefined;
}

const SQLITE_CANTOPEN = 14;
/** Of the 512 bytes that SQLite takes, `-journal` behind the name takes 8, and `-owner` behind that of the lock 6. */
const MOST_PATH_BYTES = 512 - 8 - 6;

/** The low byte of a SQLite result code is its kind. */
const kinds: Readonly<Record<number, string>> = {
  8: 'cannot be written by this user',
  10: 'cannot be read or written: the disk reports an error',
  11: 'is damaged; torc-server check says what is, and with --repair FILE saves what can be read',
  13: 'cannot grow: the disk is full',
  [SQLITE_CANTOPEN]: 'cannot be opened; does its folder exist, and may this user write to it?',
  23: 'cannot be opened: permission denied',
  26: 'is not a database of SQLite; name another file with --database',
};

const FILE_IN_PATH = 'cannot be created there: a part of its path is a file';

const systemKinds: Readonly<Record<string, string>> = {
  ENOTDIR: FILE_IN_PATH,
  EEXIST: FILE_IN_PATH,
  EISDIR: 'is a folder, not a file',
  ENOENT: 'cannot be created there: the file system has no such folder and makes none',
  EROFS: 'would be on a read-only file system',
  ENOSPC: 'cannot be created: the disk is full',
  ENAMETOOLONG: 'has a path that is too long for the file system',
};

function databaseWords(
  { code, errcode, message, syscall }: Cause & { readonly message: string },
  database: string,
): string | undefined {
  if (code === 'EACCES' || code === 'EPERM') {
    return syscall === 'listen'
      ? `${message}: ports below 1024 are for root; name another with --port`
      : `the database ${database} cannot be written by this user: ${message}`;
  }
  const bytes = Buffer.byteLength(resolve(database));
  if (errcode !== undefined && (errcode & 0xff) === SQLITE_CANTOPEN && bytes > MOST_PATH_BYTES)
    return `the path of the database has ${bytes} bytes, and SQLite takes at most ${MOST_PATH_BYTES}: ${resolve(database)}; name a file with a shorter path: torc -s --db FILE, torc-server --database FILE`;
  const kind = errcode === undefined ? systemKinds[code ?? ''] : kinds[errcode & 0xff];
  return kind === undefined ? undefined : `the database ${database} ${kind} (${message})`;
}
