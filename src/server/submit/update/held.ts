import type { ChangedJob, HeldReason, PlanUpdate, PlanUpdated } from '../../../core/contract/plan-update.ts';
import { byId } from '../../store/rows.ts';
import type { WorkSteps } from '../../store/work.ts';
import type { PlacedJob, UpdateQueries } from './queries.ts';

/** Dependents read at a time. */
const PAGE = 256;

/** The part of an update that can be applied now, and the jobs that stay as they are. */
export interface Applicable {
  readonly update: PlanUpdate;
  readonly held: PlanUpdated['held'];
  /** Jobs that run again, those downstream of changed ones included. */
  readonly rerun: number;
}

/**
 * Leaves out what would change a job that a runner has, or make one run again while a job that depends on it runs.
 *
 * A removed job stays as long as a job that stays depends on it.
 */
export function* withoutHeld(queries: UpdateQueries, update: PlanUpdate): WorkSteps<Applicable> {
  const { add = [], change, remove } = update.jobs ?? {};
  const changed = change ?? [];
  const removed = remove ?? [];
  const sparesEnded = update.choice !== undefined && update.choice !== null;
  const affected = yield* downstreamOf(queries, changed, sparesEnded);

  // Upstream of each job that a runner has, as far as jobs would run again.
  const because = new Map<number, PlacedJob>();
  const holding = [...affected.values()].filter(({ is_held: isHeld }) => isHeld === 1);
  const up = holding.map((job) => [job.id, job] as const);
  for (const [id, job] of up) because.set(id, job);
  for (let next = up.pop(); next !== undefined; next = up.pop()) {
    const [id, job] = next;
    for (const { id: other } of queries.upstream.all({ id })) {
      if (!affected.has(other) || because.has(other)) continue;
      because.set(other, job);
      up.push([other, job]);
    }
    yield;
  }

  const held = new Map<number, PlanUpdated['held'][number]>();
  const hold = ({ id, name }: PlacedJob, reason: HeldReason, running: PlacedJob) =>
    held.set(id, { job_id: id, job_name: name, reason, running_job_name: running.name });
  for (const [at, { id }] of changed.entries()) {
    if (at % PAGE === PAGE - 1) yield;
    const job = affected.get(id) ?? (queries.placed.get({ id }) as PlacedJob);
    const running = because.get(id);
    if (job.is_held === 1) hold(job, 'running', job);
    else if (running !== undefined) hold(job, 'dependent_running', running);
  }
  for (const id of removed) {
    const job = queries.placed.get({ id }) as PlacedJob;
    if (job.is_held === 1) hold(job, 'running', job);
    else
      yield* eachDependent(queries, id, (dependent) => {
        const stays = held.get(dependent.id);
        if (stays !== undefined || dependent.is_held === 1) hold(job, 'dependent_running', dependent);
      });
    yield;
  }

  const gone = new Set(removed);
  const rerunOf = (jobs: ReadonlyMap<number, PlacedJob>) =>
    [...jobs.keys()].filter((id) => !gone.has(id)).length + (add?.length ?? 0);
  if (held.size === 0) return { update, held: [], rerun: rerunOf(affected) };
  const jobs = {
    add,
    change: changed.filter(({ id }) => !held.has(id)),
    remove: removed.filter((id) => !held.has(id)),
  };
  const rerun = rerunOf(yield* downstreamOf(queries, jobs.change, sparesEnded));
  return { update: { ...update, jobs }, held: [...held.values()], rerun };
}

/** The changed jobs that run again, and all that depend on them; those that have ended stay if they are spared. */
function* downstreamOf(
  queries: UpdateQueries,
  changed: readonly ChangedJob[],
  sparesEnded: boolean,
): WorkSteps<Map<number, PlacedJob>> {
  const found = new Map<number, PlacedJob>();
  const open: number[] = [];
  const meet = (job: PlacedJob) => {
    if (found.has(job.id)) return;
    found.set(job.id, job);
    open.push(job.id);
  };
  for (const [at, { id, runs_again: runsAgain }] of changed.entries()) {
    if (runsAgain) meet(queries.placed.get({ id }) as PlacedJob);
    if (at % PAGE === PAGE - 1) yield;
  }
  const follow = (job: PlacedJob) => {
    if (!sparesEnded || job.is_settled === 0) meet(job);
  };
  for (let id = open.pop(); id !== undefined; id = open.pop()) yield* eachDependent(queries, id, follow);
  return found;
}

const eachDependent = (queries: UpdateQueries, id: number, meet: (job: PlacedJob) => void): WorkSteps =>
  byId(PAGE, (page) => queries.dependents.all({ id, ...page }), meet);
