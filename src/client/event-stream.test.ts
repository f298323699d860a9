import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StreamEvent } from '../core/contract/event.ts';
import { followEvents, type PlacedEvent } from './event-stream.ts';

const eventOf = (job: number): StreamEvent => ({
  workflow_id: 1,
  timestamp: 1,
  event_type: 'job_completed',
  severity: 'info',
  data: { job_id: job },
});
const textOf = (job: number) => `id: ${job}\nevent: job_completed\ndata: ${JSON.stringify(eventOf(job))}\n\n`;

/** The result of one attempt to open the stream: its parts until it ends, or an error. */
type Attempt = readonly string[] | Error;

/** Follows a stream whose attempts have these results, one after the other, and ends after the last one. */
async function follow(attempts: readonly Attempt[]) {
  const abort = new AbortController();
  const left = [...attempts];
  const reported = { openedBehind: [] as unknown[], waited: [] as number[], connected: 0, lost: [] as string[] };
  const events: PlacedEvent[] = [];
  for await (const event of followEvents({
    signal: abort.signal,
    async open(lastEventId) {
      reported.openedBehind.push(lastEventId);
      const attempt = left.shift();
      if (attempt instanceof Error) throw attempt;
      return (async function* () {
        yield* attempt ?? [];
        if (left.length === 0) abort.abort();
      })();
    },
    wait: async (ms) => void reported.waited.push(ms),
    onConnected: () => (reported.connected += 1),
    onLost: (error) => reported.lost.push((error as Error).message),
  })) {
    events.push(event);
  }
  return { ...reported, events, jobs: events.map(({ event: { data } }) => (data as { job_id: number }).job_id) };
}

describe('the events of a workflow', () => {
  it('events arrive in order, each with its position in the stream', async () => {
    const { events } = await follow([[textOf(1) + textOf(2)]]);
    expect(events).toEqual([
      { id: '1', event: eventOf(1) },
      { id: '2', event: eventOf(2) },
    ]);
  });

  it('events do not depend on how the network splits the stream', async () => {
    const whole = [1, 2, 3].map(textOf).join('');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(whole.length)), async (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), whole.length];
        const parts = places.slice(1).map((end, index) => whole.slice(places[index], end));
        expect((await follow([parts])).jobs).toEqual([1, 2, 3]);
      }),
    );
  });

  it('keep-alive comments of the server are not reported as events', async () => {
    expect((await follow([[': alive\n\n', textOf(1), ': alive\n\n']])).jobs).toEqual([1]);
  });

  it('after a lost connection events continue after the last one: none is missed, none arrives twice', async () => {
    const { openedBehind, jobs, lost, connected } = await follow([
      [textOf(1), textOf(2), 'id: 3\ndata: {"work'],
      [textOf(3)],
      [textOf(4)],
    ]);
    expect(jobs).toEqual([1, 2, 3, 4]);
    expect(openedBehind).toEqual([undefined, '2', '3']);
    expect(lost).toEqual(['the server ended the event stream', 'the server ended the event stream']);
    expect(connected).toBe(3);
  });

  it('without a connection the pauses between attempts grow, up to ten seconds', async () => {
    const away = Array.from({ length: 9 }, () => new Error('away'));
    const { waited, lost, connected } = await follow([...away, []]);
    expect(waited).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
    expect(lost).toEqual(away.map(() => 'away'));
    expect(connected).toBe(1);
  });

  it('the pause is short again after a successful connection', async () => {
    const away = new Error('away');
    expect((await follow([away, away, [], away, []])).waited).toEqual([100, 200, 100, 200]);
  });

  it('an unreadable event is skipped, and the events before and after it are reported', async () => {
    const { jobs, openedBehind } = await follow([[`${textOf(1)}id: 2\ndata: not JSON\n\n${textOf(3)}`], [textOf(3)]]);
    expect(jobs).toEqual([1, 3]);
    expect(openedBehind).toEqual([undefined, '2']);
  });

  it('the stream ends silently when its consumer stops', async () => {
    const { lost, waited } = await follow([[textOf(1)]]);
    expect([lost, waited]).toEqual([[], []]);
  });
});
