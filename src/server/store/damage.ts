import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { OPEN_FLAGS } from '../../cluster/trust.ts';
import { Refusal } from '../../core/contract/refusals.ts';

/** SQLITE_CORRUPT and SQLITE_NOTADB, with any extended code: what is read is not what was written. */
const DAMAGE_CODES = [11, 26];

/** Whether this error says that the database file is damaged. */
export const isDatabaseDamage = (error: unknown): boolean =>
  error instanceof Refusal
    ? error.code === 'DATABASE_DAMAGED'
    : DAMAGE_CODES.includes(((error as { errcode?: number } | undefined)?.errcode ?? 0) % 256);

/** The reply of a server that has met damage, until it ends. */
export const damageRefusal = (error: unknown): Refusal =>
  error instanceof Refusal
    ? error
    : new Refusal(
        'DATABASE_DAMAGED',
        `the database of the server is damaged (${(error as Error).message}); it changes nothing in it any more`,
        {},
        { cause: error },
      );

const markOf = (path: string) => `${path}-damaged`;

/** Writes beside the database that it is damaged, so that no server starts on it again. `path` has no links. */
export function markDamage(path: string, words: string, atMs: number): void {
  try {
    const fd = openSync(markOf(path), OPEN_FLAGS.replace, 0o600);
    writeSync(fd, `${new Date(atMs).toISOString()} ${words}\n`);
    closeSync(fd);
  } catch {
    // A full disk: the next server meets the damage again.
  }
}

/** After a check that found nothing: it was the disk or the memory that failed to read it, or the file is another one. */
export const removeMark = (path: string): void => rmSync(markOf(path), { force: true });

/** What a server wrote when it met damage; undefined if none did. */
export function damageMark(path: string): string | undefined {
  try {
    return readFileSync(markOf(path), { encoding: 'utf8', flag: OPEN_FLAGS.read }).trim();
  } catch {
    return undefined;
  }
}

/** Throws `DATABASE_DAMAGED` for a database in which an earlier server met damage. */
export function refuseDamaged(path: string): void {
  const found = damageMark(path);
  if (found !== undefined)
    throw new Refusal('DATABASE_DAMAGED', `the database ${path} is damaged, as a server found: ${found}`, { path });
}
