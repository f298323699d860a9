import { randomInt } from 'node:crypto';
import { resolve } from 'node:path';
import type { Client } from '../../client/client.ts';
import { isUnknownRoute } from '../../client/compat/unknown-route.ts';
import type { ChangedJob, PlanUpdate, PlanUpdated } from '../../core/contract/plan-update.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { isOneOf, REPORTED, SUCCEEDED } from '../../core/job/statuses.ts';
import { itemsOf } from '../../core/lists/int-list.ts';
import { type ChoosableJob, chosenJobs } from '../../core/lifecycle/rerun/chosen-jobs.ts';
import { dependentsIn, reachedFrom } from '../../core/lifecycle/rerun/downstream.ts';
import type { FileOnDisk, JobWithFiles } from '../../core/lifecycle/rerun/out-of-date.ts';
import type { Plan } from '../../core/workflow-file/plan/plan.ts';

/** The jobs that a person chose with `--only`, with what they need, and the others. */
export interface Choice {
  /** Under which the server knows it. */
  readonly number: number;
  /** Jobs that have yet to run, and those that are up to date. */
  readonly toRun: number;
  readonly upToDate: number;
  /** Jobs that stay as they are. */
  readonly others: number;
}

/** Two choices of one number would take each other's jobs. */
export const CHOICE_NUMBERS = 2 ** 47;

/** The chosen jobs of a workflow as an update will leave it. Jobs that it adds have negative ids. */
export function chosenAfter(
  {
    jobs,
    files,
  }: { readonly jobs: readonly JobWithFiles[]; readonly files: readonly Pick<FileOnDisk, 'id' | 'path'>[] },
  { jobs: ofJobs, files: ofFiles }: PlanUpdate,
  only: readonly string[],
): ReadonlySet<number> {
  const paths = new Map(files.map(({ id, path }) => [id, path]));
  for (const { id, record } of ofFiles?.change ?? []) paths.set(id, record.path);
  for (const [at, { path }] of (ofFiles?.add ?? []).entries()) paths.set(-1 - at, path);
  const changed = new Map(ofJobs?.change?.map((job) => [job.id, job]));
  const listOf = (job: JobWithFiles, list: 'depends_on_job_ids' | 'output_file_ids'): number[] => {
    const { add, remove } = changed.get(job.id) ?? {};
    const gone = new Set(remove?.[list]);
    return [...(job[list] ?? []).filter((id) => !gone.has(id)), ...(add?.[list] ?? [])];
  };
  const pathsOf = (ids: readonly number[]) => ids.map((id) => paths.get(id) ?? '');
  const stored = jobs.map((job): ChoosableJob => ({
    id: job.id,
    name: changed.get(job.id)?.name ?? job.name,
    status: changed.get(job.id)?.runs_again === true ? 'uninitialized' : job.status,
    makes: pathsOf(listOf(job, 'output_file_ids')),
  }));
  const added = (ofJobs?.add ?? []).map((job, at): ChoosableJob => ({
    id: -1 - at,
    name: job.name,
    makes: pathsOf(job.output_file_ids ?? []),
  }));
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const before = (id: number) => {
    const job = byId.get(id);
    return job === undefined ? (ofJobs?.add?.[-1 - id]?.depends_on_job_ids ?? []) : listOf(job, 'depends_on_job_ids');
  };
  return chosenJobs([...stored, ...added], only, { keyOf, before });
}

/** Names what runs again after jobs that the update changes: with a choice the server leaves other jobs that have ended. */
export function rerunByName(jobs: readonly JobWithFiles[], changed: Map<number, ChangedJob>): void {
  const begin = [...changed.values()].flatMap(({ id, runs_again: again }) => (again ? [id] : []));
  const edges = jobs.flatMap(({ id, depends_on_job_ids: before }) =>
    (before ?? []).map((other) => ({ job_id: id, depends_on_job_id: other })),
  );
  const statuses = new Map(jobs.map(({ id, status }) => [id, status]));
  const isReset = (id: number) => statuses.get(id) !== 'disabled';
  for (const id of reachedFrom(begin, dependentsIn(edges), isReset))
    if (isOneOf(REPORTED, statuses.get(id))) changed.set(id, { ...changed.get(id), id, runs_again: true });
}

interface AfterLook {
  readonly jobs: readonly JobWithFiles[];
  readonly ofJobs: PlanUpdate['jobs'];
  readonly changed: ReadonlyMap<number, ChangedJob>;
  /** Ids of the jobs that run again for their status, files or values. */
  readonly again: ReadonlySet<number>;
}

/** The choice as the server learns it, and as a person sees it. */
export function choiceOf(
  chosen: ReadonlySet<number>,
  { jobs, ofJobs, changed, again }: AfterLook,
): { readonly sent: NonNullable<PlanUpdate['choice']>; readonly shown: Choice } {
  const runs = ({ id, status }: JobWithFiles) =>
    again.has(id) || changed.get(id)?.runs_again === true || !isOneOf(SUCCEEDED, status);
  const stored = jobs.filter(({ id }) => chosen.has(id));
  const toRun = [...stored.filter(runs).map(({ id }) => id), ...[...chosen].filter((id) => id < 0)];
  const number = randomInt(1, CHOICE_NUMBERS);
  const all = jobs.filter(({ status }) => status !== 'disabled').length + (ofJobs?.add?.length ?? 0);
  const upToDate = chosen.size - toRun.length;
  return {
    sent: { number, job_ids: toRun },
    shown: { number, toRun: toRun.length, upToDate, others: all - chosen.size },
  };
}

const keyOf = (path: string) => resolve(path);

/** The names of the jobs of a workflow file that would run: they are refused before anything is created. */
export function chosenInPlan(plan: Plan, only: readonly string[]): string[] {
  const all = Array.from({ length: plan.jobs.length }, (_, number): ChoosableJob => ({
    id: number,
    name: plan.jobName(number),
    makes: Array.from(plan.jobs.at(number).outputFiles, (file) => plan.files.at(file).path),
  }));
  // Nodes of the graph are jobs, and what stands between jobs.
  const chosen = chosenJobs(all, only, { keyOf, before: (node) => itemsOf(plan.graph.waitsFor, node) });
  return all.flatMap(({ id, name }) => (chosen.has(id) ? [name] : []));
}

/** Refuses on a server that does not know choices, before anything is changed. */
export async function refuseWithoutChoices(client: Client): Promise<void> {
  await client.updatePlan({ params: { id: 0 }, query: { dry_run: true }, body: {} }).catch((error: unknown) => {
    if (isUnknownRoute(error)) throw noChoices({ cause: error });
  });
}

export const noChoices = (options: ErrorOptions = {}): Refusal =>
  new Refusal(
    'ROUTE_UNKNOWN',
    'this server cannot give a runner some jobs only, as Torc 1.0.0, which --only and --touch need; labels of jobs and --label divide jobs on every server',
    {},
    options,
  );

/** Sends an update. With a choice it asks first whether the server knows such: an older one would apply the rest. */
export async function sendUpdate(
  client: Client,
  workflowId: number,
  body: PlanUpdate,
  isDryRun: boolean,
): Promise<PlanUpdated> {
  const send = (dry: boolean) => client.updatePlan({ params: { id: workflowId }, query: { dry_run: dry }, body });
  if (body.choice && !isDryRun && (await send(true)).chosen_jobs === undefined) throw noChoices();
  return send(isDryRun);
}
