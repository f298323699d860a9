import type { Task } from '../../core/contract/task.ts';
import { idOf } from '../choose/id-or-name.ts';
import { type Command, command } from '../command/command.ts';
import { Failure } from '../command/failure.ts';
import { numberOption, option } from '../command/option.ts';
import { fieldsText } from '../output/fields.ts';

const tasksWait = command('tasks wait <id>', {
  says: 'Wait until a background task of the server has ended.',
  more: 'Exits with 0 if it succeeded, with 1 if it failed or the timeout came first.',
  options: [
    option('--timeout <s>', 'timeout in seconds', { read: numberOption(0) }),
    option('--poll-fallback-interval <s>', 'polling interval in seconds when no event arrives', {
      default: 10,
      read: numberOption(0.1),
    }),
  ],
  async run({ service, output }, [given], options) {
    output.recordOnly('task');
    const id = idOf('task', given);
    const timeoutSeconds = options.timeout;
    const { client, connection } = await service();
    const { waitForTask } = await import('../../client/wait-for-task.ts');
    const task = await waitForTask(client, connection.events, id, {
      timeoutSeconds,
      fallbackSeconds: options.pollFallbackInterval,
    });
    if (task.status === 'succeeded') return output.record('task', task, fieldsText(`Task ${id}:`, task));
    const { error, message } = failureOf(task, timeoutSeconds);
    if (output.format === 'json') output.json({ status: 'error', task_id: id, error, message });
    throw new Failure(message);
  },
});

/** Why a task has not succeeded: as a code or the server's message, and as a sentence. */
function failureOf({ id, status, operation, error }: Task, timeoutSeconds: number | undefined) {
  if (status !== 'failed')
    return { error: 'timeout', message: `task ${id} (${operation}) is still ${status} after ${timeoutSeconds} s` };
  const reason = error ?? 'no reason was given';
  return { error: reason, message: `task ${id} (${operation}) failed: ${reason}` };
}

export const taskCommands: readonly Command[] = [tasksWait];
