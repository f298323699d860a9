import type { ExchangeRequest, RaisedNeed, Retried } from '../../core/contract/exchange.ts';
import { memoryAmountText, raisedName } from '../../core/lifecycle/cause-verdict.ts';
import { formatDuration } from '../../core/quantity/duration.ts';
import type { Client } from '../client.ts';
import type { PlainJob } from './reads.ts';
import { isOfRequest } from './refused.ts';
import type { ReportStart } from './starts.ts';
import type { State } from './state.ts';

/** Reports a retry: undefined if the job is retried; otherwise the reason, and whether its end must be reported instead. */
export type ReportRetry = (
  turn: ExchangeRequest,
  reported: Retried,
) => Promise<{ readonly message?: string; readonly isEnd: boolean } | undefined>;

export function createReportRetry(client: Client, { readJob, fence }: State, reportStart: ReportStart): ReportRetry {
  return async (turn, reported) => {
    const { job_id: id, attempt_id: attempt, max_retries: most } = reported;
    if (attempt >= most) return { isEnd: true };
    const job = await readJob(id);
    if (typeof job === 'string') return { message: job, isEnd: false };
    // A reply was lost, and the exchange is repeated.
    if ((job.attempt_id ?? 1) > attempt) return undefined;
    // The start of an attempt that ended in the same exchange was not reported, and only a running job can be retried.
    if (job.status === 'pending') await reportStart(turn, id, attempt);
    try {
      if (reported.raise) await raiseJob(client, job, reported.raise);
      await client.retryJob({ params: { id, run_id: turn.run_id }, query: { max_retries: most } });
      return undefined;
    } catch (error) {
      if (!isOfRequest(error)) throw error;
      await fence(turn.run_id);
      return { message: error.message, isEnd: true };
    }
  };
}

/** Gives one job larger requirements, in a record of its own: others share the one that it has. */
async function raiseJob(client: Client, job: PlainJob, { memory_bytes: memory, runtime_seconds: runtime }: RaisedNeed) {
  const before = await client.getResourceRequirements({ params: { id: job.resource_requirements_id as number } });
  const after = {
    ...before,
    memory: memory ? memoryAmountText(memory) : before.memory,
    runtime: runtime ? formatDuration(runtime) : before.runtime,
  };
  const name = raisedName(before.name, after.memory ?? '', after.runtime ?? '');
  const created = await client.createResourceRequirements({ body: { ...after, id: undefined, name } });
  await client.updateJob({
    params: { id: job.id },
    body: {
      workflow_id: job.workflow_id,
      name: job.name,
      command: job.command,
      resource_requirements_id: created.id,
    },
  });
}
