import { createHash } from 'node:crypto';
import { closeSync, createReadStream, existsSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../cluster/make-folder.ts';
import type { HostReply, HostRequest } from '../../core/contract/remote-host.ts';
import type { Worker } from '../../core/contract/worker-line.ts';
import { askHost } from './ask-host.ts';
import { eachAtOnce } from './each-host.ts';
import { rangeScript } from './host-script.ts';
import { type HostsOptions, hostRequestOf } from './worker-states.ts';
import type { HostFault } from '../../core/contract/host-faults.ts';

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

/** Packing and fetching may take long; a connection that died is noticed by ssh itself. */
const TRANSFER_MS = 2 * 60 * 60_000;
const DELETE_MS = 10 * 60_000;

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
  const stem = join(options.folder, `torc_logs_${options.workflowId}_${worker.host.replaceAll(/[^\w-]/g, '_')}`);
  const part = `${stem}.tar.gz.part`;
  const have = existsSync(part) ? { size: statSync(part).size, sha256: await sumOf(part) } : undefined;
  const common = hostRequestOf(worker, options);
  const pack = await ask(worker, { task: 'pack', ...common, host: worker.host, have }, options, TRANSFER_MS);
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
  await ask(worker, { task: 'unpack', ...common, host: worker.host }, options, DELETE_MS);
  const collected = { worker, is: 'collected', path, bytes: pack.size, files: pack.files, bytesBefore } as const;
  if (!options.deletes) return collected;
  const gone = await ask(worker, { task: 'delete', ...common, until_ms: pack.packed_at_ms }, options, DELETE_MS);
  return 'message' in gone
    ? { ...collected, is: 'failed', ...gone, message: `collected, but not deleted: ${gone.message}` }
    : collected;
}

async function fetchRest(
  worker: Worker,
  { path, size }: Extract<HostReply, { is: 'packed' }>,
  part: string,
  { ssh }: CollectOptions,
): Promise<{ code: string; message: string } | undefined> {
  const fd = openSync(part, 'a', 0o600);
  try {
    const from = statSync(part).size;
    if (from >= size) return undefined;
    const args = [path, worker.options.workDir ?? '', String(from + 1)];
    const { code, stderr } = await ssh.run(worker, { script: rangeScript, args, atMostMs: TRANSFER_MS, outputFd: fd });
    const got = statSync(part).size;
    if (got === size) return undefined;
    const words = stderr.trim().split('\n').at(-1) ?? '';
    return {
      code: 'CUT' satisfies HostFault,
      message: `${got} of ${size} bytes arrived (${words === '' ? `exit code ${code}` : words}); collect again to continue`,
    };
  } finally {
    closeSync(fd);
  }
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

/** Deletes the logs of a workflow on each host. */
export async function deleteLogs(
  workers: readonly Worker[],
  options: HostsOptions & { readonly onDone: (done: Collected) => void },
): Promise<Collected[]> {
  const remove = async (worker: Worker): Promise<Collected> => {
    const reply = await ask(worker, { task: 'delete', ...hostRequestOf(worker, options) }, options, DELETE_MS);
    if ('message' in reply) return { worker, is: 'failed', ...reply };
    const files = reply.is === 'deleted' ? reply.files : 0;
    return { worker, is: files === 0 ? 'nothing' : 'deleted', files };
  };
  return eachAtOnce(workers, options.atOnce, remove, (_, done) => options.onDone(done));
}

/** The reply of a host, or why there is none. */
async function ask(worker: Worker, request: HostRequest, options: HostsOptions, atMostMs: number) {
  const answer = await askHost(worker, request, { ...options, atMostMs });
  if (answer.kind === 'silence') return { code: answer.code as string, message: answer.message };
  if (answer.reply.is === 'refused') return { code: answer.reply.code, message: answer.reply.message };
  return answer.reply;
}

async function sumOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
