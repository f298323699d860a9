import { describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../../../tests/support/programs.ts';
import {
  databaseInMemory,
  ended,
  registerNode,
  started,
  testService,
  workflowOf,
} from '../../../tests/support/service.ts';
import { type MessageReceiver, receiverOf, type ReceiverTable } from '../../core/notify/receiver.ts';
import type { SendOutcome } from '../../core/notify/retry.ts';
import type { Message } from '../../cluster/notify/request.ts';
import { createStore, type Store } from '../records/store.ts';
import { createNotifier } from './notifier.ts';
import { endInDoubtSql, unsentSql } from './queries.ts';

const receiver = (name: string, table: ReceiverTable = {}): MessageReceiver =>
  receiverOf(name, { webhook: 'http://127.0.0.1:1/s3cret', ...table }) as MessageReceiver;

const soon = <T>(look: () => T | Promise<T>, holds: (seen: T) => boolean) => until(look, holds, 'messages');

interface Sent extends Message {
  readonly to: string;
}

/** A service with a notifier, whose messages go into a list. */
async function service({
  receivers = [receiver('ops')],
  store = freshStore(),
  outcome = () => Promise.resolve({ kind: 'sent' } as SendOutcome),
}: {
  receivers?: MessageReceiver[];
  store?: ReturnType<typeof freshStore>;
  outcome?: (message: Sent) => Promise<SendOutcome>;
} = {}) {
  const sent: Sent[] = [];
  const notices: unknown[] = [];
  const notifier = createNotifier(store.store, {
    receivers,
    send(to, message) {
      const each = { ...message, to: to.name };
      sent.push(each);
      return outcome(each);
    },
    onNotice: (words, facts) => notices.push([words, facts]),
    onError: (error) => notices.push(error),
    tickMs: 50,
  });
  const made = testService({ store: store.store, notifier });
  await notifier.start();
  onTestFinished(() => notifier.close(0, false));
  return {
    ...made,
    notifier,
    sent,
    notices,
    base: store,
    has: (count: number) =>
      soon(
        () => sent.length,
        (seen) => seen >= count,
      ),
  };
}

function freshStore() {
  const clock = { now: Date.parse('2026-03-01T12:00:00Z') };
  const store: Store = createStore(databaseInMemory(), {
    now: () => clock.now,
    onBroken: (error) => {
      throw error;
    },
  });
  return { store, clock };
}

type Service = Awaited<ReturnType<typeof service>>;

/** A workflow of so many jobs; a runner has started the first of them, or all. */
async function running(to: Service, jobs: number, limit = jobs) {
  const { id, jobIds, nodeId } = await workflowOf(
    to,
    Array.from({ length: jobs }, (_, at) => ({ name: `j${at}` })),
  );
  const want = { limit, prefetch: 0 };
  const reply = await to.client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: nodeId, want } });
  expect(reply.jobs).toHaveLength(limit);
  const report = (body: object) =>
    to.client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: nodeId, ...body } });
  await report({ started: reply.jobs.map(started) });
  const end = (codes: readonly number[], from = 0) =>
    report({ completed: codes.map((code, at) => ended(reply.jobs[from + at] as never, code)) });
  const leave = () => to.client.updateComputeNode({ params: { id: nodeId }, body: { is_active: false } as never });
  return { id, nodeId, jobIds, end, leave, report };
}

const triggersOf = (sent: readonly Sent[]) => sent.map(({ digest }) => digest.findings.map(({ trigger }) => trigger));

