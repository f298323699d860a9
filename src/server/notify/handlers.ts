import { fingerprintOf } from '../../cluster/notify/fingerprint.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { MessageClaim } from '../../core/contract/notify.ts';
import { pauseBefore } from '../../core/notify/retry.ts';
import type { Caller } from '../caller.ts';
import type { Handlers } from '../handlers.ts';
import type { Store } from '../records/store.ts';
import { markDue } from './marks.ts';
import type { Notifier } from './notifier.ts';
import { inDoubt, type MessageRow } from './queries.ts';

/** A command that claimed a message and says nothing was killed, or will not come back. */
const CLAIMED_MS = 120_000;
const MOST_CLAIMED = 20;
/** Read in one go, 30 ms: no thread reads them, as it does not have the receivers. */
const MOST_LISTED = 10_000;

export const notifyHandlers = ({ find, turns, changes, now }: Store, notifier: Notifier) => {
  const { queries, receivers } = notifier;
  const keyOf = ({ user = '' }: Caller, { receiver }: MessageClaim) => `command:${user}:${receiver}`;

  /** Those that are due, and those of a command that was killed: they are sent again where they are recognized. */
  const take = (workflowId: number, receiver: string, knowsRepeats: boolean): MessageRow[] => {
    const nowMs = now();
    const asked = { workflowId, receiver, nowMs, goneMs: nowMs - CLAIMED_MS };
    // First, or they would use up the limit: a command that ends asks once.
    if (!knowsRepeats) queries.endInDoubt.run({ ...asked, problem: inDoubt('command', false) });
    const taken = queries.unsent.all({ ...asked, limit: MOST_CLAIMED });
    for (const { id } of taken) queries.begin.run({ id, nowMs });
    return taken;
  };

  return {
    listMessages({ params: { id }, query: { fingerprint, ...query } }) {
      find.run(id);
      const limit = Math.min(MOST_LISTED, query.limit ?? MOST_LISTED);
      const asked = receivers.filter((each) => fingerprint === undefined || fingerprintOf(each) === fingerprint);
      return { ...queries.list({ ...query, limit, workflow_id: id }), receivers: asked.map(({ name }) => name) };
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
