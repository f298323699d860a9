import { Refusal } from '../../../core/contract/refusals.ts';
import type { AnswerAgents } from '../../../server/http/agents.ts';
import { Thread } from '../../../thread/thread.ts';

/** What the thread has to know at its start. */
export interface AgentsData {
  readonly isReadOnly: boolean;
  readonly maxJobs: number | undefined;
}

export type AgentCall = Parameters<AnswerAgents>[0];
export type AgentReply = Awaited<ReturnType<AnswerAgents>>;

/** Calls that may be open at once; each may hold a reply of a megabyte and more. */
const MOST_OPEN = 32;
/** The memory of the thread: one call that needs more ends the thread, not the server. */
const HEAP_MB = 512;

/** Answers agents in a thread of its own, which starts with the first call, and again after a failure. It ends with the process. */
export function createAgents(data: AgentsData): AnswerAgents {
  const thread = new Thread<AgentCall, AgentReply>('../../program/agents-worker', import.meta.url, {
    workerData: data,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  return async (call) => {
    if (thread.waiting >= MOST_OPEN) throw new Refusal('AGENTS_BUSY', `${MOST_OPEN} calls of agents are open`);
    try {
      return await thread.ask(call);
    } catch (error) {
      throw new Refusal('AGENTS_BUSY', `the call was not answered: ${(error as Error).message}`);
    }
  };
}
