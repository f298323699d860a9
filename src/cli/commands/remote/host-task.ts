import { writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { text } from 'node:stream/consumers';
import { hostLine, HostRequest, type HostReply, type HostTask, readyLine } from '../../../core/remote/remote-host.ts';
import { requestJson } from '../../../operations/remote/request-text.ts';
import { VERSION } from '../../../core/contract/version.ts';
import { command } from '../../command/command.ts';
import { UsageError } from '../../command/failure.ts';
import type { HostFault } from '../../../core/remote/host-faults.ts';

/** File descriptors of the connection over which `torc remote` asked. */
const STANDARD_OUTPUT = 1;
/** Of `start`, whose standard output is its log. */
const STARTED_OUTPUT = 3;

/**
 * The other end of `torc remote`: runs on a host, started over ssh. It is not for people, so it has no help.
 *
 * It says that it is ready, reads one request and prints one reply; `start` prints on file descriptor 3, and becomes the runner.
 */
export const hostTask = command('remote-agent <task> <challenge> <folder>', {
  says: 'Serve torc remote on this host.',
  offline: true,
  async run(context, [task, challenge, folder]) {
    const tasks: readonly string[] = HostRequest.options.map(({ shape }) => shape.task.value);
    if (!tasks.includes(task as HostTask))
      throw new UsageError(`remote-agent: expected one of ${tasks.join(', ')}, found "${task}"`);
    const connection = task === 'start' ? STARTED_OUTPUT : STANDARD_OUTPUT;
    writeSync(connection, readyLine(challenge));
    // Not by readFileSync: the input is another program's pipe, which may not wait.
    const request = requestIn(await text(process.stdin), folder);
    if (typeof request === 'string')
      return reply({ is: 'refused', code: 'REQUEST_UNKNOWN' satisfies HostFault, message: request }, connection);
    if (request.task === 'start') {
      const { startHere } = await import('./start-here.ts');
      await startHere(context, request, (message) => reply(message, connection));
      return;
    }
    reply(await answerTo(request), connection);
  },
});

async function answerTo(request: Exclude<HostRequest, { task: 'start' }>): Promise<HostReply> {
  const options = { outputDir: request.output_dir, workflowId: request.workflow_id };
  switch (request.task) {
    case 'state': {
      const { lookAtWorker } = await import('../../../runner/detached/look.ts');
      return lookAtWorker(options.outputDir, options.workflowId);
    }
    case 'stop': {
      const { stopHere } = await import('./stop-here.ts');
      return stopHere(request);
    }
    case 'recover': {
      const { recoverOnHost } = await import('./stop-here.ts');
      return recoverOnHost(request);
    }
    case 'pack': {
      const { packLogs } = await import('../../../runner/detached/pack.ts');
      return packLogs(request);
    }
    case 'unpack': {
      const { removePack } = await import('../../../runner/detached/pack.ts');
      return removePack(request);
    }
    case 'delete': {
      const { deleteLogsHere } = await import('../../../runner/detached/delete.ts');
      return deleteLogsHere(request);
    }
  }
}

/** The request, with the output folder as the shell of this host found it; or what is wrong with it, in which no part of it is repeated. */
function requestIn(received: string, folder: string): HostRequest | string {
  const arrived = requestJson(received);
  if ('fault' in arrived) return `${arrived.fault}: the connection may have been cut`;
  const reported = arrived.json as { version?: unknown } | null;
  const asked = HostRequest.safeParse({ ...reported, output_dir: folder });
  if (asked.success) return asked.data;
  const faults = asked.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  return `torc ${VERSION} on ${hostname()} does not understand the request of torc ${String(reported?.version)}: ${faults.join('; ')}`;
}

function reply(answer: HostReply, fd: number): void {
  try {
    writeSync(fd, hostLine({ version: VERSION, hostname: hostname(), now_ms: Date.now(), reply: answer }));
  } catch {
    // The connection was cut, or there was none: the state file says what was done.
  }
}
