import { Refusal } from '../../core/contract/refusals.ts';
import type { JobExplanation } from '../../core/contract/view.ts';
import type { Ask } from '../ask.ts';
import type { Caller } from '../caller.ts';
import { createQueue } from '../queue.ts';
import type { Store } from '../records/store.ts';
import { nextTurn } from '../store/slices.ts';

/** The use case, which stands above the server: it asks the routes, with the rights of the caller. */
export type Explain = (ask: Ask, jobId: number) => Promise<JobExplanation>;

export interface Explaining {
  readonly askAs: (caller: Caller) => Ask;
  /** A server without it leaves it to the command. */
  readonly explain: Explain | undefined;
}

/** Explanations that are made at the same time; each is a dozen requests, and up to 200 of a job with many dependencies. */
const AT_ONCE = 4;

/** Why a job waits, or why it ended as it did. */
export function createExplanations({ find }: Store, { askAs, explain }: Explaining) {
  const queue = createQueue(AT_ONCE);
  return async (jobId: number, caller: Caller): Promise<JobExplanation> => {
    find.job(jobId);
    if (explain === undefined)
      throw new Refusal('NOT_FOUND', `this server explains no jobs; torc jobs explain ${jobId} does`);
    return queue(() => explain(oneByOne(askAs(caller)), jobId));
  };
}

/**
 * Asks one request after another, and lets others be answered between two: requests of a server to itself need no network, so that 200
 * at once would hold its event loop for 70 ms.
 */
function oneByOne(ask: Ask): Ask {
  let before: Promise<unknown> = Promise.resolve();
  return (request) => {
    const reply = before.then(nextTurn).then(() => ask(request));
    before = reply.catch(() => {});
    return reply;
  };
}
