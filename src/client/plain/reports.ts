import type { Completion, ExchangeRequest, RaisedNeed, Retried } from '../../core/contract/exchange.ts';
import type { JobCompletion, JobCompletionError } from '../../core/contract/result.ts';
import { memoryText, raisedName } from '../../core/lifecycle/cause-rules.ts';
import { formatDuration } from '../../core/quantity/duration.ts';
import type { Client } from '../client.ts';
import type { Files } from './files.ts';
import { inParallel } from './in-parallel.ts';
import type { PlainJob } from './plain-job.ts';
import { isOfRequest, isRefusal, runSuperseded } from './refused.ts';

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
/** Statuses that a job leaves only if a user changes it. */
const ENDS: ReadonlySet<string> = new Set(['completed', 'failed', 'canceled', 'terminated', 'pending_failed']);

export function createReports({ client, workflowId, files }: ReportsOptions): Reports {
  const jobOf = async (id: number) => (await client.getJob({ params: { id } })) as PlainJob;
  const refused = (id: number, message: string): JobCompletionError => ({ job_id: id, message });

  /** The server refused: undefined if it knew the start already, otherwise the reason. */
  const start = async (turn: ExchangeRequest, id: number, attempt: number): Promise<string | undefined> => {
    const { run_id: runId, compute_node_id: nodeId } = turn;
    try {
      await client.startJob({ params: { id, run_id: runId, compute_node_id: nodeId } });
      return undefined;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      await fence(runId);
      const job = await readJob(id);
      if (typeof job === 'string') return job;
      // Refused although the job is pending: the server fails, and the exchange is sent again.
      if (job.status === 'pending') throw error;
      const isOurs = (job.attempt_id ?? 1) === attempt && (job.status !== 'running' || job.compute_node_id === nodeId);
      const isKnown = isOurs && (job.status === 'running' || ENDS.has(String(job.status)));
      return isKnown ? undefined : `its start was not recorded: it is ${job.status} in attempt ${job.attempt_id ?? 1}`;
    }
  };

  /** The job, or the reason why it cannot be read. */
  const readJob = async (id: number): Promise<PlainJob | string> => {
    try {
      return await jobOf(id);
    } catch (error) {
      if (isOfRequest(error)) return error.message;
      throw error;
    }
  };

  const fence = async (runId: number) => {
    const { run_id: current } = await client.getWorkflow({ params: { id: workflowId } });
    if (current !== runId) throw runSuperseded(runId, current ?? 0);
  };

  const send = async (entries: readonly JobCompletion[]): Promise<JobCompletionError[]> => {
    const body = { completions: [...entries] };
    const { errors } = await client.batchCompleteJobs({ params: { id: workflowId }, body });
    const statusOf = new Map(entries.map((each) => [each.job_id, each.status]));
    return errors.filter(({ job_id: id, message }) => !isKnownEnd(message, statusOf.get(id)));
  };

  /** One invalid entry makes the server refuse the whole batch, so a refused batch is sent entry by entry. */
  const complete = async (entries: readonly JobCompletion[]): Promise<JobCompletionError[]> => {
    if (entries.length === 0) return [];
    try {
      return await send(entries);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (entries.length > 1) {
        const errors: JobCompletionError[] = [];
        for (const entry of entries) for (const each of await complete([entry])) errors.push(each);
        return errors;
      }
      const [entry] = entries as [JobCompletion];
      const job = await readJob(entry.job_id);
      if (typeof job === 'string') return [refused(entry.job_id, job)];
      if (job.status === entry.status) return [];
      if (isOfRequest(error) || (await hasResult(entry))) return [refused(entry.job_id, error.message)];
      throw error;
    }
  };

  const hasResult = async ({ job_id: jobId, run_id: runId, result }: JobCompletion): Promise<boolean> => {
    const query = { workflow_id: workflowId, job_id: jobId, run_id: runId, all_runs: true };
    const { items } = await client.listResults({ query });
    return items.some(({ attempt_id: attempt }) => (attempt ?? 1) === result.attempt_id);
  };

  /** Undefined if the job is retried; otherwise the reason, and whether its end must be reported instead. */
  const again = async (
    turn: ExchangeRequest,
    told: Retried,
  ): Promise<{ readonly message?: string; readonly isEnd: boolean } | undefined> => {
    const { job_id: id, attempt_id: attempt, max_retries: most } = told;
    if (attempt >= most) return { isEnd: true };
    const job = await readJob(id);
    if (typeof job === 'string') return { message: job, isEnd: false };
    // A reply was lost, and the exchange is repeated.
    if ((job.attempt_id ?? 1) > attempt) return undefined;
    // The start of an attempt that ended in the same exchange was not reported, and only a running job can be retried.
    if (job.status === 'pending') await start(turn, id, attempt);
    try {
      if (told.raise) await raiseJob(client, job, told.raise);
      await client.retryJob({ params: { id, run_id: turn.run_id }, query: { max_retries: most } });
      return undefined;
    } catch (error) {
      if (!isOfRequest(error)) throw error;
      await fence(turn.run_id);
      return { message: error.message, isEnd: true };
    }
  };

  return {
    async tell(turn) {
      const completed = turn.completed ?? [];
      const retried = turn.retried ?? [];
      const ended = new Set([...completed, ...retried].map(({ job_id: id }) => id));
      const begun = (turn.started ?? []).filter(({ job_id: id }) => !ended.has(id));
      const errors = await inParallel(begun, AT_ONCE, async ({ job_id: id, attempt_id: attempt }) => {
        const message = await start(turn, id, attempt);
        return message === undefined ? [] : [refused(id, message)];
      });
      await inParallel(completed, AT_ONCE, ({ files: times }) => files.storeTimes(times ?? []));
      const ends: Completion[] = [...completed];
      for (const told of retried) {
        const verdict = await again(turn, told);
        if (verdict?.message !== undefined) errors.push([refused(told.job_id, verdict.message)]);
        if (verdict?.isEnd === true) ends.push(told);
      }
      errors.push(await complete(ends.map((each) => entryOf(each, workflowId, turn))));
      return errors.flat();
    },
  };
}

