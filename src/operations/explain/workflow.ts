import type { Client } from '../../client/client.ts';
import { knownWorkflow } from '../../client/compat/known.ts';
import { all } from '../../client/every.ts';
import type { JobStatus } from '../../core/job/job-statuses.ts';
import type { Result } from '../../core/contract/result.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import { countOf, ENDED_BADLY, STARTABLE } from '../../core/job/statuses.ts';
import { nextCommand, recoverCommand } from '../../core/lifecycle/explain/next-command.ts';
import { placeOf } from '../../core/lifecycle/explain/place.ts';
import { withoutNumbers } from '../../core/text/without-numbers.ts';
import { type ExplainedJob, type ExplainOptions, explainJob } from './explain.ts';
import { lastErrorLines } from './last-error-lines.ts';

/** Jobs that failed in the same way. */
interface ExplainedGroup {
  readonly jobs: number;
  /** The first of them. */
  readonly first: readonly { readonly id: number; readonly name: string }[];
  /** One of them, with its reasons, its files and its last lines. */
  readonly example: ExplainedJob;
  readonly command: string;
}

export interface ExplainedWorkflow {
  readonly workflow: Workflow;
  readonly jobs: Readonly<Record<JobStatus, number>>;
  readonly runners: number;
  readonly isComplete: boolean;
  /** The most frequent first. */
  readonly failures: readonly ExplainedGroup[];
  /** Groups that are not explained, because there are too many. */
  readonly groupsLeftOut: number;
  /** Why the first ready job has not started; undefined if no job is ready. */
  readonly waiting: ExplainedJob | undefined;
  /** What makes the workflow continue. */
  readonly next: readonly string[];
}

/** More groups than a person reads; each costs a few requests. */
const MOST_GROUPS = 20;
/** Jobs that are named in each. */
const MOST_NAMED = 20;
/** Files of which the last line separates groups; the other jobs are grouped by code and cause alone. */
const MOST_READ = 500;

/** Explains what is wrong with a workflow: its failures in groups of the same cause, and what makes it continue. */
export async function explainWorkflow(client: Client, id: number, options: ExplainOptions): Promise<ExplainedWorkflow> {
  const workflow = await client.getWorkflow({ params: { id } });
  const status = await client.getWorkflowStatus({ params: { id } });
  const lists = await Promise.all(
    [...ENDED_BADLY].map((each) =>
      all((page) => client.listResults({ query: { workflow_id: id, status: each, ...page } })),
    ),
  );
  const results = lists.flat();
  const lasts = new Map<Result, string | undefined>();
  for (const result of results.slice(0, MOST_READ))
    lasts.set(result, (await lastErrorLines(client, workflow, result, options.outputDir)).at(-1));
  const groups = [...Map.groupBy(results, (result) => explainedGroupOf(result, lasts.get(result))).values()].toSorted(
    (one, other) => other.length - one.length,
  );
  const failures: ExplainedGroup[] = [];
  for (const group of groups.slice(0, MOST_GROUPS)) failures.push(await explained(client, group, options));
  const jobs = status.jobs_by_status;
  const [ready] =
    jobs.ready === 0 ? [] : (await client.listJobs({ query: { workflow_id: id, status: 'ready', limit: 1 } })).items;
  const isAlive = status.active_compute_nodes + status.active_scheduled_nodes + status.pending_scheduled_nodes > 0;
  return {
    workflow,
    jobs,
    runners: status.active_compute_nodes,
    isComplete: status.is_complete,
    failures,
    groupsLeftOut: Math.max(0, groups.length - MOST_GROUPS),
    waiting: ready === undefined ? undefined : await explainJob(client, ready.id as number, options),
    next:
      results.length > 0
        ? [isAlive ? recoverCommand(id, isAlive) : `torc recover ${id} --dry-run`]
        : countOf(jobs, STARTABLE) > 0 && status.active_compute_nodes === 0
          ? [nextCommand(placeOf(await knownWorkflow(client, id)))]
          : [],
  };
}

/** The same text for jobs that failed in the same way: numbers in messages are names of jobs, sizes and times. */
export const explainedGroupOf = (
  {
    status,
    return_code: code,
    cause_code: cause,
    cause: words,
  }: Pick<Result, 'status' | 'return_code' | 'cause_code' | 'cause'>,
  lastLine: string | undefined,
): string => JSON.stringify([status, code, cause ?? '', withoutNumbers(words ?? ''), withoutNumbers(lastLine ?? '')]);

async function explained(client: Client, group: readonly Result[], options: ExplainOptions): Promise<ExplainedGroup> {
  const [{ job_id: id }] = group as [Result];
  const { command } = await client.getJob({ params: { id } });
  return {
    jobs: group.length,
    first: group.slice(0, MOST_NAMED).map((each) => ({ id: each.job_id, name: each.job_name ?? '' })),
    example: await explainJob(client, id, options),
    command,
  };
}
