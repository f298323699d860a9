import { expect, it, test } from 'vitest';
import { pathOfDatabase } from './path-of-database.ts';

test.each([
  ['sqlite:torc.db?mode=rwc', 'torc.db'],
  ['sqlite://torc.db', 'torc.db'],
  ['sqlite:///var/lib/torc.db', '/var/lib/torc.db'],
  ['sqlite::memory:', ':memory:'],
  ['file:torc.db?vfs=unix-none', 'torc.db'],
  ['file:///var/lib/torc.db', '/var/lib/torc.db'],
])('the connection string %s is the path %s', (text, path) => expect(pathOfDatabase(text)).toBe(path));

it('a path stays as it is, whatever is in it', () => {
  for (const path of ['torc.db', ':memory:', './a?b.db', '/x/sqlite:y.db']) expect(pathOfDatabase(path)).toBe(path);
});
