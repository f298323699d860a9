import { Refusal } from '../../core/contract/refusals.ts';
import { cycleText } from '../../core/spec/graph/cycle-text.ts';
import { walk } from '../../core/spec/graph/walk.ts';
import { ListsWriter } from '../../core/spec/int-list.ts';
import type { SubmitQueries } from './queries.ts';

/** Jobs of a circle that are told by their ids; a person needs no more to find it. */
const MOST_TOLD = 10;

/**
 * Refuses a workflow whose jobs wait for each other by what files and user data imply: they would be blocked for ever.
 *
 * Where every job waits only for those that were made before it there is no circle, and nothing more is looked at.
 */
export function refuseCircle(queries: SubmitQueries, workflowId: number): void {
  if (queries.backwardEdge.get({ workflowId }) === undefined) return;
  const numbers = new Map<number, number>();
  const waitsFor: number[][] = [];
  const numberOf = (id: number): number => {
    const known = numbers.get(id);
    if (known !== undefined) return known;
    numbers.set(id, waitsFor.length);
    return waitsFor.push([]) - 1;
  };
  for (const { job_id: id, other_id: other } of queries.edges.iterate({ workflowId }))
    waitsFor[numberOf(id)]?.push(numberOf(other));

  const writer = new ListsWriter(waitsFor.length, waitsFor.length, Infinity);
  for (const others of waitsFor) {
    for (const other of others) writer.add(other);
    writer.next();
  }
  const [cycle] = walk({ jobs: waitsFor.length, waitsFor: writer.done() }).cycles;
  if (cycle === undefined) return;
  const ids = [...numbers.keys()];
  const idOf = (number: number) => ids[number] as number;
  const text = cycleText(cycle, (number) => queries.jobName.get({ id: idOf(number) })?.name ?? '');
  const message = `jobs wait for each other, by files or user data that they read and write: ${text}`;
  throw new Refusal('CIRCLE', message, { jobs: cycle.slice(0, MOST_TOLD).map(idOf) });
}
