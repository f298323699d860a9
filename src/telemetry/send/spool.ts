import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../cluster/make-folder.ts';
import { whyNotTrusted } from '../../cluster/trust.ts';
import type { Packet } from './packet.ts';

/** Messages that wait to be delivered, on disk: they survive the end of the program. */
export interface Spool {
  /** Keeps the message; gives the number of older ones that were dropped to make room. */
  add(packet: Packet): number;
  /** The oldest message; undefined if there is none. */
  first(): { readonly id: string; readonly packet: Packet } | undefined;
  remove(id: string): void;
  readonly count: number;
}

/**
 * Opens the spool of a folder. It holds at most `mostBytes`: when more come, or the disk is full, the oldest go, because old
 * samples are worth less than new ones.
 */
export function openSpool(folder: string, mostBytes: number): Spool {
  makeFolder(folder, 0o700);
  const why = whyNotTrusted(folder, { groupMayWrite: true });
  if (why !== undefined) throw new Error(`messages cannot wait: ${why}; name a folder of yours with --spool`);
  const entries: { readonly id: string; readonly bytes: number }[] = readdirSync(folder)
    .filter((name) => NAME.test(name))
    .sort()
    .map((id) => ({ id, bytes: statSync(join(folder, id)).size }));
  let total = entries.reduce((sum, { bytes }) => sum + bytes, 0);
  let next = Number(entries.at(-1)?.id.slice(0, DIGITS) ?? 0) + 1;

  const drop = () => {
    const oldest = entries.shift();
    if (oldest === undefined) return;
    total -= oldest.bytes;
    rmSync(join(folder, oldest.id), { force: true });
  };

  /** Writes the file; false if the disk is full and something can be dropped. */
  const isWritten = (id: string, text: string): boolean => {
    // A file that a crash cut off has another name.
    const temporary = join(folder, `${id}.new`);
    try {
      writeFileSync(temporary, text, { mode: 0o600 });
      renameSync(temporary, join(folder, id));
      return true;
    } catch (error) {
      rmSync(temporary, { force: true });
      const { code = '' } = error as NodeJS.ErrnoException;
      if (entries.length > 0 && ['ENOSPC', 'EDQUOT'].includes(code)) return false;
      throw error;
    }
  };

  return {
    add(packet) {
      const text = JSON.stringify(packet);
      const bytes = Buffer.byteLength(text);
      let dropped = 0;
      while (entries.length > 0 && total + bytes > mostBytes) {
        drop();
        dropped += 1;
      }
      const id = `${String(next).padStart(DIGITS, '0')}.json`;
      next += 1;
      while (!isWritten(id, text)) {
        drop();
        dropped += 1;
      }
      entries.push({ id, bytes });
      total += bytes;
      return dropped;
    },
    first() {
      for (;;) {
        const id = entries[0]?.id;
        if (id === undefined) return undefined;
        try {
          return { id, packet: JSON.parse(readFileSync(join(folder, id), 'utf8')) as Packet };
        } catch {
          // It was removed or damaged.
          drop();
        }
      }
    },
    remove(id) {
      if (entries[0]?.id === id) drop();
    },
    get count() {
      return entries.length;
    },
  };
}

const DIGITS = 12;
const NAME = /^\d{12}\.json$/;
