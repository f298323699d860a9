import { fingerprintOf } from '../../cluster/notify/fingerprint.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { MessageClaim } from '../../core/contract/notify.ts';
import { pauseBefore } from '../../core/notify/retry.ts';
import type { Trigger } from '../../core/contract/notify-triggers.ts';
import type { Caller } from '../caller.ts';
import type { Handlers } from '../handlers.ts';
import type { Store } from '../records/store.ts';
import { markDue } from './marks.ts';
import type { Notifier } from './notifier.ts';
import type { MessageRow } from './queries.ts';

/** A command that claimed a message and says nothing was killed, or will not come back. */
const CLAIMED_MS = 120_000;
const MOST_CLAIMED = 20;

export const notifyHandlers = ({ find, turns, changes, now }: Store, notifier: Notifier) => {
  const { queries, receivers } = notifier;
  const keyOf = ({ user = '' }: Caller, { receiver }: MessageClaim) => `command:${user}:${receiver}`;

  /** Those that are due, and those of a command that was killed where they are recognized. */
  const take = (workflowId: number, key: string, knowsRepeats: boolean): MessageRow[] => {
    const isFree = ({ state, next_at_ms: at }: MessageRow) =>
      (state === 'due' && at <= now()) || (state === 'sending' && knowsRepeats && at + CLAIMED_MS <= now());
    const rows = queries.ofWorkflow
      .all({ workflowId })
      .filter((row) => row.receiver === key && isFree(row))
      .slice(0, MOST_CLAIMED);
    for (const { id } of rows) queries.begin.run({ id, nowMs: now() });
    return rows;
  };

  return {
    listMessages({ params: { id } }) {
      find.run(id);
      const items = queries.ofWorkflow.all({ workflowId: id }).map((row) => ({
        id: row.id,
        run_id: row.run_id,
        trigger: row.trigger_type as Trigger,
        receiver: row.receiver.replace(/^(server|command:.*):/, ''),
        state: row.state,
        attempts: row.attempts,
        due_at: new Date(row.due_at_ms).toISOString(),
        ...(row.ended_at_ms === null ? {} : { ended_at: new Date(row.ended_at_ms).toISOString() }),
        ...(row.problem === null ? {} : { problem: row.problem }),
      }));
      return { items, receivers: receivers.map(({ name }) => name) };
    },
    async claimMessages({ params: { id }, body }, caller) {
      find.run(id);
      const after = changes.lastId;
      const own = receivers.find(({ name }) => name === body.receiver);
      if (own !== undefined && fingerprintOf(own) === body.fingerprint)
        return { sender: 'server', messages: [], after };
      notifier.listen();
      const isLast = body.is_last === true;
      const budget = body.budget_core_hours ?? undefined;
      const found = await notifier.look(id, notifier.ask(), {
        after: body.after ?? after,
        countsHours: budget !== undefined,
        areLost: false,
      });
      const key = keyOf(caller, body);
      const rows = await turns.write(() => {
        const subscriber = {
          key,
          on: body.on,
          endsOnlyBad: body.ends_only_bad,
          failPercent: body.fail_percent,
          timePercent: body.time_percent,
          silentSeconds: body.silent_seconds,
          budgetCoreHours: budget,
        };
        markDue(queries, subscriber, found, isLast);
        return take(id, key, body.knows_repeats);
      });
      const messages = rows.map((row) => ({ id: row.id, key: row.key, digest: JSON.parse(row.digest ?? 'null') }));
      return { sender: 'command', messages, after };
    },
    endMessage({ params: { id: workflowId, message_id: id }, body: { outcome, why } }) {
      const row = queries.get.get({ id });
      if (row?.workflow_id !== workflowId || !row.receiver.startsWith('command:'))
        throw new Refusal('NOT_FOUND', `workflow ${workflowId} has no message ${id} of a command`, { id });
      if (row.state !== 'sending') return { ended: false };
      const problem = why?.slice(0, 200) ?? 'no reason was given';
      const pauseMs = pauseBefore(row.attempts, now() - row.due_at_ms, { kind: outcome, why: problem });
      if (outcome === 'sent') queries.end.run({ id, state: 'sent', nowMs: now(), problem: null });
      else if (pauseMs === undefined) queries.end.run({ id, state: 'failed', nowMs: now(), problem });
      else queries.later.run({ id, nextMs: now() + pauseMs, problem });
      return { ended: true };
    },
    wantMessages({ params: { id }, body: { receiver } }) {
      find.run(id);
      if (!receivers.some(({ name }) => name === receiver)) {
        const names = receivers.map(({ name }) => name).join(', ');
        throw new Refusal(
          'NOT_FOUND',
          `the server has no receiver of messages "${receiver}"; it has ${names === '' ? 'none' : names}`,
          { receiver },
        );
      }
      queries.want.run({ workflowId: id, receiver });
      return { receiver };
    },
  } satisfies Partial<Handlers>;
};
