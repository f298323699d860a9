import { describe, expect, it } from 'vitest';
import type { Request } from './client.ts';
import type { Response } from './errors.ts';
import { Unreachable } from './errors.ts';
import { patiently } from './retry.ts';

const request = { method: 'GET', path: '/ping', body: undefined };
const fine: Response = { status: 200, text: '{}' };

function attempts(outcomes: readonly (Response | Error)[], patienceMs: number) {
  const clock = { now: 0 };
  const waited: number[] = [];
  const away: string[] = [];
  let calls = 0;
  const send = patiently(
    async () => {
      const outcome = outcomes[Math.min(calls, outcomes.length - 1)] as Response | Error;
      calls += 1;
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
    {
      patienceMs,
      now: () => clock.now,
      wait: async (ms) => {
        waited.push(ms);
        clock.now += ms;
      },
      onAway: (reason) => away.push(reason),
    },
  );
  return { send, waited, away, calls: () => calls };
}

/** The requests of a client whose first attempt of each request gets no reply. */
async function sentTwice(requests: readonly Request[]): Promise<Request[]> {
  const sent: Request[] = [];
  const send = patiently(
    async (each) => {
      sent.push(each);
      if (sent.length % 2 === 1) throw new Unreachable('gone');
      return fine;
    },
    { patienceMs: 60_000, now: () => 0, wait: async () => {} },
  );
  for (const each of requests) await send(each);
  return sent;
}

describe('the idempotency key of a retrying client', () => {
  const post = { method: 'POST', path: '/workflows', body: '{}' };

  it('all attempts of a request have the same idempotency key, and the next request has another one', async () => {
    const [first, second, third, fourth] = (await sentTwice([post, post])).map(({ key }) => key);
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect([second, fourth]).toEqual([first, third]);
    expect(third).not.toBe(first);
  });

  it('a request whose repetition changes nothing has no idempotency key', async () => {
    expect((await sentTwice([request])).map(({ key }) => key)).toEqual([undefined, undefined]);
  });
});

describe('a retrying client', () => {
  it('a client repeats a request without a reply after growing pauses', async () => {
    const gone = new Unreachable('gone');
    const { send, waited, away } = attempts([gone, gone, gone, fine], 60_000);
    expect(await send(request)).toEqual(fine);
    expect(waited).toEqual([50, 100, 200]);
    expect(away).toEqual(['gone']);
  });

  it('a client repeats a request when the server fails, and returns the last reply in the end', async () => {
    const ill = { status: 503, text: 'no' };
    const { send, calls } = attempts([ill], 100);
    expect(await send(request)).toEqual(ill);
    expect(calls()).toBe(3);
  });

  it('a client pauses at most five seconds, and reports once that the server is away', async () => {
    const gone = new Unreachable('gone');
    const { send, waited, away } = attempts([...Array.from({ length: 10 }, () => gone), fine], 60_000);
    await send(request);
    expect(waited).toEqual([50, 100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000]);
    expect(away).toEqual(['gone']);
  });

  it('a client reports a second outage again, and the status of a failing server', async () => {
    const { send, away } = attempts([new Unreachable('gone'), fine, { status: 502, text: '' }, fine], 60_000);
    await send(request);
    await send(request);
    expect(away).toEqual(['gone', 'the server answers 502']);
  });

  it('a client reports nothing while the server answers', async () => {
    const { send, waited, away } = attempts([fine], 60_000);
    await send(request);
    expect([waited, away]).toEqual([[], []]);
  });

  it('a client gives up after its retry time, with the last reason', async () => {
    const { send } = attempts([new Unreachable('gone')], 1_000);
    await expect(send(request)).rejects.toThrow('gone');
  });

  it('a client does not repeat a refused request', async () => {
    const { send, calls } = attempts([{ status: 422, text: 'no' }], 60_000);
    expect((await send(request)).status).toBe(422);
    expect(calls()).toBe(1);
  });

  it('a client does not repeat a request to a server whose database is damaged, and repeats it to one that is busy', async () => {
    const replies = ['DATABASE_DAMAGED', 'BODIES_WAIT'].map((code) => ({
      status: 503,
      text: JSON.stringify({ error: { message: 'no', code } }),
    }));
    const calls = replies.map(async (reply) => {
      const { send, calls } = attempts([reply, fine], 60_000);
      await send(request);
      return calls();
    });
    expect(await Promise.all(calls)).toEqual([1, 2]);
  });

  it('a client does not treat a bug as an outage', async () => {
    const { send, calls } = attempts([new TypeError('bug')], 60_000);
    await expect(send(request)).rejects.toThrow('bug');
    expect(calls()).toBe(1);
  });
});
