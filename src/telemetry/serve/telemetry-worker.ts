/**
 * A thread with a connection of its own to the store of telemetry. The server has three: one writes what is received, one answers
 * questions, one closes days, so that none waits for another one, and the loop of the workflows for none.
 */
import { workerData } from 'node:worker_threads';
import { answerEach } from '../../thread/answer-each.ts';
import { StoreAway } from '../store/postgres/errors.ts';
import { openStore } from '../store/open-store.ts';
import type { TelemetryStore } from '../store/telemetry-store.ts';
import { accept } from '../receive/http/accept.ts';
import { answerQuestion } from '../questions/answer.ts';
import { keep } from './keep.ts';
import { answerV2 } from '../questions/v2/api-v2.ts';
import { refusalOf, type HttpReply, type ReceiverTask } from '../messages.ts';

const { path, isReadOnly } = workerData as { path: string; isReadOnly: boolean };
/** Opened with the first task, and again with the next one while the store is away. */
let opened: Promise<TelemetryStore> | undefined;

function storeOfThread(): Promise<TelemetryStore> {
  opened ??= openStore(path, { isReadOnly, isDurable: true }).catch((error: unknown) => {
    opened = undefined;
    throw error;
  });
  return opened;
}

/** Reported once for each time that the store is away. */
let isAway = false;

const seconds = (): number => Math.floor(Date.now() / 1000);

function replyFrom(store: TelemetryStore, task: ReceiverTask): Promise<HttpReply> {
  if (task.kind === 'receive') return accept(store, task, seconds());
  if (task.kind === 'ask') return answerQuestion(store, task, seconds());
  return task.kind === 'ask v2' ? answerV2(store, task, seconds()) : keep(store, task, seconds());
}

async function replyTo(task: ReceiverTask): Promise<HttpReply> {
  try {
    const store = await storeOfThread();
    const reply = await replyFrom(store, task);
    if (isAway) process.stderr.write('The store of telemetry is there again\n');
    isAway = false;
    return reply;
  } catch (error) {
    // Senders do not get the address of a database; the log of the server has it.
    if (error instanceof StoreAway) {
      if (!isAway) process.stderr.write(`Warning: ${error.message}; senders are asked to send again later\n`);
      isAway = true;
      return refusalOf('TELEMETRY_UNAVAILABLE', 'the store of telemetry is away');
    }
    // A full disk, for instance: the sender keeps its data and tries again.
    return refusalOf('TELEMETRY_UNAVAILABLE', (error as Error).message);
  }
}

answerEach(replyTo);
