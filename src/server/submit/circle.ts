import { Refusal } from '../../core/contract/refusals.ts';
import type { SubmitQueries } from './queries.ts';

/** Jobs of a circle that are named; a person needs no more to find it. */
const MOST_NAMED = 10;

/**
 * Refuses a workflow whose jobs wait for each other by what files and user data imply: they would be blocked for ever.
 *
 * Where every job waits only for those that were made before it there is no circle, and nothing more is looked at.
 */
export function refuseCircle(queries: SubmitQueries, workflowId: number): void {
  if (queries.backwardEdge.get({ workflowId }) === undefined) return;
  const waitsFor = new Map<number, Set<number>>();
  const dependants = new Map<number, number[]>();
  for (const { job_id: id, other_id: other } of queries.edges.iterate({ workflowId })) {
    const others = waitsFor.get(id);
    if (others === undefined) waitsFor.set(id, new Set([other]));
    else others.add(other);
    const known = dependants.get(other);
    if (known === undefined) dependants.set(other, [id]);
    else known.push(id);
  }
  const free = [...dependants.keys()].filter((id) => !waitsFor.has(id));
  for (const id of free) {
    for (const dependant of dependants.get(id) ?? []) {
      const others = waitsFor.get(dependant) as Set<number>;
      others.delete(id);
      if (others.size > 0) continue;
      waitsFor.delete(dependant);
      free.push(dependant);
    }
  }
  if (waitsFor.size > 0) throw circleIn(waitsFor, (id) => queries.jobName.get({ id })?.name ?? String(id));
}

/** Every job that is left waits for another one that is left: who follows them comes round. */
function circleIn(waitsFor: ReadonlyMap<number, ReadonlySet<number>>, nameOf: (id: number) => string): Refusal {
  const path: number[] = [];
  const places = new Map<number, number>();
  let at = waitsFor.keys().next().value as number;
  while (!places.has(at)) {
    places.set(at, path.length);
    path.push(at);
    at = (waitsFor.get(at) as ReadonlySet<number>).values().next().value as number;
  }
  const circle = path.slice(places.get(at));
  const named = circle.slice(0, MOST_NAMED).map(nameOf);
  const rest = circle.length > MOST_NAMED ? [`${circle.length - MOST_NAMED} more`] : [];
  const words = [...named, ...rest, nameOf(at)].join(' → ');
  const message = `jobs wait for each other, by files or user data that they read and write: ${words}`;
  return new Refusal('CIRCLE', message, { jobs: circle.slice(0, MOST_NAMED) });
}
