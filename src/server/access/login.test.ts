import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { assert, property, string } from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { basic } from '../../../tests/support/service.ts';
import { credentialLogin, type LoginCheck, usersLogin, readUsers } from './login.ts';

let folder: string;
let file: string;
let now = 0;
const opened: LoginCheck[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'torc-login-'));
  file = join(folder, 'users');
  writeUsers({ ann: 'secret' });
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((login) => login.close()));
  rmSync(folder, { recursive: true });
});

const writeUsers = (users: Record<string, string>) =>
  writeFileSync(
    file,
    Object.entries(users)
      .map(([user, password]) => `${user}:${hashSync(password, 4)}\n`)
      .join(''),
  );

function open({ requireLogin = false, cacheSeconds = 60 } = {}): LoginCheck {
  const login = usersLogin(file, { requireLogin, cacheSeconds }, () => now);
  opened.push(login);
  return login;
}

it('a credential is accepted as a token and as a password, and no other text is: none of its length, no part of it, none that begins with it', () => {
  const credential = 'Zm9vYmFyYmF6-_0';
  const { callerOf } = credentialLogin(credential);
  const isAccepted = (text: string) =>
    [callerOf(`Bearer ${text}`), callerOf(basic('any', text))].map((caller) => caller !== undefined);
  expect(isAccepted(credential)).toEqual([true, true]);
  expect([callerOf(undefined), callerOf(''), callerOf('Bearer ')]).toEqual([undefined, undefined, undefined]);
  const others = string({ maxLength: 3 }).filter((text) => text !== '' && !/[\r\n\u2028\u2029]/.test(text));
  assert(
    property(others, (text) => {
      for (const each of [text, credential + text, text + credential, credential.slice(0, -text.length) + text])
        expect(isAccepted(each)).toEqual(each === credential ? [true, true] : [false, false]);
      expect(isAccepted(credential.slice(text.length))).toEqual([false, false]);
    }),
  );
});

it('a hash whose comparison would keep all logins waiting is compared with none, and others are', async () => {
  const costly = hashSync('secret', 4).replace('$04$', '$24$');
  writeFileSync(file, `ann:${hashSync('secret', 4)}\nbob:${costly}\n`);
  const { callerOf } = open({ requireLogin: true });
  expect(await callerOf(basic('bob', 'secret'))).toBeUndefined();
  expect(await callerOf(basic('ann', 'secret'))).toEqual({ user: 'ann' });
});

it('a file in which every hash is too costly refuses every login at once', async () => {
  writeFileSync(file, `bob:${hashSync('secret', 4).replace('$04$', '$31$')}\n`);
  const { callerOf } = open({ requireLogin: true });
  expect(await Promise.all(['bob', 'unknown'].map(async (user) => callerOf(basic(user, 'secret'))))).toEqual([
    undefined,
    undefined,
  ]);
});

describe('a server with a file of users', () => {
  it.each([
    ['a good login', basic('ann', 'secret'), { user: 'ann' }, { user: 'ann' }],
    ['no login', undefined, { user: undefined }, undefined],
    ['a wrong password', basic('ann', 'other'), { user: undefined, refused: 'ann' }, undefined],
    ['an unknown user', basic('bob', 'secret'), { user: undefined, refused: 'bob' }, undefined],
    ['a password with a colon', basic('ann', 'secret:'), { user: undefined, refused: 'ann' }, undefined],
    ['something else', 'Bearer secret', { user: undefined }, undefined],
    ['a login without a password', `Basic ${btoa('ann')}`, { user: undefined }, undefined],
  ])('the server handles %s correctly, also when a login is required', async (_, header, free, required) => {
    expect(await open().callerOf(header)).toEqual(free);
    expect(await open({ requireLogin: true }).callerOf(header)).toEqual(required);
  });

  it('a login is compared once and its result is cached for the configured time', async () => {
    const login = open({ cacheSeconds: 10 });
    const first = login.callerOf(basic('ann', 'secret'));
    expect(first).toBeInstanceOf(Promise);
    await first;
    expect(login.callerOf(basic('ann', 'secret'))).toEqual({ user: 'ann' });
    await login.callerOf(basic('ann', 'wrong'));
    expect(login.callerOf(basic('ann', 'wrong'))).toEqual({ user: undefined, refused: 'ann' });
    now += 10_000;
    expect(login.callerOf(basic('ann', 'secret'))).toBeInstanceOf(Promise);
  });

  it('a login is compared every time without a cache', async () => {
    const login = open({ cacheSeconds: 0 });
    await login.callerOf(basic('ann', 'secret'));
    expect(login.callerOf(basic('ann', 'secret'))).toBeInstanceOf(Promise);
  });

  it('after a reload new users and new passwords are accepted, and the old ones are not', async () => {
    const login = open();
    expect(await login.callerOf(basic('ann', 'secret'))).toEqual({ user: 'ann' });
    writeUsers({ ann: 'changed', bob: 'new' });
    expect(await login.callerOf(basic('bob', 'new'))).toMatchObject({ user: undefined });
    expect(login.reload()).toBe(2);
    expect(await login.callerOf(basic('ann', 'secret'))).toMatchObject({ user: undefined });
    expect(await login.callerOf(basic('ann', 'changed'))).toEqual({ user: 'ann' });
    expect(await login.callerOf(basic('bob', 'new'))).toEqual({ user: 'bob' });
  });

  it('the server keeps its users when the file cannot be read any more', async () => {
    const login = open();
    writeFileSync(file, 'nonsense');
    expect(() => login.reload()).toThrow('expected "user:hash"; the previous users stay');
    rmSync(file);
    expect(() => login.reload()).toThrow('ENOENT');
    expect(await login.callerOf(basic('ann', 'secret'))).toEqual({ user: 'ann' });
  });

  it('the server does not start with an invalid file', () => {
    writeFileSync(file, '');
    expect(() => open()).toThrow('it contains no user');
  });
});

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
