import type { PlanUpdate } from '../../../core/contract/plan-update.ts';
import { Refusal } from '../../../core/contract/refusals.ts';
import { cycleText } from '../../../core/workflow-file/graph/cycle-text.ts';
import { byId } from '../../store/rows.ts';
import type { WorkSteps } from '../../store/work.ts';
import type { UpdateQueries } from './queries.ts';

/** Dependents read at a time. */
const PAGE = 256;
/** Ids named in the facts of a refusal. */
const REPORTED = 10;

/**
 * Refuses an update that makes jobs wait for each other: they would be blocked for ever.
 *
 * A new circle contains a new dependency, so it is found by following the dependents of the jobs that get one.
 */
export function* refuseNewCircle(queries: UpdateQueries, { jobs }: PlanUpdate): WorkSteps {
  const gained = new Map<number, number[]>();
  const lost = new Set<string>();
  const sources: number[] = [];
  const gain = (job: number, others: readonly number[] | null | undefined) => {
    if (others && others.length > 0) sources.push(job);
    for (const other of others ?? []) {
      const known = gained.get(other);
      if (known === undefined) gained.set(other, [job]);
      else known.push(job);
    }
  };
  for (const [index, { depends_on_job_ids: others }] of (jobs?.add ?? []).entries()) gain(-1 - index, others);
  for (const { id, add, remove } of jobs?.change ?? []) {
    gain(id, add?.depends_on_job_ids);
    for (const other of remove?.depends_on_job_ids ?? []) lost.add(`${id} ${other}`);
  }
  const isRemoved = new Set(jobs?.remove);

  function* dependentsOf(id: number): WorkSteps<number[]> {
    const found = [...(gained.get(id) ?? [])];
    if (id < 0) return found;
    yield* byId(
      PAGE,
      (page) => queries.dependents.all({ id, ...page }),
      ({ id: job }) => {
        if (!isRemoved.has(job) && !lost.has(`${job} ${id}`)) found.push(job);
      },
    );
    return found;
  }

  const done = new Set<number>();
  const onPath = new Set<number>();
  for (const source of sources) {
    if (done.has(source)) continue;
    const path = [{ id: source, open: yield* dependentsOf(source) }];
    onPath.add(source);
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      const next = last.open.pop();
      if (next === undefined) {
        path.pop();
        onPath.delete(last.id);
        done.add(last.id);
      } else if (onPath.has(next)) {
        const ids = path.map(({ id }) => id);
        throw circle(queries, jobs, ids.slice(ids.indexOf(next)));
      } else if (!done.has(next)) {
        path.push({ id: next, open: yield* dependentsOf(next) });
        onPath.add(next);
      }
    }
  }
}

/** Dependents come first on the path; the text names them last. */
function circle(queries: UpdateQueries, jobs: PlanUpdate['jobs'], path: readonly number[]): Refusal {
  const ids = path.toReversed();
  const nameOf = (id: number) => (id < 0 ? jobs?.add?.[-1 - id]?.name : queries.placed.get({ id })?.name) ?? '';
  const text = cycleText(ids, nameOf);
  return new Refusal('CIRCLE', `the update makes jobs wait for each other: ${text}`, { jobs: ids.slice(0, REPORTED) });
}
