import { readFileSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { hostLine, HostRequest, type HostReply, type HostTask } from '../../../core/contract/remote-host.ts';
import { VERSION } from '../../../core/contract/version.ts';
import { command } from '../../command.ts';
import { UsageError } from '../../failure.ts';
import type { HostFault } from '../../../core/contract/host-faults.ts';

/** File descriptors of the connection over which `torc remote` asked. */
const STANDARD_INPUT = 0;
const STANDARD_OUTPUT = 1;

/**
 * The other end of `torc remote`: runs on a host, started over ssh. It is not for people, so it has no help.
 *
 * It reads one request and prints one reply; `start` prints it on file descriptor 3, and becomes the runner.
 */
export const hostTask = command('remote-agent <task>', {
  says: 'Serve torc remote on this host.',
  offline: true,
  async run(context, [task]) {
    const request = requestOf(task);
    if (typeof request === 'string')
      return reply(
        { is: 'refused', code: 'REQUEST_UNKNOWN' satisfies HostFault, message: request },
        task === 'start' ? 3 : STANDARD_OUTPUT,
      );
    if (request.task === 'start') {
      const { startHere } = await import('./start-here.ts');
      await startHere(context, request, (message) => reply(message, 3));
      return;
    }
    reply(await answerTo(request), STANDARD_OUTPUT);
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

/** The request on standard input, or what is wrong with it. */
function requestOf(task: string): HostRequest | string {
  const tasks: readonly string[] = HostRequest.options.map(({ shape }) => shape.task.value);
  if (!tasks.includes(task as HostTask))
    throw new UsageError(`remote-agent: expected one of ${tasks.join(', ')}, found "${task}"`);
  let reported: unknown;
  try {
    reported = JSON.parse(readFileSync(STANDARD_INPUT, 'utf8'));
  } catch (error) {
    return `the request is not JSON: ${(error as Error).message}; the connection may have been cut`;
  }
  const asked = HostRequest.safeParse(reported);
  if (asked.success) return asked.data;
  const version = (reported as { version?: unknown } | null)?.version;
  const faults = asked.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  return `torc ${VERSION} on ${hostname()} does not understand the request of torc ${String(version)}: ${faults.join('; ')}`;
}

function reply(answer: HostReply, fd: number): void {
  try {
    writeSync(fd, hostLine({ version: VERSION, hostname: hostname(), now_ms: Date.now(), reply: answer }));
  } catch {
    // The connection was cut, or there was none: the state file says what was done.
  }
}
