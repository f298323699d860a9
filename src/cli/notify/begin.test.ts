import { expect, it } from 'vitest';
import { testService } from '../../../tests/support/service.ts';
import type { Client } from '../../client/client.ts';
import { Unreachable } from '../../client/errors.ts';
import { receiverOf, type MessageReceiver } from '../../core/notify/receiver.ts';
import { createNotifier } from '../../server/notify/notifier.ts';
import type { Context } from '../command/context.ts';
import { sayWhoGetsNone } from './begin.ts';

const webhook = (port: number) => ({ webhook: `http://127.0.0.1:${port}/s3cret` });

/** What is said where the server has the receivers `ops` and `other`, on the ports 1 and 2. */
async function said(own: Record<string, { webhook: string }>, through = (client: Client) => client) {
  const { store } = testService();
  const receivers = [receiverOf('ops', webhook(1)), receiverOf('other', webhook(2))] as MessageReceiver[];
  const notifier = createNotifier(store, {
    receivers,
    send: () => Promise.resolve({ kind: 'sent' }),
    onNotice: () => {},
    onError: () => {},
  });
  const { client } = testService({ store, notifier });
  const { id } = (await client.createWorkflow({ body: { name: 'w', user: 'u' } })) as { id: number };
  const warnings: string[] = [];
  const context = {
    configuration: { notify: own },
    output: { warn: (text: string) => void warnings.push(text) },
    hint: (text: string) => text,
  } as unknown as Context;
  await sayWhoGetsNone(context, through(client), id);
  return warnings.join('\n');
}

it('a receiver that the server has by name and address is not warned of', async () => {
  expect(await said({ ops: webhook(1) })).toBe('');
});

it('a receiver is warned of where the server has another one of its name, or its address under another name', async () => {
  expect(await said({ ops: webhook(3), other: webhook(2) })).toMatch(/^the server does not send to ops, as it has no/);
  expect(await said({ ops: webhook(2), other: webhook(1) })).toContain('does not send to ops, other,');
  expect(await said({ mine: webhook(1) })).toContain('does not send to mine,');
});

it('nothing is said about receivers where the server does not answer', async () => {
  const lost = (client: Client): Client => ({
    ...client,
    listMessages: () => Promise.reject(new Unreachable('connection lost')),
  });
  expect(await said({ mine: webhook(1) }, lost)).toBe('');
});
