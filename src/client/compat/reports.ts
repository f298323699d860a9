import type { Completion, ExchangeRequest } from '../../core/contract/exchange.ts';
import type { JobCompletionError } from '../../core/contract/result.ts';
import type { Client } from '../client.ts';
import { createReportEnds } from './ends.ts';
import type { Files } from './files.ts';
import { inParallel } from './in-parallel.ts';
import { createReportRetry } from './retries.ts';
import { createReportStart } from './starts.ts';
import { createReportStats } from './stats.ts';
import { createState } from './state.ts';

export interface ReportsOptions {
  readonly client: Client;
  readonly workflowId: number;
  readonly files: Files;
  /** Called once with a message that the user should read. */
  readonly onWarning: (message: string) => void;
}

/** Reports starts, ends and retries. */
export interface Reports {
  /**
   * Returns the parts that the server refused. Throws if it is unknown whether the server processed them: the exchange
   * is sent again.
   */
  report(turn: ExchangeRequest): Promise<JobCompletionError[]>;
}

/** Concurrent requests: the server writes them one after the other, and this hides the network latency. */
const AT_ONCE = 8;

export function createReports({ client, workflowId, files, onWarning }: ReportsOptions): Reports {
  const state = createState(client, workflowId);
  const reportStart = createReportStart(client, state);
  const reportEnds = createReportEnds(client, workflowId, state);
  const reportStats = createReportStats({ client, workflowId, onWarning });
  const reportRetry = createReportRetry(client, state, reportStart);

  return {
    async report(turn) {
      const completed = turn.completed ?? [];
      const retried = turn.retried ?? [];
      const ended = new Set([...completed, ...retried].map(({ job_id: id }) => id));
      const begun = (turn.started ?? []).filter(({ job_id: id }) => !ended.has(id));
      const errors = await inParallel(begun, AT_ONCE, async ({ job_id: id, attempt_id: attempt }) => {
        const message = await reportStart(turn, id, attempt);
        return message === undefined ? [] : [{ job_id: id, message }];
      });
      await inParallel(completed, AT_ONCE, ({ files: times }) => files.storeTimes(times ?? []));
      const ends: Completion[] = [...completed];
      for (const reported of retried) {
        const verdict = await reportRetry(turn, reported);
        if (verdict?.message !== undefined) errors.push([{ job_id: reported.job_id, message: verdict.message }]);
        if (verdict?.isEnd === true) ends.push(reported);
      }
      errors.push(await reportEnds(turn, ends));
      await inParallel([...completed, ...retried], AT_ONCE, (each) => reportStats(turn, each));
      return errors.flat();
    },
  };
}
