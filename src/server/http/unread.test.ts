import { expect, it } from 'vitest';
import { createUnread } from './unread.ts';

const UNREAD = 'nothing was read for 20 s';

it('a client that leaves data unread is known by the time since it read, one that reads or has nothing to read is not', () => {
  const unread = createUnread(10_000, 20_000);
  expect(unread({ read: 5, waiting: 3 })).toBeUndefined();
  expect(unread({ read: 5, waiting: 3 })).toBeUndefined();
  expect(unread({ read: 5, waiting: 9 })).toBe(UNREAD);
  expect(unread({ read: 6, waiting: 9 })).toBeUndefined();
  expect(unread({ read: 6, waiting: 0 })).toBeUndefined();
  expect(unread({ read: 6, waiting: 1 })).toBeUndefined();
});

it('a client that has read nothing from the beginning is not reading', () => {
  const unread = createUnread(10_000, 20_000);
  expect([unread({ read: 0, waiting: 3 }), unread({ read: 0, waiting: 3 })]).toEqual([undefined, UNREAD]);
});
