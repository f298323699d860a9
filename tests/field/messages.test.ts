import { describe, expect, it } from 'vitest';
import { sendMessage } from '../../src/cluster/notify/send.ts';
import { digestOf, digestSubject, findingsOf, type NotifyFacts } from '../../src/core/notify/digest.ts';
import { type MessageReceiver, receiverOf, type ReceiverTable } from '../../src/core/notify/receiver.ts';
import { pauseBefore } from '../../src/core/notify/retry.ts';
import { notifyFacts } from '../support/notify-facts.ts';
import { httpReceiver } from '../support/receivers.ts';

/** What public reports say of the messages of other programs, tried here. Each test names its report. */

const usual = { failPercent: 10, timePercent: 80, silentSeconds: 1800 };
const facts = (over: Partial<NotifyFacts> = {}) => notifyFacts('sweep', over);
const messageOf = (over: Partial<NotifyFacts> = {}) => {
  const known = facts(over);
  return { key: 'k', digest: digestOf(known, findingsOf(known, usual)) };
};
const send = (table: ReceiverTable, over: Partial<NotifyFacts> = {}) =>
  sendMessage(receiverOf('ops', table) as MessageReceiver, messageOf(over), {});

it('https://github.com/hotosm/tasking-manager/issues/6870: 112 failures are one message, and not 112', () => {
  const { digest } = messageOf({ counts: { failed: 112, completed: 1 } });
  expect(digest.findings.map(({ trigger }) => trigger)).toEqual(['end', 'many_failures', 'first_failure', 'begin']);
  expect(digestSubject(digest)).toBe('torc: sweep (workflow 3): it ended: 1 completed, 112 failed');
});

it('https://github.com/nextflow-io/nextflow/issues/3129: a workflow whose runner is gone is a message although it did not end', () => {
  const lost = [{ host: 'n1', jobs: 2, reason: 'the process has ended' }];
  expect(messageOf({ counts: { running: 2 }, lost }).digest.trigger).toBe('runner_lost');
});

describe('addresses that are secrets', () => {
  it.each([
    ['https://github.com/DependencyTrack/dependency-track/issues/1160 (429: the whole URL was logged)', 429],
    ['https://github.com/egg82/fetcharr/issues/45 (400: the URL and the answer were logged)', 400],
  ])('%s', async (_, status) => {
    const { url } = await httpReceiver((response) => void response.writeHead(status).end('T0/B0/s3cret'));
    const outcome = await send({ slack: `${url}/services/T0/B0/s3cret` });
    expect(outcome).toMatchObject({ why: `status ${status}` });
    expect(JSON.stringify(outcome)).not.toContain('s3cret');
  });

  it('https://github.com/pgEdge/ai-dba-workbench/issues/498: a connection that fails does not quote the URL', async () => {
    const outcome = await send({ webhook: 'http://127.0.0.1:1/s3cret' });
    expect(outcome).toEqual({ kind: 'later', why: 'it cannot be reached (ECONNREFUSED)' });
  });
});

it('https://github.com/activepieces/activepieces/issues/3529: a name with emoji arrives at ntfy, and is in no header', async () => {
  const receiver = await httpReceiver();
  expect(await send({ ntfy: `${receiver.url}/t` }, { workflow: { id: 1, name: 'Läufe 🚀', user: 'ada' } })).toEqual({
    kind: 'sent',
  });
  const [got] = await receiver.has(1);
  expect(got?.body['title']).toBe('torc: Läufe 🚀 (workflow 1): it ended: 3 completed');
  expect(JSON.stringify(got?.headers)).not.toContain('torc:');
});

it('https://github.com/hyperdxio/hyperdx/pull/2534: a chat that took a message and whose answer was lost does not get it twice', async () => {
  const { url, got } = await httpReceiver((response) => void response.destroy());
  const outcome = await send({ slack: url });
  expect(outcome.kind).toBe('never');
  expect(pauseBefore(1, 0, outcome)).toBeUndefined();
  expect(got).toHaveLength(1);
  // A webhook knows the key.
  expect((await send({ webhook: url })).kind).toBe('later');
});