/** Gives one job larger requirements, in a record of its own: others share the one that it has. */
async function raiseJob(client: Client, job: PlainJob, { memory_bytes: memory, runtime_seconds: runtime }: RaisedNeed) {
  const before = await client.getResourceRequirements({ params: { id: job.resource_requirements_id as number } });
  const after = {
    ...before,
    memory: memory ? memoryText(memory) : before.memory,
    runtime: runtime ? formatDuration(runtime) : before.runtime,
  };
  const name = raisedName(before.name, after.memory ?? '', after.runtime ?? '');
  const created = await client.createResourceRequirements({ body: { ...after, id: undefined, name } });
  await client.updateJob({
    params: { id: job.id as number },
    body: {
      workflow_id: job.workflow_id,
      name: job.name,
      command: job.command,
      resource_requirements_id: created.id as number,
    },
  });
}

/** The server has the job in the reported state: the end was reported before, and the reply was lost. */
const isKnownEnd = (message: string, status: string | undefined): boolean =>
  /already complete with status=(\w+)/.exec(message)?.[1]?.toLowerCase() === status;

function entryOf(told: Completion, workflowId: number, turn: ExchangeRequest): JobCompletion {
  const { job_id, attempt_id, status, return_code, exec_time_minutes, completion_time } = told;
  const { peak_memory_bytes, avg_memory_bytes, peak_cpu_percent, avg_cpu_percent } = told;
  const { run_id, compute_node_id } = turn;
  return {
    job_id,
    status,
    run_id,
    result: {
      job_id,
      workflow_id: workflowId,
      run_id,
      attempt_id,
      compute_node_id,
      return_code,
      exec_time_minutes,
      completion_time,
      status,
      peak_memory_bytes,
      avg_memory_bytes,
      peak_cpu_percent,
      avg_cpu_percent,
    },
  };
}
