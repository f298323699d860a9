import { expect, it } from 'vitest';
import { createFullDisk } from './full-disk.ts';

const STOPS = '2026-01-01T00:00:00Z ERROR The database cannot be written error="database or disk is full"';
const NO_ADDRESS =
  '2026-01-01T00:00:01Z WARN Other commands cannot attach error="ENOSPC: no space left on device, write"';

function fullDisk() {
  const said: string[] = [];
  let nowMs = 0;
  const disk = createFullDisk('./torc.db', { warn: (text) => void said.push(text) }, () => nowMs);
  return { ...disk, said, later: (ms: number) => (nowMs += ms) };
}

it('all starts of a server on a full disk are one line, with the place and how long the runner waits', () => {
  const { heard, isKnown, said, later } = fullDisk();
  for (const line of [STOPS, NO_ADDRESS, STOPS]) {
    expect(heard(line)).toBe(true);
    later(1_000);
  }
  expect(isKnown()).toBe(true);
  expect(said).toEqual([expect.stringMatching(/^the disk of \.\/torc\.db is full: .* waits for it for 20 minutes/)]);
});

it('a disk that stays full is said again after a minute', () => {
  const { heard, isKnown, said, later } = fullDisk();
  heard(STOPS);
  later(60_000);
  expect(isKnown()).toBe(false);
  heard(STOPS);
  expect(said).toHaveLength(2);
});

it('another line of a server is no full disk, and is left to be printed', () => {
  const { heard, isKnown, said } = fullDisk();
  expect(heard('2026-01-01T00:00:00Z ERROR The database cannot be written error="disk I/O error"')).toBe(false);
  expect([isKnown(), said]).toEqual([false, []]);
});
