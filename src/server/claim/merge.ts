import type { Need } from '../../core/contract/exchange.ts';
import type { JobKind } from '../../core/lifecycle/obstacles.ts';

/** Jobs that are alike for a claim, as the database keeps them together. */
export interface JobClass extends JobKind {
  readonly id: number;
}

/** A job that is ready, as far as the order of claims goes. */
export interface Waiting {
  readonly id: number;
  readonly priority: number;
}

/** Which of two jobs is claimed first; below zero means the left one. */
export type Order = (left: Waiting, leftNeed: Need, right: Waiting, rightNeed: Need) => number;

/** By priority; among equals the most demanding first, so that it is not left over; then in the order of creation. */
export const byNeed: Order = (left, leftNeed, right, rightNeed) =>
  right.priority - left.priority ||
  rightNeed.num_gpus - leftNeed.num_gpus ||
  rightNeed.runtime_seconds - leftNeed.runtime_seconds ||
  rightNeed.memory_bytes - leftNeed.memory_bytes ||
  rightNeed.num_cpus - leftNeed.num_cpus ||
  left.id - right.id;

/** By priority, then in the order of creation. */
export const byPriority: Order = (left, _leftNeed, right) => right.priority - left.priority || left.id - right.id;

/** Says of each job what becomes of it: taken, or its whole class is of no use any more, or nothing else is wanted. */
type Verdict = 'next' | 'drop-class' | 'stop';

/**
 * Walks the ready jobs of several classes in one order, without reading more of them than are looked at.
 *
 * `fetch` gives the ready jobs of a class from an offset on, by priority and then id. Each class is asked for a few at
 * a time: with one class, for all that can be wanted.
 */
export function walkReady(
  classes: readonly JobClass[],
  order: Order,
  atMost: number,
  fetch: (classId: number, limit: number, offset: number) => Waiting[],
  visit: (id: number, need: Need) => Verdict,
): void {
  const chunk = classes.length === 1 ? atMost : Math.min(atMost, CHUNK);
  const queues = classes
    .map((each) => ({ class: each, rows: fetch(each.id, chunk, 0), next: 0, offset: 0 }))
    .filter(({ rows }) => rows.length > 0);

  while (queues.length > 0) {
    let best = queues[0] as (typeof queues)[number];
    for (const queue of queues) {
      if (queue === best) continue;
      if (
        order(queue.rows[queue.next] as Waiting, queue.class.need, best.rows[best.next] as Waiting, best.class.need) < 0
      )
        best = queue;
    }
    const verdict = visit((best.rows[best.next] as Waiting).id, best.class.need);
    if (verdict === 'stop') return;
    best.next += 1;
    if (verdict === 'next' && best.next === best.rows.length && best.rows.length === chunk) {
      best.offset += chunk;
      best.rows = fetch(best.class.id, chunk, best.offset);
      best.next = 0;
    }
    if (verdict === 'drop-class' || best.next >= best.rows.length) queues.splice(queues.indexOf(best), 1);
  }
}

/** Rows read of a class at a time when there are several: too few means more queries, too many rows read in vain. */
const CHUNK = 16;
