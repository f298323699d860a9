import type { Completion, ExchangeRequest, RaisedNeed, Retried } from '../../core/contract/exchange.ts';
import type { JobCompletionError } from '../../core/contract/result.ts';
import type { Client } from '../client.ts';
import { createReportEnds } from './ends.ts';
import type { Files } from './files.ts';
import { inParallel } from './in-parallel.ts';
import { createReportStart, type ReportStart } from './starts.ts';
import { createState, type State } from './state.ts';
import { memoryAmountText, raisedName } from '../../core/lifecycle/retry/cause-verdict.ts';
import { formatDuration } from '../../core/quantity/duration.ts';
import type { PlainJob } from './reads.ts';
import { isOfRequest, isRefusal } from './refused.ts';

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

/** Reports a retry: undefined if the job is retried; otherwise the reason, and whether its end must be reported instead. */
type ReportRetry = (
  turn: ExchangeRequest,
  reported: Retried,
) => Promise<{ readonly message?: string; readonly isEnd: boolean } | undefined>;

function createReportRetry(client: Client, { readJob, fence }: State, reportStart: ReportStart): ReportRetry {
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

interface ReportStatsOptions {
  readonly client: Client;
  readonly workflowId: number;
  /** Called once, with the first refusal of statistics that are not stored. */
  readonly onWarning: (message: string) => void;
}

/**
 * Stores the statistics of Slurm of attempts that ended.
 *
 * Torc's own server refuses statistics that it has, and answers errors of its own with the same statuses. So after a refusal
 * they are looked for.
 */
function createReportStats({ client, workflowId, onWarning }: ReportStatsOptions) {
  let hasWarned = false;
  // Several are reported at once.
  const warnOnce = (message: string) => {
    if (!hasWarned) onWarning(message);
    hasWarned = true;
  };
  return async (turn: ExchangeRequest, ended: Completion | Retried): Promise<void> => {
    const { job_id, attempt_id, slurm_stats: stats } = ended;
    if (!stats) return;
    const attempt = { workflow_id: workflowId, job_id, run_id: turn.run_id, attempt_id };
    try {
      await client.createSlurmStats({ body: { ...stats, ...attempt } });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (hasWarned) return;
      const { items } = await client.listSlurmStats({ query: { ...attempt, limit: 1 } });
      if (items.length > 0) return;
      warnOnce(`The server does not store statistics of Slurm, first of job ${job_id}: ${error.message}`);
    }
  };
}
