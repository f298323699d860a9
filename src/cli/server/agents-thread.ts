import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Refusal } from '../../core/contract/refusals.ts';
import type { AnswerAgents } from '../../server/http/agents.ts';

/** What the thread has to know at its start. */
export interface AgentsData {
  readonly isReadOnly: boolean;
  readonly maxJobs: number | undefined;
}

export type AgentCall = Parameters<AnswerAgents>[0] & { readonly id: number };
export type AgentReply = Awaited<ReturnType<AnswerAgents>> & { readonly id: number };

/** Calls that may be open at once; each may hold a reply of a megabyte and more. */
const MOST_OPEN = 32;
/** The memory of the thread: one call that needs more ends the thread, not the server. */
const HEAP_MB = 512;

/** Answers agents in a thread of its own, which starts with the first call, and again after a failure. It ends with the process. */
export function createAgents(data: AgentsData): AnswerAgents {
  const open = new Map<number, { resolve: (reply: AgentReply) => void; reject: (reason: Refusal) => void }>();
  let worker: Worker | undefined;
  let calls = 0;

  const start = () => {
    // The source file beside this one, or a bundle beside this one's bundle.
    const url = new URL(`./agents-worker${extname(import.meta.url)}`, import.meta.url);
    const started = new Worker(url, { workerData: data, resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } });
    started.unref();
    started.on('message', (reply: AgentReply) => {
      open.get(reply.id)?.resolve(reply);
      open.delete(reply.id);
    });
    const end = (reason: string) => {
      if (worker !== started) return;
      worker = undefined;
      for (const { reject } of open.values())
        reject(new Refusal('AGENTS_BUSY', `the call was not answered: ${reason}`));
      open.clear();
    };
    started.on('error', (error) => end((error as Error).message));
    started.on('exit', () => end('its thread ended'));
    return started;
  };

  return (call) =>
    new Promise((resolve, reject) => {
      if (open.size >= MOST_OPEN) {
        reject(new Refusal('AGENTS_BUSY', `${MOST_OPEN} calls of agents are open`));
        return;
      }
      const id = (calls += 1);
      open.set(id, { resolve, reject });
      worker ??= start();
      worker.postMessage({ ...call, id });
    });
}
