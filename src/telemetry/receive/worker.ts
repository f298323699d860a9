/**
 * A thread with a connection of its own to the store of telemetry. The server has two: one writes what is received, one answers
 * questions, so that neither waits for the other, and the loop of the workflows for none.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { openStore } from '../store/open-store.ts';
import { accept } from './accept.ts';
import { answer } from './answer.ts';
import { refusalOf, type Reply, type Task } from './messages.ts';

const { path, isReadOnly } = workerData as { path: string; isReadOnly: boolean };
const store = openStore(path, { isReadOnly, isDurable: true });
const seconds = (): number => Math.floor(Date.now() / 1000);

async function replyTo(task: Task): Promise<Reply> {
  try {
    return await (task.kind === 'receive'
      ? accept(await store, task, seconds())
      : answer(await store, task, seconds()));
  } catch (error) {
    // A full disk, for instance: the sender keeps its data and tries again.
    return refusalOf(503, 'TELEMETRY_UNAVAILABLE', (error as Error).message, 'Send it again later.');
  }
}

parentPort?.on('message', ({ id, task }: { id: number; task: Task }) => {
  void replyTo(task).then((reply) => parentPort?.postMessage({ id, reply }));
});
