import type { Need } from '../../core/contract/exchange.ts';
import { largestFirst } from '../../core/lifecycle/placement/claim-order.ts';
import type { JobKind } from '../../core/lifecycle/placement/obstacles.ts';

/** Jobs that are equivalent for a claim, as the database groups them. */
interface JobClass extends JobKind {
  readonly id: number;
}

/** A class with ready jobs, and the first of them. */
export interface ClaimableClass extends JobClass {
  readonly head: WaitingJob;
}

/** A ready job, with the fields that determine the order of claims. */
export interface WaitingJob {
  readonly id: number;
  readonly priority: number;
}

/** Which of two jobs is claimed first; below zero means the left one. */
export type ClaimOrder = (left: WaitingJob, leftNeed: Need, right: WaitingJob, rightNeed: Need) => number;

/** By priority; among equals the largest requirements first; then in the order of creation. */
export const byNeed: ClaimOrder = (left, leftNeed, right, rightNeed) =>
  right.priority - left.priority || largestFirst(leftNeed, rightNeed) || left.id - right.id;

/** By priority, then in the order of creation. */
export const byPriority: ClaimOrder = (left, _leftNeed, right) => right.priority - left.priority || left.id - right.id;

/** The decision about a job: continue with the next, skip the rest of its class, or stop. */
type MergeStep = 'next' | 'drop-class' | 'stop';

/**
 * Walks the ready jobs of several classes in one order, without reading more of them than are visited.
 *
 * `fetch` returns the ready jobs of a class from an offset on, by priority and then id. Each class comes with its first
 * job, so a class is queried only after that job was visited: a few jobs at a time, or with a single class all jobs
 * that can be needed.
 */
export function walkReady(
  classes: readonly ClaimableClass[],
  order: ClaimOrder,
  atMost: number,
  fetch: (classId: number, limit: number, offset: number) => WaitingJob[],
  visit: (id: number, need: Need) => MergeStep,
): void {
  const chunk = classes.length === 1 ? atMost : Math.min(atMost, CHUNK);
  const before = (left: Queue, right: Queue) =>
    order(left.rows[left.next] as WaitingJob, left.class.need, right.rows[right.next] as WaitingJob, right.class.need);
  // Best first; of thousands of classes only those are moved whose jobs are visited.
  const queues = classes.map((each): Queue => ({ class: each, rows: [each.head], next: 0, read: 1, isRead: false }));
  if (queues.length > 1) queues.sort(before);

  while (queues.length > 0) {
    const best = queues[0] as Queue;
    const step = visit((best.rows[best.next] as WaitingJob).id, best.class.need);
    if (step === 'stop') return;
    best.next += 1;
    if (step === 'next' && best.next === best.rows.length && !best.isRead) {
      best.rows = fetch(best.class.id, chunk, best.read);
      best.read += best.rows.length;
      best.isRead = best.rows.length < chunk;
      best.next = 0;
    }
    if (step === 'drop-class' || best.next >= best.rows.length) queues.shift();
    else if (queues.length > 1) sink(queues, before);
  }
}

/** The ready jobs of a class that were read and not visited yet. */
interface Queue {
  readonly class: ClaimableClass;
  rows: WaitingJob[];
  next: number;
  /** The number of jobs read, including visited ones. */
  read: number;
  /** All were read. */
  isRead: boolean;
}

/** Moves the first queue to its place among the others, which are sorted. */
function sink(queues: Queue[], before: (left: Queue, right: Queue) => number): void {
  const moved = queues[0] as Queue;
  if (before(moved, queues[1] as Queue) <= 0) return;
  let low = 1;
  let high = queues.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (before(queues[middle] as Queue, moved) < 0) low = middle + 1;
    else high = middle;
  }
  queues.copyWithin(0, 1, low);
  queues[low - 1] = moved;
}

/**
 * Rows read of a class at a time if there are several classes: too few means more queries, too many means unused rows.
 */
const CHUNK = 16;
