import type { Client } from '../../client/client.ts';
import { all } from '../../client/every.ts';
import { sentenceOf } from '../../core/attempt/cause.ts';
import type { Job } from '../../core/contract/job.ts';
import { ENDED_BADLY, RECOVERABLE } from '../../core/job/statuses.ts';
import { interruptedOf } from '../../core/lifecycle/interrupted-jobs.ts';
import { type Why, whyOf } from '../../core/lifecycle/recovery.ts';
import { lackOf } from '../../core/lifecycle/resource-use.ts';
import { type UsedJob, type UsedOptions, usedJobs } from '../resource-use.ts';

/** A job that did not end well. */
export interface BadEnd {
  readonly id: number;
  readonly name: string;
  readonly status: Job['status'];
  readonly why: Why;
  /** In words for a person: `return code 137, it used more memory than it may: it used 394 of 200 MiB`. */
  readonly words: string;
  readonly returnCode: number | undefined;
}

/** The jobs of a workflow that did not end well, each with its cause; `instead` are requirements that count for it. */
export async function badEnds(client: Client, workflowId: number, instead?: UsedOptions['instead']): Promise<BadEnd[]> {
  const query = { workflow_id: workflowId };
  const lists = await Promise.all(
    [...RECOVERABLE].map((status) => all((page) => client.listJobs({ query: { ...query, status, ...page } }))),
  );
  const jobs = lists.flat();
  if (jobs.length === 0) return [];
  const used = new Map(
    (await usedJobs(client, workflowId, { statuses: ENDED_BADLY, instead })).map((job) => [job.id, job]),
  );
  const behind = await behindOthers(client, workflowId, jobs);
  return jobs.map((job) => badEndOf(job, { used: used.get(job.id), behind })).toSorted((a, b) => a.id - b.id);
}

interface Known {
  readonly used: UsedJob | undefined;
  readonly behind: Behind;
}

function badEndOf({ id, name, status = 'failed' }: Job, { used, behind }: Known): BadEnd {
  const result = status === 'canceled' ? undefined : used?.result;
  const use = result && used?.use;
  const why = whyOf({
    status: status ?? 'failed',
    lack: use && used && lackOf(used.limits, use),
    memoryShare: shareOf(used),
    causeCode: use?.causeCode,
    handlerLimit: result?.handler_limit ?? undefined,
    canceledBehind: status === 'canceled' ? behind.get(id) : undefined,
  });
  const words =
    why === 'dependency' || why === 'behind_stop'
      ? 'canceled because of another job'
      : result === undefined
        ? 'canceled'
        : `return code ${result.return_code}, ${sentenceOf({ ...result, returnCode: result.return_code, causeCode: use?.causeCode })}`;
  return { id, name, status, why, returnCode: result?.return_code, words };
}

const shareOf = (used: UsedJob | undefined): number | undefined => {
  const peak = used?.use?.peakMemoryBytes;
  return used === undefined || peak === undefined ? undefined : peak / used.limits.memoryBytes;
};

/** Canceled jobs behind one that failed, or behind one that was stopped; the others were canceled by a user. */
type Behind = ReadonlyMap<number, 'failure' | 'stop'>;

async function behindOthers(client: Client, workflowId: number, jobs: readonly Job[]): Promise<Behind> {
  if (!jobs.some(({ status }) => status === 'canceled')) return new Map();
  const listed = await all((page) => client.listJobDependencies({ params: { id: workflowId }, query: page }));
  const known = new Set(jobs.map(({ id }) => id));
  const edges = listed.filter(({ job_id: id, depends_on_job_id: upstream }) => known.has(id) && known.has(upstream));
  const interrupted = new Set(interruptedOf(jobs, edges));
  const waits = new Set(edges.map(({ job_id: id }) => id));
  return new Map(
    jobs.flatMap(({ id, cancel_on_blocking_job_failure: cancels }): [number, 'failure' | 'stop'][] => {
      if (!interrupted.has(id)) return [[id, 'failure']];
      return waits.has(id) && cancels !== false ? [[id, 'stop']] : [];
    }),
  );
}