describe('messages of a server', () => {
  it('the end of a workflow is one message, with the first failure in it, and no other follows', async () => {
    const made = await service();
    const { id, end } = await running(made, 3);
    await end([0, 3, 0]);
    await made.has(1);
    expect(triggersOf(made.sent)).toEqual([['end', 'first_failure']]);
    expect(made.sent[0]?.digest).toMatchObject({
      workflow: { id, name: 'test', user: 'tester' },
      jobs: { completed: 2, failed: 1 },
      first_failure: { job_name: 'j1', sentence: 'the command itself ended with 3' },
    });
    await made.notifier.close(1_000, false);
    expect(made.sent).toHaveLength(1);
    const { items, receivers } = await made.client.listMessages({ params: { id }, query: {} });
    expect(receivers).toEqual(['ops']);
    expect(items.map(({ trigger, state }) => `${trigger} ${state}`)).toEqual(['end sent', 'first_failure covered']);
  });

  it('a first failure is a message at once, and the second one is none', async () => {
    const made = await service();
    const { end } = await running(made, 30);
    await end([7]);
    await made.has(1);
    await end([7], 1);
    await end(Array(28).fill(0) as number[], 2);
    await made.has(2);
    expect(triggersOf(made.sent)).toEqual([['first_failure'], ['end']]);
  });

  it('a failure that could not be sent before the end is not sent after it', async () => {
    const made = await service({
      outcome: () => Promise.resolve(made.sent.length === 1 ? { kind: 'later', why: 'status 500' } : { kind: 'sent' }),
    });
    const { end } = await running(made, 30);
    await end([7]);
    await soon(
      () => made.notices.length,
      (notices) => notices === 1,
    );
    await end(Array(29).fill(0) as number[], 1);
    await made.has(2);
    made.base.clock.now += 60_000;
    await made.notifier.close(1_000, false);
    expect(triggersOf(made.sent)).toEqual([['first_failure'], ['end']]);
  });

  it('a receiver hears of what it asked for: a good end is none with FAIL alone', async () => {
    const made = await service({
      receivers: [
        receiver('fails', { on: ['FAIL'] }),
        receiver('others', { users: ['ada'] }),
        receiver('named', { always: false }),
        receiver('ops'),
      ],
    });
    await (await running(made, 1)).end([0]);
    await made.has(1);
    const second = await running(made, 1);
    await made.client.wantMessages({ params: { id: second.id }, body: { receiver: 'named' } });
    await second.end([1]);
    await made.has(4);
    expect(made.sent.map(({ to }) => to).toSorted()).toEqual(['fails', 'named', 'ops', 'ops']);
    await expect(made.client.wantMessages({ params: { id: second.id }, body: { receiver: 'other' } })).rejects.toThrow(
      'the server has no receiver of messages "other"; it has fails, others, named, ops',
    );
  });

  it('a runner that is proven lost is a message with the reason', async () => {
    const made = await service();
    const { id, nodeId } = await running(made, 2);
    await made.client.reportLostRunner({
      params: { id, compute_node_id: nodeId },
      body: { run_id: 1, reason: 'Slurm: NODE_FAIL' },
    });
    await made.has(1);
    expect(made.sent[0]?.digest.findings).toEqual([
      { trigger: 'runner_lost', sentence: 'its runner on test-host is lost, which had 2 jobs: Slurm: NODE_FAIL' },
    ]);
  });

  it('jobs that wait without a runner for a minute are a message, and none if a runner comes in time', async () => {
    const made = await service({ receivers: [receiver('ops', { on: ['stuck', 'begin'] })] });
    const { clock } = made.base;
    const stuck = await running(made, 2, 1);
    await made.has(1);
    await stuck.end([0]);
    await stuck.leave();
    await soon(
      () => waiting(made, stuck.id),
      (is) => is,
    );
    await registerNode(made, stuck.id);
    await soon(
      () => waiting(made, stuck.id),
      (is) => !is,
    );
    expect(triggersOf(made.sent)).toEqual([['begin']]);

    const other = await running(made, 2, 1);
    await made.has(2);
    await other.end([0]);
    await other.leave();
    await soon(
      () => waiting(made, other.id),
      (is) => is,
    );
    clock.now += 61_000;
    // Any change makes the server look; in life a timer does.
    await made.client.createWorkflow({ body: { name: 'another', user: 'u' } });
    await made.has(3);
    expect(made.sent[2]?.digest.findings).toEqual([{ trigger: 'stuck', sentence: '1 job waits, and nothing runs it' }]);
  });

  it('a runner that says nothing, one near its end, and a budget are found without any change', async () => {
    const made = await service({
      receivers: [
        receiver('silent', { on: ['silent'], silent_minutes: 20 }),
        receiver('time', { on: ['TIME_LIMIT_90'] }),
        receiver('budget', { on: ['budget'], budget_core_hours: 0.0001 }),
      ],
    });
    const { clock } = made.base;
    const { id, end, report } = await running(made, 3);
    // Runners of Torc have no such record: when they spoke is not known.
    made.base.store.db.run(`update compute_node set process = '{"boot_id":"b"}' where workflow_id = ${id}`);
    const foreign = await running(made, 1);
    await end([0]);
    await made.has(1);
    expect(made.sent.map(({ to }) => to)).toEqual(['budget']);
    clock.now += 19 * 60_000;
    await report({});
    clock.now += 20 * 60_000 - 1;
    const { items } = await made.client.listComputeNodes({ query: { workflow_id: id } });
    const [node] = items as [(typeof items)[0]];
    clock.now += 1;
    await made.has(2);
    expect(made.sent[1]?.digest.findings).toEqual([
      {
        trigger: 'silent',
        sentence: 'no word since 12:19 UTC from its runner on test-host; whether it is lost is not known',
      },
    ]);
    await registerNode(made, id);
    // Its time began two hours ago, and ends in ten minutes.
    const at = (ms: number) => new Date(clock.now + ms).toISOString();
    await made.client.createComputeNode({
      body: {
        ...node,
        id: undefined,
        process: undefined,
        hostname: 'n2',
        start_time: at(-7_200_000),
        end_time: at(600_000),
      },
    });
    await made.has(3);
    expect(made.sent[2]?.digest.findings).toEqual([
      { trigger: 'time', sentence: 'its runner on n2 ends in 10m 00s: 2 running' },
    ]);
    await made.notifier.close(1_000, false);
    expect(made.sent.map(({ digest }) => digest.workflow.id)).not.toContain(foreign.id);
    expect(made.sent).toHaveLength(3);
  });

  it('two hundred workflows that end together are few messages, and each is in one', async () => {
    const gate = Promise.withResolvers<SendOutcome>();
    const made = await service({
      outcome: () => (made.sent.length === 1 ? gate.promise : Promise.resolve({ kind: 'sent' })),
    });
    const count = 200;
    for (let at = 0; at < count; at += 1) await (await running(made, 1)).end([at % 2]);
    await soon(
      () => open(made),
      (left) => left === count,
    );
    gate.resolve({ kind: 'sent' });
    await soon(
      () => open(made),
      (left) => left === 0,
    );
    expect(made.sent.length).toBeLessThan(10);
    const sum = made.sent.reduce((sum, { digest }) => sum + digest.jobs.completed + digest.jobs.failed, 0);
    expect(sum).toBe(count);
  });
});

