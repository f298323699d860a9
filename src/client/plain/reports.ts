import type { Completion, ExchangeRequest } from '../../core/contract/exchange.ts';
import type { JobCompletionError } from '../../core/contract/result.ts';
import type { Client } from '../client.ts';
import { createTellEnds } from './ends.ts';
import type { Files } from './files.ts';
import { inParallel } from './in-parallel.ts';
import { createTellRetry } from './retries.ts';
import { createTellStart } from './starts.ts';
import { createState } from './state.ts';

export interface ReportsOptions {
  readonly client: Client;
  readonly workflowId: number;
  readonly files: Files;
}

/** Reports starts, ends and retries. */
export interface Reports {
  /**
   * Returns the parts that the server refused. Throws if it is unknown whether the server processed them: the exchange
   * is sent again.
   */
  tell(turn: ExchangeRequest): Promise<JobCompletionError[]>;
}

/** Concurrent requests: the server writes them one after the other, and this hides the network latency. */
const AT_ONCE = 8;

export function createReports({ client, workflowId, files }: ReportsOptions): Reports {
  const state = createState(client, workflowId);
  const tellStart = createTellStart(client, state);
  const tellEnds = createTellEnds(client, workflowId, state);
  const tellRetry = createTellRetry(client, state, tellStart);

  return {
    async tell(turn) {
      const completed = turn.completed ?? [];
      const retried = turn.retried ?? [];
      const ended = new Set([...completed, ...retried].map(({ job_id: id }) => id));
      const begun = (turn.started ?? []).filter(({ job_id: id }) => !ended.has(id));
      const errors = await inParallel(begun, AT_ONCE, async ({ job_id: id, attempt_id: attempt }) => {
        const message = await tellStart(turn, id, attempt);
        return message === undefined ? [] : [{ job_id: id, message }];
      });
      await inParallel(completed, AT_ONCE, ({ files: times }) => files.storeTimes(times ?? []));
      const ends: Completion[] = [...completed];
      for (const told of retried) {
        const verdict = await tellRetry(turn, told);
        if (verdict?.message !== undefined) errors.push([{ job_id: told.job_id, message: verdict.message }]);
        if (verdict?.isEnd === true) ends.push(told);
      }
      errors.push(await tellEnds(turn, ends));
      return errors.flat();
    },
  };
}
