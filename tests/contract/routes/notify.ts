import { expect } from 'vitest';
import type { Cases } from './case.ts';
import { inUnknownWorkflow } from './usual.ts';
import type { World } from './world.ts';

const claim = {
  receiver: 'mine',
  fingerprint: 'x',
  on: ['end', 'first_failure'] as const,
  ends_only_bad: false,
  knows_repeats: true,
  fail_percent: 10,
  time_percent: 80,
  silent_seconds: 1800,
};
const claimed = ({ client }: World) =>
  client.claimMessages({ params: { id: 1 }, body: { ...claim, on: [...claim.on] } });

const envelope = (count: number) => ({ offset: 0, max_limit: 100_000, count, total_count: count, has_more: false });

export const notifyCases: Cases = {
  listMessages: {
    answers: [
      { says: 'answers that there are none', params: { id: 1 }, reply: { ...envelope(0), items: [], receivers: [] } },
      {
        says: 'answers with what was sent, and to whom',
        async before(world) {
          await world.finish(1);
          await claimed(world);
        },
        params: { id: 1 },
        reply: {
          ...envelope(1),
          items: [
            expect.objectContaining({
              id: 1,
              trigger: 'first_failure',
              receiver: 'mine',
              state: 'sending',
              attempts: 1,
            }),
          ],
          receivers: [],
        },
      },
    ],
    refuses: [inUnknownWorkflow],
  },
  claimMessages: {
    answers: [
      {
        says: 'answers without a message where nothing is worth one',
        params: { id: 1 },
        body: claim,
        reply: { sender: 'command', messages: [], after: expect.any(Number) },
      },
      {
        says: 'answers with the message that is due',
        before: (world) => world.finish(1),
        params: { id: 1 },
        body: claim,
        reply: {
          sender: 'command',
          messages: [
            {
              id: 1,
              key: expect.any(String),
              digest: expect.objectContaining({ trigger: 'first_failure', version: 1 }),
            },
          ],
          after: expect.any(Number),
        },
      },
    ],
    refuses: [
      { ...inUnknownWorkflow, body: claim },
      {
        says: 'refuses a trigger that is none',
        params: { id: 1 },
        body: { ...claim, on: ['always'] },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'on',
      },
    ],
  },
  endMessage: {
    answers: [
      {
        says: 'answers that it has ended, once',
        async before(world) {
          await world.finish(1);
          await claimed(world);
        },
        params: { id: 1, message_id: 1 },
        body: { outcome: 'sent' },
        reply: { ended: true },
        after: async ({ client }) =>
          expect(
            await client.endMessage({ params: { id: 1, message_id: 1 }, body: { outcome: 'later', why: 'x' } }),
          ).toEqual({ ended: false }),
      },
    ],
    refuses: [
      {
        says: 'refuses a message that is not there',
        params: { id: 1, message_id: 77 },
        body: { outcome: 'sent' },
        status: 404,
        code: 'NOT_FOUND',
        message: 'workflow 1 has no message 77 of a command',
      },
    ],
  },
  wantMessages: {
    // A server with receivers answers: src/server/notify/notifier.test.ts.
    answers: [],
    refuses: [
      {
        says: 'refuses a receiver that the server does not have',
        params: { id: 1 },
        body: { receiver: 'ops' },
        status: 404,
        code: 'NOT_FOUND',
        message: 'the server has no receiver of messages "ops"; it has none',
      },
    ],
  },
};
