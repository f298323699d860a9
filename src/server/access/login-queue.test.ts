import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLoginQueue, type LoginQueue, type LoginOutcome } from './login-queue.ts';

/** Comparisons that the test completes one by one, and a clock that it controls. */
let queue: LoginQueue;
let compared: string[];
let end: (isRight: boolean) => Promise<void>;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000, toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  queue = createLoginQueue(Date.now);
  compared = [];
  end = () => Promise.reject(new Error('nothing is compared'));
});
afterEach(() => void vi.useRealTimers());

const settled = () => new Promise((resolve) => void setImmediate(resolve));

interface Sketch {
  readonly address?: string;
  readonly isTrusted?: boolean;
  readonly isGone?: () => boolean;
}

const ask = (name: string, { address = 'here', isTrusted = false, isGone = () => false }: Sketch = {}) =>
  queue.ask({
    name,
    address,
    isTrusted,
    isGone,
    compare: () => {
      compared.push(address === 'here' ? name : `${name} at ${address}`);
      return new Promise((resolve) => {
        end = async (isRight) => {
          resolve(isRight);
          await settled();
        };
      });
    },
  });
const codeOf = (asked: Promise<LoginOutcome>) =>
  asked.then(
    (outcome) => outcome,
    (error: { code: string; facts: object }) => error.code,
  );
const fail = async (name: string, times: number, sketch?: Sketch) => {
  for (let time = 0; time < times; time += 1) {
    const asked = ask(name, sketch);
    await vi.advanceTimersByTimeAsync(8_000);
    await settled();
    await end(false);
    expect(await asked).toBe('wrong');
  }
};

it('one login is compared at a time, and each gets its outcome', async () => {
  const [first, second] = [ask('ann'), ask('ann')];
  expect(compared).toEqual(['ann']);
  await end(true);
  expect([await first, compared]).toEqual(['right', ['ann', 'ann']]);
  await end(false);
  expect(await second).toBe('wrong');
});

it('names take turns, and for one name the addresses: many logins delay others by one comparison', async () => {
  const all = [
    ...Array.from({ length: 4 }, () => ask('ann')),
    ask('ann', { address: 'there' }),
    ask('bob'),
    ask('bob'),
  ];
  for (const _ of all) await end(true);
  expect(compared).toEqual(['ann', 'ann', 'bob', 'ann at there', 'bob', 'ann', 'ann']);
});

it('a login that succeeded before is compared next', async () => {
  const all = [ask('ann'), ask('bob'), ask('cy', { isTrusted: true })];
  for (const _ of all) await end(true);
  expect(compared).toEqual(['ann', 'cy', 'bob']);
});

it('a login whose connection is closed is not compared, and its place becomes free', async () => {
  let isGone = false;
  const abandoned = Array.from({ length: 9 }, () => ask('ann', { isGone: () => isGone }));
  isGone = true;
  const mine = ask('ann');
  await end(false);
  expect(await Promise.all(abandoned)).toEqual(['wrong', ...Array<string>(8).fill('gone')]);
  await end(true);
  expect([await mine, compared.length]).toEqual(['right', 2]);
});

it('few logins of one name and address may wait, while another address or name still may', async () => {
  const waiting = Array.from({ length: 9 }, () => ask('ann'));
  expect(await codeOf(ask('ann'))).toBe('LOGIN_THROTTLED');
  const others = [ask('ann', { address: 'there' }), ask('bob')];
  for (const _ of [...waiting, ...others]) await end(true);
  expect(await Promise.all(others)).toEqual(['right', 'right']);
});

it('beyond the total, the longest queue loses a login to a name that has none waiting', async () => {
  ask('first').catch(() => {});
  const many = Array.from({ length: 32 }, (_, name) => Array.from({ length: 8 }, () => codeOf(ask(`n${name}`)))).flat();
  const mine = codeOf(ask('bob'));
  for (let turn = 0; turn < 34; turn += 1) await end(true);
  expect(await mine).toBe('right');
  while (compared.length < 257) await end(true);
  await end(true);
  const outcomes = await Promise.all(many);
  expect(outcomes.filter((outcome) => outcome === 'LOGIN_BUSY')).toHaveLength(1);
});

it('after several wrong passwords the next one is delayed, longer each time up to a maximum', async () => {
  await fail('ann', 5);
  const right = ask('ann');
  await settled();
  expect(compared).toHaveLength(5);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(compared).toHaveLength(6);
  await end(true);
  expect(await right).toBe('right');
  // The right password ends the delay.
  const again = ask('ann');
  expect(compared).toHaveLength(7);
  await end(true);
  expect(await again).toBe('right');
});

it('while one name and address is delayed, few of its logins wait, and all others are compared at once', async () => {
  await fail('ann', 20);
  const delayed = [ask('ann'), ask('ann')];
  const refused = ask('ann');
  await expect(refused).rejects.toMatchObject({
    code: 'LOGIN_THROTTLED',
    status: 429,
    facts: { retry_after_seconds: 8 },
  });
  const others = [ask('bob'), ask('ann', { address: 'there' }), ask('ann', { isTrusted: true })];
  for (const _ of others) await end(true);
  expect(await Promise.all(others)).toEqual(['right', 'right', 'right']);
  for (const each of delayed) {
    await vi.advanceTimersByTimeAsync(8_000);
    await settled();
    await end(true);
    expect(await each).toBe('right');
  }
});

it('a failed comparison is reported to its request, and the next one is executed', async () => {
  const broken = queue.ask({
    name: 'ann',
    address: '',
    isTrusted: false,
    isGone: () => false,
    compare: () => Promise.reject(new Error('the thread ended')),
  });
  const next = ask('bob');
  await expect(broken).rejects.toThrow('the thread ended');
  await settled();
  await end(true);
  expect(await next).toBe('right');
});
