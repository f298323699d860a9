import { expect, it } from 'vitest';
import { createUnread } from './unread.ts';

it('a client that leaves data unread is known by the time since it read, one that reads or has nothing to read is not', () => {
  const unread = createUnread(10);
  expect(unread({ read: 5, waiting: 3 })).toBe(0);
  expect(unread({ read: 5, waiting: 3 })).toBe(10);
  expect(unread({ read: 5, waiting: 9 })).toBe(20);
  expect(unread({ read: 6, waiting: 9 })).toBe(0);
  expect(unread({ read: 6, waiting: 0 })).toBe(0);
  expect(unread({ read: 6, waiting: 1 })).toBe(10);
});

it('a client that has read nothing from the beginning is not reading', () => {
  const unread = createUnread(10);
  expect([unread({ read: 0, waiting: 3 }), unread({ read: 0, waiting: 3 })]).toEqual([10, 20]);
});
