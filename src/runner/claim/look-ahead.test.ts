import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Counts } from './leaving.ts';
import { createLookAhead } from './look-ahead.ts';
import type { Prospect } from './prospect.ts';

const REST_MS = 1_000;
const counts = {} as Counts;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A runner that is idle unless told otherwise, and is given these answers one after the other. */
function looking(answers: Prospect[], { waitMs = 0, isIdle = true } = {}) {
  const said = { asked: 0, told: [] as string[], left: [] as string[] };
  const look = createLookAhead({
    prospect: () => {
      said.asked += 1;
      return Promise.resolve(answers.shift() ?? { kind: 'wait' });
    },
    restMs: REST_MS,
    waitMs,
    isIdle: () => isIdle,
    onTell: (words) => said.told.push(words),
    onLeave: (reason) => said.left.push(reason),
  });
  return { look, said };
}

it('a runner that can take none of the ready jobs leaves, but not if a job came for it meanwhile', async () => {
  const idle = looking([{ kind: 'leave', words: 'none fits' }]);
  await idle.look(counts);
  expect(idle.said.left).toHaveLength(1);
  const busy = looking([{ kind: 'leave', words: 'none fits' }], { isIdle: false });
  await busy.look(counts);
  expect(busy.said).toEqual({ asked: 1, told: [], left: [] });
});

it('the user is told once of the same reason, and again of another one', async () => {
  const tell = (words: string): Prospect => ({ kind: 'tell', words });
  const { look, said } = looking([tell('too large'), tell('too large'), tell('too long')], { waitMs: 60_000 });
  for (let each = 0; each < 3; each += 1) {
    await look(counts);
    vi.advanceTimersByTime(REST_MS);
  }
  expect(said.told).toEqual(['too large; waiting 60 s for other runners', 'too long; waiting 60 s for other runners']);
});

it('the server is asked no more often than the rest allows, however often the counts change', async () => {
  const { look, said } = looking([]);
  await Promise.all([look(counts), look(counts)]);
  await look(counts);
  expect(said.asked).toBe(1);
  vi.advanceTimersByTime(REST_MS);
  await look(counts);
  expect(said.asked).toBe(2);
});
