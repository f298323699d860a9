/**
 * A thread that copies pages from the write-ahead log into the database file, with its own connection: the event loop of
 * the server does not wait for the disk meanwhile.
 */
import { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { databaseFile } from '../../cluster/database-file.ts';
import { answerEach } from '../../thread/answer-each.ts';

const db = new DatabaseSync(databaseFile((workerData as { path: string }).path), { timeout: 0 });
const checkpoint = db.prepare('pragma wal_checkpoint(passive)');

answerEach(() => void checkpoint.get());
