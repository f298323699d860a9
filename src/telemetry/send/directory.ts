import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../cluster/make-folder.ts';
import type { Packet } from './packet.ts';
import type { OnProblem, Sink } from './sink.ts';

/**
 * The file of a message below the root, as sonalyze reads it: by the UTC date of the message,
 * `2026/03/09/0+sample-NODE.json`. The 0 is the version of the format.
 */
export function fileOf({ type, node, atMs }: Pick<Packet, 'type' | 'node' | 'atMs'>): string {
  const day = new Date(atMs).toISOString().slice(0, 10).replaceAll('-', '/');
  const name = type === 'job' ? 'job-slurm' : type === 'cluster' ? 'cluzter-slurm' : `${type}-${node}`;
  return join(day, `0+${name.replaceAll('/', '_')}.json`);
}

/** How much is kept in memory while the disk is full. */
const MOST_KEPT_BYTES = 16 * 2 ** 20;

/** Appends messages to files of a folder, a message a line. While they cannot be written, the latest are kept. */
export function createDirectorySink(root: string, onProblem: OnProblem): Sink {
  let kept: Packet[] = [];
  let keptBytes = 0;

  const flush = () => {
    while (kept[0] !== undefined) {
      appendLine(join(root, fileOf(kept[0])), kept[0].text);
      keptBytes -= kept[0].text.length;
      kept = kept.slice(1);
    }
  };
  const attempt = () => {
    try {
      flush();
    } catch (error) {
      onProblem(`messages cannot be written below ${root}: ${(error as Error).message}; ${kept.length} wait`);
    }
  };

  return {
    send(packet) {
      kept.push(packet);
      keptBytes += packet.text.length;
      attempt();
      let lost = 0;
      while (keptBytes > MOST_KEPT_BYTES && kept[0] !== undefined) {
        keptBytes -= kept[0].text.length;
        kept = kept.slice(1);
        lost += 1;
      }
      if (lost > 0) onProblem(`${lost} messages are lost: ${root} cannot be written, and no more are kept in memory`);
    },
    close() {
      if (kept.length > 0) attempt();
      if (kept.length > 0) onProblem(`${kept.length} messages are lost: ${root} cannot be written`);
      return Promise.resolve();
    },
  };
}

/**
 * Appends a line with one call, so that lines of several writers do not mix. A line that was cut off, by a full disk or a
 * crash, is ended first: it costs its record and not the next one, too.
 */
export function appendLine(path: string, text: string): void {
  makeFolder(dirname(path));
  const fd = openSync(path, 'a+', 0o644);
  try {
    const { size } = fstatSync(fd);
    const last = Buffer.alloc(1);
    const isCutOff = size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== NEWLINE;
    const bytes = Buffer.from(`${isCutOff ? '\n' : ''}${text}\n`);
    const written = writeSync(fd, bytes);
    if (written < bytes.length) throw new Error(`${path}: only ${written} of ${bytes.length} bytes could be written`);
  } finally {
    closeSync(fd);
  }
}

const NEWLINE = 10;
