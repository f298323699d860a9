import { describe, expect, it, test } from 'vitest';
import { hashOf, readEntries, withoutUser, withUser } from './entries.ts';

const hash = (letter: string, kind = '2b') => `$${kind}$04$${letter.repeat(53)}`;
const text = `# our people\n\nada:${hash('a')}\n# left in May:\nbob:${hash('b', '2y')}\r\n  eve:${hash('c', '2a')}\n`;

describe('a file of users', () => {
  it('a file of users contains names and bcrypt hashes of any kind, between comments and blank lines', () => {
    const entries = readEntries(text);
    expect([...entries.users.keys()]).toEqual(['ada', 'bob', 'eve']);
    expect(hashOf(entries, 'bob')).toBe(hash('b', '2y'));
    expect([hashOf(entries, 'unknown'), entries.problems]).toEqual([undefined, []]);
  });

  it('a file with an invalid line, another kind of hash, or a duplicate user is refused', () => {
    const { problems } = readEntries(`ada\n:${hash('a')}\nada:$apr1$x$y\nbob:${hash('b')}\nbob:${hash('c')}\n`);
    expect(problems.map(({ line, words }) => `${line}: ${words}`)).toEqual([
      '1: expected "user:hash"',
      '2: expected "user:hash"',
      "3: the hash of 'ada' is not a bcrypt hash ($2a$, $2b$ or $2y$); create one with torc-htpasswd hash",
      "5: user 'bob' appears twice in the file",
    ]);
  });
});

describe('a change of a file of users', () => {
  const lines = (changed: string) => changed.split('\n').slice(0, -1);

  test('a new user is added at the end, and all other lines stay', () => {
    const before = readEntries(text);
    expect(lines(withUser(before, 'new', hash('n')))).toEqual([...before.lines, `new:${hash('n')}`]);
    expect(withUser(readEntries('ada:x'), 'new', hash('n'))).toBe(`ada:x\nnew:${hash('n')}\n`);
    expect(withUser(readEntries(''), 'new', hash('n'))).toBe(`new:${hash('n')}\n`);
  });

  test('the hash of a user is changed in place', () => {
    const before = readEntries(text);
    expect(lines(withUser(before, 'ada', hash('n')))).toEqual(before.lines.with(2, `ada:${hash('n')}`));
  });

  test('removing a user removes its lines and no others', () => {
    const before = readEntries(text);
    expect(lines(withoutUser(before, 'bob'))).toEqual(before.lines.toSpliced(4, 1));
    expect(lines(withoutUser(before, 'bo'))).toEqual(before.lines);
    expect(withoutUser(readEntries(`bob:${hash('a')}\nbob:${hash('b')}\n`), 'bob')).toBe('');
  });
});