const waiting = async ({ client }: Service, id: number) =>
  (await client.listMessages({ params: { id }, query: {} })).items.some(({ state }) => state === 'waiting');

/** Messages that are not sent yet. */
const open = ({ base: { store } }: Service): number =>
  store.db
    .prepare<Record<string, never>, { count: number }>(
      "select count(*) as count from message where state in ('due', 'sending')",
    )
    .get({})?.count ?? 0;

describe('a server that is started again', () => {
  it('nothing is sent twice, and what was not sent is', async () => {
    const store = freshStore();
    const first = await service({ store, outcome: () => Promise.resolve({ kind: 'later', why: 'status 500' }) });
    await (await running(first, 1)).end([0]);
    await first.has(1);
    await soon(
      () => first.notices.length,
      (notices) => notices === 1,
    );
    await first.notifier.close(0, false);
    expect(first.notices).toEqual([
      ['A message could not be sent yet', { receiver: 'ops', workflow_id: 1, reason: 'status 500' }],
    ]);
    store.clock.now += 6_000;
    const second = await service({ store });
    await second.has(1);
    expect(second.sent[0]?.key).toBe(first.sent[0]?.key);
    await second.notifier.close(1_000, false);
    const third = await service({ store });
    await third.notifier.close(1_000, false);
    expect([second.sent.length, third.sent.length]).toEqual([1, 0]);
  });

  it('what happened while no server ran is found in the log of changes, and not what happened while none was to send', async () => {
    const store = freshStore();
    const first = await service({ store });
    await first.notifier.close(0, false);
    // A server that is killed has not looked at this.
    const deaf = testService({ store: store.store });
    await (await running(deaf as never, 1)).end([0]);
    const second = await service({ store });
    await second.has(1);
    await second.notifier.close(0, false);

    const without = await service({ store, receivers: [] });
    await (await running(without, 1)).end([0]);
    const third = await service({ store });
    await third.notifier.close(1_000, false);
    expect(third.sent).toEqual([]);
  });

  it('a message that was on its way is sent again under its key where it is recognized, and given up elsewhere', async () => {
    const store = freshStore();
    const hang = () => new Promise<SendOutcome>(() => {});
    const receivers = [receiver('hook'), receiver('chat', { webhook: undefined, slack: 'https://example.org/x' })];
    const killed = await service({ store, receivers, outcome: hang });
    await (await running(killed, 1)).end([0]);
    await killed.has(2);
    const again = await service({ store, receivers });
    await again.has(1);
    await again.notifier.close(1_000, false);
    expect(again.sent.map(({ to }) => to)).toEqual(['hook']);
    expect(again.sent[0]?.key).toBe(killed.sent.find(({ to }) => to === 'hook')?.key);
    expect(again.notices).toEqual([
      ['It is not known whether a message arrived, and it is not sent again', { receiver: 'chat', workflow_id: 1 }],
    ]);
  });
});

