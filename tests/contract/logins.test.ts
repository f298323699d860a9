import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { compareSync, hashSync } from 'bcryptjs';
import { expect, it, onTestFinished } from 'vitest';
import { BASE_PATH } from '../../src/core/contract/base-path.ts';
import { serve } from '../../src/server/serve.ts';
import { temporaryFolder } from '../support/programs.ts';
import { basic } from '../support/service.ts';

/** A server with users, whose hashes are as slow as those of a site. */

const COST = 10;

async function serverOf(...users: string[]) {
  const usersFile = join(temporaryFolder(), 'users');
  writeFileSync(usersFile, users.map((user) => `${user}:${hashSync(`of ${user}`, COST)}\n`).join(''));
  const errors: unknown[] = [];
  const service = await serve({
    database: ':memory:',
    host: '127.0.0.1',
    port: 0,
    access: { usersFile, requireLogin: true, enforce: false, administrators: [], cacheSeconds: 60 },
    onError: (error) => errors.push(error),
    onBroken: (error) => errors.push(error),
  });
  onTestFinished(() => service.close());
  return { port: service.port, errors };
}

interface Answered {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly ms: number;
}

const login = (port: number, user: string, password: string) =>
  new Promise<Answered>((resolve, reject) => {
    const startedAt = performance.now();
    const headers = { Authorization: basic(user, password) };
    request({ host: '127.0.0.1', port, path: `${BASE_PATH}/ping`, headers, agent: false }, (answer) => {
      answer.resume();
      const status = answer.statusCode ?? 0;
      const retryAfter = answer.headers['retry-after'];
      answer.once('end', () => resolve({ status, retryAfter, ms: performance.now() - startedAt }));
    })
      .on('error', reject)
      .end();
  });

/** Sends a login and closes the connection without waiting for the answer. */
const abandon = (port: number, user: string, password: string) =>
  new Promise<void>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      const head = `GET ${BASE_PATH}/ping HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${basic(user, password)}\r\n\r\n`;
      socket.write(head, () => {
        socket.destroy();
        resolve();
      });
    });
    socket.once('error', reject);
  });

it('200 wrong logins for one name, sent and abandoned, do not delay another name', async () => {
  const { port, errors } = await serverOf('alice', 'bob', 'cy');
  // Starts the thread too.
  const alone = await login(port, 'cy', 'of cy');
  await Promise.all(Array.from({ length: 200 }, (_, index) => abandon(port, 'alice', `wrong ${index}`)));
  const bob = await login(port, 'bob', 'of bob');
  expect([alone.status, bob.status]).toEqual([200, 200]);
  // At one comparison each they would be 200 times as long.
  expect(bob.ms).toBeLessThan(20 * alone.ms);
  expect(errors).toEqual([]);
});

it('many wrong logins for one name are refused with the time to wait, and its right password is accepted afterwards', async () => {
  const { port, errors } = await serverOf('alice');
  expect((await login(port, 'alice', 'of alice')).status).toBe(200);
  const wrong = await Promise.all(Array.from({ length: 40 }, (_, index) => login(port, 'alice', `wrong ${index}`)));
  const refused = wrong.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(20);
  expect(refused.every(({ retryAfter }) => Number(retryAfter) >= 1)).toBe(true);
  expect(wrong.every(({ status }) => status === 401 || status === 429)).toBe(true);
  expect((await login(port, 'alice', 'of alice')).status).toBe(200);
  expect(errors).toEqual([]);
});

it('an unknown name is answered as late as a known one', async () => {
  const { port } = await serverOf('alice', 'bob');
  await login(port, 'bob', 'of bob');
  // A login that was tried before is known: it takes no comparison.
  const shortest = async (name: string) => {
    const tried = [];
    for (let round = 0; round < 4; round += 1) tried.push(await login(port, name, `wrong ${round}`));
    expect(tried.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    return Math.min(...tried.map(({ ms }) => ms));
  };
  // On a busy machine an answer takes longer than its comparison, and never less.
  const before = process.threadCpuUsage();
  compareSync('wrong', hashSync('right', COST));
  const { user, system } = process.threadCpuUsage(before);
  const comparisonMs = (user + system) / 2000;
  expect(comparisonMs).toBeGreaterThan(5);
  expect(await shortest('mallory')).toBeGreaterThan(comparisonMs / 3);
  expect(await shortest('alice')).toBeGreaterThan(comparisonMs / 3);
});
