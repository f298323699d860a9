/** A thread that compares passwords with bcrypt hashes: one comparison takes as long as thousands of requests. */
import { parentPort } from 'node:worker_threads';
import { compareSync } from 'bcryptjs';
import type { Question } from './verify.ts';

parentPort?.on('message', ({ id, password, hash }: Question) => {
  parentPort?.postMessage({ id, isRight: compareSync(password, hash) });
});
