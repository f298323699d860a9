import { digestOf, findingsOf, isUnhappyEnd, type Thresholds } from '../../core/notify/digest.ts';
import type { Trigger } from '../../core/contract/notify-triggers.ts';
import { randomBytes } from '../../cluster/random-bytes.ts';
import type { NotifyLook } from './facts.ts';
import type { NotifyQueries } from './queries.ts';

/** Which messages one receiver gets. */
interface Subscriber extends Thresholds {
  /** What stands in the column: `server:NAME`, or `command:USER:NAME`. */
  readonly key: string;
  readonly on: readonly Trigger[];
  readonly endsOnlyBad: boolean;
}

/** Who starts a run again takes less: shorter, and every restart would be a message. */
const STUCK_MS = 60_000;

/**
 * Writes what is due for a receiver, within the current transaction. Each trigger is marked once in a run: what is found together is one
 * message, under the first trigger, and its digest is kept as it is now.
 *
 * That nothing runs a workflow must last: until then it is a row that waits, which is dropped when a runner comes. `isLast`: nothing
 * will come any more.
 */
export function markDue(
  queries: NotifyQueries,
  { key, on, endsOnlyBad, ...thresholds }: Subscriber,
  { facts, isIdle }: NotifyLook,
  isLast: boolean,
): void {
  const workflowId = facts.workflow.id;
  const { runId, nowMs } = facts;
  const rows = queries.ofReceiver.all({ workflowId, runId, receiver: key });
  const waiting = rows.find(({ state }) => state === 'waiting');
  const known = new Set(rows.filter((row) => row !== waiting).map(({ trigger_type: trigger }) => trigger));
  // After the end nothing else is news.
  if (known.has('end')) return;
  const add = (trigger: Trigger, state: 'waiting' | 'due' | 'covered', digest: string | null, nextMs: number) =>
    queries.add.run({ workflowId, runId, trigger, receiver: key, key: newKey(), state, digest, nowMs, nextMs });
  if (!isIdle && waiting !== undefined) queries.drop.run({ id: waiting.id });
  const isOver = isLast || (waiting !== undefined && waiting.next_at_ms <= nowMs);
  if (isIdle && !isOver && waiting === undefined && !known.has('stuck') && on.includes('stuck'))
    add('stuck', 'waiting', null, nowMs + STUCK_MS);
  const whole = { ...facts, waitsSinceMs: isIdle && isOver ? nowMs : undefined };
  const isWanted = (trigger: Trigger) =>
    on.includes(trigger) && !known.has(trigger) && (trigger !== 'end' || !endsOnlyBad || isUnhappyEnd(facts));
  const fresh = findingsOf(whole, thresholds).filter(({ trigger }) => isWanted(trigger));
  const [first, ...others] = fresh;
  if (first === undefined) return;
  add(first.trigger, 'due', JSON.stringify(digestOf(whole, fresh)), nowMs);
  for (const { trigger } of others) add(trigger, 'covered', null, nowMs);
  // What was not sent before the end is old news then: the message of the end has the counts and the failure.
  if (first.trigger === 'end')
    for (const { id, state, trigger_type: trigger } of rows)
      if (state === 'due' && !OUTLIVES.has(trigger)) queries.end.run({ id, state: 'covered', nowMs, problem: null });
}

/** Still worth a message of its own after the end. */
const OUTLIVES: ReadonlySet<string> = new Set(['runner_lost', 'budget']);

const newKey = (): string => randomBytes(16).toString('hex');
