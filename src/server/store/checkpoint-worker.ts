/**
 * A thread that copies pages from the write-ahead log into the database file, with its own connection: the event loop of
 * the server does not wait for the disk meanwhile. It answers each message with the error, if there is one.
 */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

const db = new DatabaseSync((workerData as { path: string }).path, { timeout: 0 });
const checkpoint = db.prepare('pragma wal_checkpoint(passive)');

parentPort?.on('message', () => {
  try {
    checkpoint.get();
    parentPort?.postMessage(undefined);
  } catch (error) {
    parentPort?.postMessage((error as Error).message);
  }
});