describe('the last look of a server whose command has ended', () => {
  it('its runners are lost, and jobs that wait have nothing to run them', async () => {
    const made = await service();
    await running(made, 2);
    await made.notifier.close(2_000, true);
    expect(made.sent.map(({ digest }) => digest.findings)).toEqual([
      [
        { trigger: 'stuck', sentence: '2 jobs wait, and nothing runs them' },
        {
          trigger: 'runner_lost',
          sentence: 'its runner on test-host is lost, which had 2 jobs: the command that it is part of has ended',
        },
      ],
    ]);
  });

  it('a receiver that hangs does not keep it, and gets the message at the next start', async () => {
    const store = freshStore();
    const made = await service({ store, outcome: () => Promise.resolve({ kind: 'later', why: 'no answer in time' }) });
    await running(made, 1);
    await made.notifier.close(500, true);
    store.clock.now += 6_000;
    const next = await service({ store });
    await next.has(1);
    expect(next.sent[0]?.digest.findings[0]?.trigger).toBe('stuck');
  });
});

describe('messages of a command', () => {
  const claim = (over: object = {}) => ({
    receiver: 'mine',
    fingerprint: 'x',
    on: ['end' as const, 'first_failure' as const],
    ends_only_bad: false,
    knows_repeats: false,
    fail_percent: 10,
    time_percent: 80,
    silent_seconds: 1800,
    ...over,
  });

  it('one command gets a message, the next one none, and a failed one is due again', async () => {
    const made = await service({ receivers: [] });
    const { id, end } = await running(made, 1);
    const ask = () => made.client.claimMessages({ params: { id }, body: claim() });
    expect((await ask()).messages).toEqual([]);
    await end([1]);
    const { sender, messages } = await ask();
    expect([sender, messages.map(({ digest }) => (digest as { trigger: string }).trigger)]).toEqual([
      'command',
      ['end'],
    ]);
    expect((await ask()).messages).toEqual([]);
    const params = { id, message_id: messages[0]?.id as number };
    expect(await made.client.endMessage({ params, body: { outcome: 'later', why: 'exit code 1' } })).toEqual({
      ended: true,
    });
    expect((await ask()).messages).toEqual([]);
    made.base.clock.now += 6_000;
    expect((await ask()).messages.map(({ key }) => key)).toEqual(messages.map(({ key }) => key));
    expect(await made.client.endMessage({ params, body: { outcome: 'sent' } })).toEqual({ ended: true });
    expect(await made.client.endMessage({ params, body: { outcome: 'sent' } })).toEqual({ ended: false });
  });

  it('a claim reads the messages that are not sent, and not the thousands that were', async () => {
    const made = await service({ receivers: [] });
    const { id, end } = await running(made, 1);
    const { db } = made.base.store;
    db.prepare(`
      with recursive n (at) as (select 1 union all select at + 1 from n where at < 20000)
      insert into message (workflow_id, run_id, trigger_type, receiver, key, state, due_at_ms, next_at_ms)
      select ${id}, -at, 'end', 'command::mine', 'key ' || at, iif(at % 2, 'sent', 'failed'), 0, 0 from n`).run({});
    await end([1]);
    const { messages } = await made.client.claimMessages({ params: { id }, body: claim() });
    expect(messages).toHaveLength(1);
    expect(db.plan(unsentSql)).toEqual(['SEARCH message USING INDEX message_unsent (workflow_id=? AND receiver=?)']);
    const { items, has_more: hasMore } = await made.client.listMessages({ params: { id }, query: {} });
    expect([items.length, hasMore]).toEqual([10_000, true]);
  });

  it('a message of a command that was killed is sent again where it is recognized, and is listed as failed elsewhere', async () => {
    const made = await service({ receivers: [] });
    const { id, end } = await running(made, 1);
    await end([1]);
    const ask = (receiver: string, knows: boolean) =>
      made.client.claimMessages({ params: { id }, body: claim({ receiver, knows_repeats: knows }) });
    const [hook, chat] = [await ask('hook', true), await ask('chat', false)];
    expect([hook.messages.length, chat.messages.length]).toEqual([1, 1]);
    made.base.clock.now += 121_000;
    expect((await ask('hook', true)).messages).toEqual(hook.messages);
    expect((await ask('chat', false)).messages).toEqual([]);
    const { items } = await made.client.listMessages({ params: { id }, query: {} });
    expect(items.filter(({ trigger }) => trigger === 'end')).toMatchObject([
      { receiver: 'hook', state: 'sending', attempts: 2 },
      {
        receiver: 'chat',
        state: 'failed',
        problem: 'the command ended while it sent it, and it would not be recognized',
      },
    ]);
  });

  it('the last call of a command gets what is due, behind more messages in doubt than a call gets', async () => {
    const made = await service({ receivers: [] });
    const { id, end } = await running(made, 1);
    const { db } = made.base.store;
    db.prepare(`
      with recursive n (at) as (select 1 union all select at + 1 from n where at < 50)
      insert into message (workflow_id, run_id, trigger_type, receiver, key, state, due_at_ms, next_at_ms)
      select ${id}, -at, 'end', 'command::mine', 'key ' || at, 'sending', 0, 0 from n`).run({});
    await end([1]);
    const { messages } = await made.client.claimMessages({ params: { id }, body: claim({ is_last: true }) });
    expect(messages.map(({ digest }) => (digest as { trigger: string }).trigger)).toEqual(['end']);
    const { items } = await made.client.listMessages({ params: { id }, query: {} });
    expect(items.filter(({ state }) => state === 'failed')).toHaveLength(50);
    expect(db.plan(endInDoubtSql)).toEqual([
      'SEARCH message USING INDEX message_unsent (workflow_id=? AND receiver=? AND next_at_ms<?)',
    ]);
  });

  it('a receiver that the server has is left to it, and one of the same name and another address is not', async () => {
    const { fingerprintOf } = await import('../../cluster/notify/fingerprint.ts');
    const own = receiver('ops');
    const made = await service({ receivers: [own] });
    const { id } = await running(made, 1);
    const ask = (fingerprint: string) =>
      made.client.claimMessages({ params: { id }, body: claim({ receiver: 'ops', fingerprint }) });
    expect(await ask(fingerprintOf(own))).toMatchObject({ sender: 'server' });
    expect(await ask(fingerprintOf(receiver('ops', { webhook: 'http://127.0.0.1:2/' })))).toMatchObject({
      sender: 'command',
    });
  });
});

it('a server without receivers writes no row about messages', async () => {
  const made = await service({ receivers: [] });
  await (await running(made, 2)).end([0, 1]);
  await made.notifier.close(1_000, true);
  const rows = (table: string) => made.base.store.db.prepare(`select * from ${table}`).all({});
  expect([rows('message'), rows('message_cursor')]).toEqual([[], []]);
});

it('no table has an address', async () => {
  const made = await service({ outcome: () => Promise.resolve({ kind: 'never', why: 'status 404' }) });
  await (await running(made, 1)).end([1]);
  await made.has(1);
  await soon(
    () => open(made),
    (left) => left === 0,
  );
  expect(Buffer.from(made.base.store.db.image()).includes('s3cret')).toBe(false);
});
