import { expect, it } from 'vitest';
import { readUsers } from './htpasswd.ts';

const HASH = `$2b$04$${'a'.repeat(53)}`;

it('users are read with their hashes, without blanks around them, for each of bcrypt’s three prefixes', () => {
  const text = `# who may log in\r\n  ann : ${HASH} \n\n  bob:${HASH.replace('$2b', '$2y')}\ncy:${HASH.replace('$2b', '$2a')}\n`;
  expect([...readUsers(text, 'users').keys()]).toEqual(['ann', 'bob', 'cy']);
});

it.each([
  ['a line without a colon', 'ann', 'users:1: expected "user:hash"'],
  ['a line without a user', `:${HASH}`, 'users:1: expected "user:hash"'],
  ['a user of blanks', ` :${HASH}`, 'users:1: expected "user:hash"'],
  ['a hash of another kind', '\nann:$apr1$x$y', "users:2: the hash of 'ann' is not a bcrypt hash"],
  ['a hash that was cut', `ann:${HASH.slice(0, -1)}`, "users:1: the hash of 'ann' is not a bcrypt hash"],
  ['a user twice', `ann:${HASH}\nann:${HASH}`, "users:2: user 'ann' appears twice in the file"],
  ['no user', '# none yet\n', 'users: it contains no user'],
])('a file with %s is refused with its line', (_, text, words) => {
  expect(() => readUsers(text, 'users')).toThrow(words);
});
