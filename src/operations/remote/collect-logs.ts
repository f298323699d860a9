import { createHash } from 'node:crypto';
import { createReadStream, existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../cluster/make-folder.ts';
import { addressOf, type Worker } from '../../core/remote/worker-line.ts';
import { eachAtOnce } from './each-host.ts';
import { fetchRest } from './fetch-rest.ts';
import { DELETE_MS, askAboutLogs } from './ask-about-logs.ts';
import { type HostsOptions, hostRequestOf } from './worker-states.ts';
import type { HostFault } from '../../core/remote/host-faults.ts';

/** What became of the logs of one host. */
export interface Collected {
  readonly worker: Worker;
  readonly is: 'collected' | 'deleted' | 'nothing' | 'failed';
  /** The archive here. */
  readonly path?: string | undefined;
  readonly bytes?: number | undefined;
  readonly files?: number | undefined;
  /** Bytes that an earlier, interrupted call had fetched. */
  readonly bytesBefore?: number | undefined;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
}

export interface CollectOptions extends HostsOptions {
  readonly folder: string;
  /** Delete on the host what was fetched. */
  readonly deletes: boolean;
  readonly onDone: (collected: Collected) => void;
}

/** Packing may take long; a connection that died is noticed by ssh itself. */
const PACK_MS = 2 * 60 * 60_000;

/**
 * Fetches the logs of a workflow from each host as `torc_logs_WORKFLOW_HOST.tar.gz`.
 *
 * A part that an earlier call fetched is continued where the host still has the same archive. An existing archive is
 * never overwritten: the new one gets a number. An archive appears under its name only when it is whole.
 */
export async function collectLogs(workers: readonly Worker[], options: CollectOptions): Promise<Collected[]> {
  makeFolder(options.folder);
  return eachAtOnce(
    workers,
    options.atOnce,
    (worker) => collect(worker, options),
    (_, done) => options.onDone(done),
  );
}

async function collect(worker: Worker, options: CollectOptions): Promise<Collected> {
  const host = addressOf(worker);
  const stem = join(options.folder, `torc_logs_${options.workflowId}_${host.replaceAll(/[^\w-]/g, '_')}`);
  const part = `${stem}.tar.gz.part`;
  const have = existsSync(part) ? { size: statSync(part).size, sha256: await sumOf(part) } : undefined;
  const common = hostRequestOf(worker, options);
  const pack = await askAboutLogs(worker, { task: 'pack', ...common, host, have }, options, PACK_MS);
  if ('message' in pack) return { worker, is: pack.code === 'NO_LOGS' ? 'nothing' : 'failed', ...pack };
  if (pack.is !== 'packed') return { worker, is: 'failed', message: `the host answered "${pack.is}"` };
  if (!pack.continues) rmSync(part, { force: true });
  const bytesBefore = pack.continues ? (have?.size ?? 0) : 0;
  const failed = await fetchRest(worker, pack, part, options);
  if (failed !== undefined) return { worker, is: 'failed', ...failed };
  if ((await sumOf(part)) !== pack.sha256) {
    rmSync(part, { force: true });
    return {
      worker,
      is: 'failed',
      code: 'DAMAGED' satisfies HostFault,
      message: 'the archive arrived damaged and was removed; collect again',
    };
  }
  const path = settled(part, stem);
  const gone = options.deletes
    ? await askAboutLogs(worker, { task: 'delete', ...common, packed_for: host }, options, DELETE_MS)
    : undefined;
  await askAboutLogs(worker, { task: 'unpack', ...common, host }, options, DELETE_MS);
  const collected = { worker, is: 'collected', path, bytes: pack.size, files: pack.files, bytesBefore } as const;
  return gone !== undefined && 'message' in gone
    ? { ...collected, is: 'failed', ...gone, message: `collected, but not deleted: ${gone.message}` }
    : collected;
}

/** Gives a whole archive its name, or the first free one with a number: `link` never replaces a file. */
function settled(part: string, stem: string): string {
  for (let number = 1; ; number += 1) {
    const path = number === 1 ? `${stem}.tar.gz` : `${stem}-${number}.tar.gz`;
    try {
      linkSync(part, path);
      rmSync(part, { force: true });
      return path;
    } catch (error) {
      if (existsSync(path)) continue;
      // A file system without links: no other process writes here.
      if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
      renameSync(part, path);
      return path;
    }
  }
}

async function sumOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
