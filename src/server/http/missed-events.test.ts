import { expect, it } from 'vitest';
import { missedSince, WHOLE_ROW } from './missed-events.ts';

const log = { prunedId: 10, lastId: 20 };

it.each([
  [{ row: 10, entry: WHOLE_ROW }, 'the last row that was removed, of which it has all'],
  [{ row: 11, entry: 0 }, 'the first row that is left'],
  [{ row: 20, entry: WHOLE_ROW }, 'the end of the log'],
])('a client at %j misses nothing: %s', (place) => {
  expect(missedSince(place, log)).toBeUndefined();
});

it('a client of a log that is empty and was never pruned misses nothing', () => {
  expect(missedSince({ row: 0, entry: 0 }, { prunedId: 0, lastId: 0 })).toBeUndefined();
});

it.each([
  [{ row: 9, entry: 0 }, 10, 'were removed'],
  [{ row: 10, entry: 0 }, 10, 'were removed'],
  [{ row: 21, entry: 0 }, 20, 'a different one'],
])('a client at %j continues at %i, and learns that events %s', (place, lostId, words) => {
  const missed = missedSince(place, log);
  expect(missed?.lostId).toBe(lostId);
  expect(missed?.reported).toEqual({
    message: expect.stringContaining(words),
    last_event_id: `${place.row}.${place.entry}`,
  });
});
