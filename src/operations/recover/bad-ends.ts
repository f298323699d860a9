import type { Client } from '../../client/client.ts';
import { all } from '../../client/every.ts';
import { standardExecution } from '../../core/contract/execution.ts';
import type { Job } from '../../core/contract/job.ts';
import type { Result } from '../../core/contract/result.ts';
import { type Cause, causeOf } from '../../core/lifecycle/recovery.ts';
import { lackOf } from '../../core/lifecycle/resource-use.ts';
import { causesOf } from '../causes.ts';
import { interruptedOf } from '../../core/lifecycle/interrupted-jobs.ts';
import { FAILED_STATUSES, type UsedJob, type UsedOptions, usedJobs } from '../resource-use.ts';

/** A job that did not end well. */
export interface BadEnd {
  readonly id: number;
  readonly name: string;
  readonly status: Job['status'];
  readonly why: Cause;
  /** In words for a person: `return code 137, it used 394 of 200 MiB`. */
  readonly words: string;
  readonly returnCode: number | undefined;
}

const BAD = ['failed', 'terminated', 'canceled', 'pending_failed'] as const;

/** The jobs of a workflow that did not end well, each with its cause; `instead` are requirements that count for it. */
export async function badEnds(client: Client, workflowId: number, instead?: UsedOptions['instead']): Promise<BadEnd[]> {
  const query = { workflow_id: workflowId };
  const lists = await Promise.all(
    BAD.map((status) => all((page) => client.listJobs({ query: { ...query, status, ...page } }))),
  );
  const jobs = lists.flat();
  if (jobs.length === 0) return [];
  const used = new Map(
    (await usedJobs(client, workflowId, { statuses: FAILED_STATUSES, instead })).map((job) => [job.id, job]),
  );
  const results = jobs.flatMap(({ id }) => used.get(id)?.result ?? []);
  const missing = await causesOf(client, workflowId, results);
  const interrupted = await interruptedIds(client, workflowId, jobs);
  const { execution_config: execution } = await client.getWorkflow({ params: { id: workflowId } });
  const codes = {
    memory: execution?.oom_exit_code ?? standardExecution.oom_exit_code,
    time: execution?.timeout_exit_code ?? standardExecution.timeout_exit_code,
  };
  return jobs
    .map((job) => badEndOf(job, { used: used.get(job.id), missing, interrupted, codes }))
    .toSorted((a, b) => a.id - b.id);
}

interface Known {
  readonly used: UsedJob | undefined;
  readonly missing: Awaited<ReturnType<typeof causesOf>>;
  readonly interrupted: ReadonlySet<number>;
  /** The return codes of the workflow for jobs that are killed for memory and for time. */
  readonly codes: { readonly memory: number; readonly time: number };
}

function badEndOf({ id, name, status }: Job, { used, missing, interrupted, codes }: Known): BadEnd {
  const result = used?.result;
  const measured = result === undefined ? [] : (missing.get(result) ?? []);
  const lack =
    used?.use === undefined
      ? undefined
      : lackOf(used.limits, { ...used.use, returnCode: usual(used.use.returnCode, codes) });
  const why = causeOf({
    id: id,
    status: status ?? 'failed',
    returnCode: status === 'canceled' ? undefined : result?.return_code,
    lack: status === 'canceled' ? undefined : lack,
    memoryShare: shareOf(used),
    causeCode: result?.cause_code ?? undefined,
    handlerLimit: result?.handler_limit ?? undefined,
    missesOutput: measured.some(({ code }) => code === 'missing_output'),
    wasCanceledByDependency: !interrupted.has(id),
  });
  const returnCode = status === 'canceled' ? undefined : result?.return_code;
  return { id: id, name, status, why, returnCode, words: wordsOf(result, measured, why, status) };
}

const shareOf = (used: UsedJob | undefined): number | undefined => {
  const peak = used?.use?.peakMemoryBytes;
  return used === undefined || peak === undefined ? undefined : peak / used.limits.memoryBytes;
};

/** The return code by which the rules know it: a workflow may have codes of its own. */
const usual = (code: number, { memory, time }: Known['codes']) => (code === memory ? 137 : code === time ? 152 : code);

function wordsOf(
  result: Result | undefined,
  measured: readonly { readonly message: string }[],
  why: Cause,
  status: Job['status'],
): string {
  if (why === 'downstream') return 'canceled because of another job';
  if (result === undefined || status === 'canceled') return 'canceled';
  const said = measured.map(({ message }) => message);
  const parts = [`return code ${result.return_code}`, ...(result.cause ? [result.cause] : said)];
  return parts.join(', ');
}

/** The canceled jobs that did not fall with a failed one. */
async function interruptedIds(client: Client, workflowId: number, jobs: readonly Job[]): Promise<Set<number>> {
  if (!jobs.some(({ status }) => status === 'canceled')) return new Set();
  const edges = await all((page) => client.listJobDependencies({ params: { id: workflowId }, query: page }));
  const known = new Set(jobs.map(({ id }) => id));
  return new Set(
    interruptedOf(
      jobs,
      edges.filter(({ job_id: id, depends_on_job_id: upstream }) => known.has(id) && known.has(upstream)),
    ),
  );
}
