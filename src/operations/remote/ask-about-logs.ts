import type { HostRequest } from '../../core/remote/remote-host.ts';
import type { Worker } from '../../core/remote/worker-line.ts';
import { askHost } from './ask-host.ts';
import type { HostsOptions } from './worker-states.ts';

/** Deleting many files on a slow file system may take long. */
export const DELETE_MS = 10 * 60_000;

/** The reply of a host about its logs, or why there is none. */
export async function askAboutLogs(worker: Worker, request: HostRequest, options: HostsOptions, atMostMs: number) {
  const answer = await askHost(worker, request, { ...options, atMostMs });
  if (answer.kind === 'silence') return { code: answer.code as string, message: answer.message };
  if (answer.reply.is === 'refused') return { code: answer.reply.code, message: answer.reply.message };
  return answer.reply;
}
