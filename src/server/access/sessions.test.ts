import { describe, expect, it } from 'vitest';
import { createSessions } from './sessions.ts';

const HOUR = 3_600_000;
const ada = { user: 'ada' };

function prepared() {
  const clock = { ms: 0 };
  return { clock, sessions: createSessions(() => clock.ms) };
}

describe('a session of a page', () => {
  it('a session belongs to its user as long as cookie and key come together', () => {
    const { sessions } = prepared();
    const { cookie, key } = sessions.begin(ada);
    const other = sessions.begin({ user: 'bob' });
    expect(sessions.callerOf(cookie, key)).toEqual(ada);
    expect(sessions.callerOf(cookie, other.key)).toBeUndefined();
    expect(sessions.callerOf(other.cookie, key)).toBeUndefined();
    expect(sessions.callerOf(cookie, 'new')).toBeUndefined();
    expect(sessions.callerOf('', key)).toBeUndefined();
  });

  it('a session goes on while it is used, and ends after twelve hours without a request, or a week', () => {
    const { sessions, clock } = prepared();
    const { cookie, key } = sessions.begin(ada);
    for (let hour = 11; hour < 7 * 24; hour += 11) {
      clock.ms = hour * HOUR;
      expect(sessions.callerOf(cookie, key)).toEqual(ada);
    }
    clock.ms = 7 * 24 * HOUR;
    expect(sessions.callerOf(cookie, key)).toBeUndefined();
    const idle = sessions.begin(ada);
    clock.ms += 12 * HOUR;
    expect(sessions.callerOf(idle.cookie, idle.key)).toBeUndefined();
  });

  it('a session ends with a logout, and all of them when users are read again', () => {
    const { sessions } = prepared();
    const [one, other] = [sessions.begin(ada), sessions.begin(ada)];
    sessions.end(one.cookie);
    expect(sessions.callerOf(one.cookie, one.key)).toBeUndefined();
    expect(sessions.callerOf(other.cookie, other.key)).toEqual(ada);
    sessions.endAll();
    expect(sessions.callerOf(other.cookie, other.key)).toBeUndefined();
  });
});

describe('sessions and tokens of many users', () => {
  it('however often one user logs in, only the oldest sessions and tokens of that user end', () => {
    const { sessions } = prepared();
    const bob = sessions.begin({ user: 'bob' });
    const token = sessions.createToken({ user: 'bob' });
    const first = sessions.begin(ada);
    const later = Array.from({ length: 1_001 }, () => [sessions.begin(ada), sessions.createToken(ada)] as const);
    expect(sessions.callerOf(first.cookie, first.key)).toBeUndefined();
    const [{ cookie, key }] = later.at(-1) ?? [first];
    expect(sessions.callerOf(cookie, key)).toEqual(ada);
    expect(sessions.callerOf(bob.cookie, bob.key)).toEqual({ user: 'bob' });
    expect(sessions.redeem(token)).toEqual({ user: 'bob' });
  });

  it('a user may have fifty sessions at a time, and all users together a thousand', () => {
    const { sessions } = prepared();
    const open = Array.from({ length: 1_001 }, (_, at) => sessions.begin({ user: `user ${at % 21}` }));
    expect(open.filter(({ cookie, key }) => sessions.callerOf(cookie, key) !== undefined)).toHaveLength(1_000);
    expect(open.slice(1).every(({ cookie, key }) => sessions.callerOf(cookie, key) !== undefined)).toBe(true);
  });
});

describe('a start token', () => {
  it('a start token is exchanged once, within ten minutes', () => {
    const { sessions, clock } = prepared();
    const token = sessions.createToken(ada);
    const late = sessions.createToken(ada);
    expect(sessions.redeem(token)).toEqual(ada);
    expect(sessions.redeem(token)).toBeUndefined();
    expect(sessions.redeem('guessed')).toBeUndefined();
    clock.ms = 10 * 60_000;
    expect(sessions.redeem(late)).toBeUndefined();
  });
});
