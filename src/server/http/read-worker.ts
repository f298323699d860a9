/**
 * A thread that executes reads over many rows with its own connection: the event loop of the server does not wait for
 * them. The handlers are those of the server. A read sees the database at one moment.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { Refusal } from '../../core/contract/refusals.ts';
import { allocateHandlers } from '../allocate/handlers.ts';
import { artifactHandlers } from '../artifact/handlers.ts';
import { claimHandlers } from '../claim/handlers.ts';
import { reportHandlers } from '../report/handlers.ts';
import type { Permissions } from '../store/caller.ts';
import { openReadOnly } from '../store/read-only.ts';
import { jsonParts } from './json-parts.ts';
import type { Question, ReadAnswer } from './reader.ts';

const { store, inOneRead } = openReadOnly((workerData as { path: string }).path);
let listedFor: string | undefined;
/** The server checked them before the request; only the owner of listed workflows remains to be checked. */
const permissions: Permissions = {
  check() {},
  sees: () => true,
  owns: () => false,
  listedFor: () => listedFor,
  isFor: () => false,
  isEnforced: false,
};
const handlers = {
  ...reportHandlers(store, permissions),
  ...artifactHandlers(store),
  ...allocateHandlers(store),
  ...claimHandlers(store),
} as unknown as Readonly<Record<string, (input: unknown) => unknown>>;
const encoder = new TextEncoder();

parentPort?.on('message', ({ id, name, input, listedFor: user }: Question) => {
  listedFor = user;
  try {
    const reply = inOneRead(() => handlers[name]?.(input));
    const parts = Array.from(jsonParts(reply), (part) => encoder.encode(part));
    parentPort?.postMessage(
      { id, parts } satisfies ReadAnswer,
      parts.map(({ buffer }) => buffer),
    );
  } catch (error) {
    const answer: ReadAnswer =
      error instanceof Refusal
        ? { id, refusal: { code: error.code, message: error.message, facts: { ...error.facts } } }
        : { id, bug: (error as Error).stack ?? String(error) };
    parentPort?.postMessage(answer);
  }
});
