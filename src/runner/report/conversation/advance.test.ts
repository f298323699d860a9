import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ExchangeReply } from '../../../core/contract/exchange.ts';
import { jobStatuses } from '../../../core/contract/job.ts';
import { advance, nextMoment } from './advance.ts';
import {
  AT_START,
  type ConversationState,
  type ConversationEffect,
  type ConversationEvent,
  type Facts,
  type Rules,
} from './state.ts';

const rules: Rules = {
  patienceMs: 60_000,
  pingMs: 5_000,
  silentMs: 10_000,
  staysWhenComplete: false,
  runId: 1,
};
const idle: Facts = { nowMs: 0, queued: 0, ahead: 0, running: 0, hasRoom: true, slots: 2, hasNews: false };
const noJobs = Object.fromEntries(jobStatuses.map((status) => [status, 0])) as ExchangeReply['jobs_by_status'];
const reply = (over: Partial<ExchangeReply> = {}): ExchangeReply => ({
  jobs: [],
  errors: [],
  jobs_by_status: noJobs,
  is_complete: false,
  is_canceled: false,
  change_id: 5,
  ...over,
});
const away = { kind: 'away', reason: 'gone' } as const;

/** A conversation that is controlled step by step. */
function conversation(facts: Partial<Facts> = {}, given: Partial<Rules> = {}) {
  let state: ConversationState = AT_START;
  const meets = { ...idle, ...facts };
  const take = (event: ConversationEvent, now: Partial<Facts> = {}): readonly ConversationEffect[] => {
    Object.assign(meets, now);
    const step = advance(state, event, meets, { ...rules, ...given });
    state = step.state;
    return step.effects;
  };
  return {
    take,
    answer: (over: Partial<ExchangeReply> = {}, now: Partial<Facts> = {}) =>
      take({ kind: 'answered', number: state.lastTurn, reply: reply(over) }, now),
    fail: (
      now: Partial<Facts> = {},
      failure: { kind: 'away' | 'superseded' | 'behind'; reason: string } = away,
      isRefused = false,
    ) => take({ kind: 'failed', number: state.lastTurn, failure, isRefused }, now),
    consider: (now: Partial<Facts> = {}) => take({ kind: 'consider' }, now),
    get state() {
      return state;
    },
    get moment() {
      return nextMoment(state);
    },
  };
}
const sent = (number: number, turn: string, reportsHeld = false) => ({ kind: 'send', number, turn, reportsHeld });

describe('exchanges', () => {
  it('an exchange begins at once when a slot is free, one at a time, with rising numbers', () => {
    const { consider, answer, take } = conversation();
    expect(consider()).toEqual([sent(1, 'usual')]);
    expect(consider({ hasNews: true })).toEqual([]);
    expect(answer()).toMatchObject([{ kind: 'accept', turn: 'usual' }]);
    expect(take({ kind: 'jobs-ended', isQuiet: false })).toEqual([sent(2, 'usual')]);
  });

  it('no exchange takes place when nothing happened and nothing can have happened', () => {
    const { consider, answer, moment } = conversation();
    consider();
    answer();
    expect(consider()).toEqual([]);
    expect(moment).toBe(Infinity);
  });

  it('entries are collected while all slots are busy', () => {
    const talk = conversation({ hasRoom: false, queued: 10, running: 2, hasNews: true });
    expect(talk.consider()).toEqual([]);
    expect(talk.moment).toBe(50);
    expect(talk.take({ kind: 'time' }, { nowMs: 50 })).toEqual([sent(1, 'usual')]);
  });

  it('only a change that is newer than the last reply causes an exchange', () => {
    const talk = conversation();
    talk.consider();
    talk.answer({ change_id: 7 });
    expect(talk.take({ kind: 'work-may-be-ready', changeId: 7 })).toEqual([]);
    expect(talk.take({ kind: 'work-may-be-ready', changeId: 8 })).toEqual([sent(2, 'usual')]);
  });

  it('another exchange follows a reply that is older than an event received meanwhile', () => {
    const talk = conversation();
    talk.consider();
    expect(talk.take({ kind: 'work-may-be-ready', changeId: 9 })).toEqual([]);
    talk.answer({ change_id: 7 });
    expect(talk.consider()).toEqual([sent(2, 'usual')]);
  });

  it('a slot that is free before the end of its job is reported gets a job where more were ready, and asks for none where none was', () => {
    for (const [ready, effects] of [
      [3, [sent(2, 'usual')]],
      [0, []],
    ] as const) {
      const talk = conversation();
      talk.consider();
      talk.answer({ jobs_by_status: { ...noJobs, ready } }, { running: 2, hasRoom: false });
      expect(talk.take({ kind: 'slots-freed' }, { running: 1, hasRoom: true })).toEqual(effects);
    }
  });
});

describe('an exchange whose reply is lost', () => {
  it('after a lost reply, an empty exchange checks the server, and the next one repeats the entries and lists the held jobs', () => {
    const talk = conversation();
    talk.consider();
    expect(talk.fail()).toEqual([{ kind: 'put-back' }, { kind: 'server-away', reason: 'gone' }]);
    expect(talk.moment).toBe(50);
    expect(talk.take({ kind: 'time' }, { nowMs: 50 })).toEqual([sent(2, 'probe')]);
    expect(talk.answer()).toMatchObject([
      { kind: 'server-back', awayMs: 50 },
      { kind: 'accept', turn: 'probe' },
    ]);
    expect(talk.consider()).toEqual([sent(3, 'usual', true)]);
    talk.answer();
    expect(talk.take({ kind: 'jobs-ended', isQuiet: false })).toEqual([sent(4, 'usual')]);
  });

  it('a lost reply that arrives later has no effect, because the next exchange is in flight', () => {
    const talk = conversation();
    talk.consider();
    talk.fail();
    talk.take({ kind: 'time' }, { nowMs: 50 });
    expect(talk.take({ kind: 'answered', number: 1, reply: reply({ is_complete: true }) })).toEqual([]);
    expect(talk.state.underWay?.number).toBe(2);
  });

  it('the runner still waits for the reply of a slow server, which counts as away meanwhile', () => {
    const talk = conversation();
    talk.consider();
    expect(talk.moment).toBe(10_000);
    expect(talk.take({ kind: 'time' }, { nowMs: 10_000 })).toEqual([
      { kind: 'server-away', reason: 'no reply for 10 s' },
    ]);
    talk.take({ kind: 'time' }, { nowMs: 20_000 });
    expect(talk.state.lastTurn).toBe(1);
    expect(talk.answer({}, { nowMs: 21_000 })).toMatchObject([
      { kind: 'server-back' },
      { kind: 'accept', turn: 'usual' },
    ]);
  });
});

describe('a runner that holds no jobs', () => {
  it('a runner without jobs reports this while jobs are pending anywhere, because some may be pending in its name', () => {
    const talk = conversation();
    talk.consider();
    talk.answer({ jobs_by_status: { ...noJobs, pending: 1 } });
    expect(talk.take({ kind: 'must-ask' })).toEqual([sent(2, 'usual', true)]);
  });

  it('a runner does not report held jobs when no job is pending, or when it holds some', () => {
    const talk = conversation();
    talk.consider();
    talk.answer();
    expect(talk.take({ kind: 'must-ask' })).toEqual([sent(2, 'usual')]);
    talk.answer({ jobs_by_status: { ...noJobs, pending: 1 } });
    expect(talk.take({ kind: 'must-ask' }, { running: 1 })).toEqual([sent(3, 'usual')]);
  });
});

describe('the end of a conversation', () => {
  it.each([
    ['complete', { is_complete: true }],
    ['canceled', { is_canceled: true, is_complete: true }],
    ['superseded', { is_deregistered: true }],
  ])('a conversation ends as %s by the reply of the server', (kind, over) => {
    const talk = conversation();
    talk.consider();
    expect(talk.answer(over).at(-1)).toMatchObject({ kind: 'over', over: { kind } });
    expect([talk.take({ kind: 'jobs-ended', isQuiet: false }), talk.moment]).toEqual([[], Infinity]);
  });

  it('a complete workflow does not end the conversation if it may get jobs later', () => {
    const talk = conversation({}, { staysWhenComplete: true });
    talk.consider();
    expect(talk.answer({ is_complete: true })).toMatchObject([{ kind: 'accept' }]);
  });

  it('a conversation ends when the server says that this runner no longer takes part in the workflow', () => {
    const talk = conversation();
    talk.consider();
    expect(talk.fail({}, { kind: 'superseded', reason: 'run 2' })).toEqual([
      { kind: 'put-back' },
      { kind: 'over', over: { kind: 'superseded', reason: 'run 2' } },
    ]);
  });

  it('a conversation ends when the server is offline and no job runs, and not before', () => {
    const busy = conversation({ running: 1 }, { patienceMs: 0 });
    busy.consider();
    expect(busy.fail().map(({ kind }) => kind)).toEqual(['put-back', 'server-away', 'offline']);
    expect(busy.moment).toBe(5_000);
    const free = conversation({}, { patienceMs: 0 });
    free.consider();
    expect(free.fail().at(-1)).toEqual({ kind: 'over', over: { kind: 'unreachable', reason: 'gone' } });
  });
});

describe('a reply from an older database', () => {
  it('a reply from an older database is ignored: the runner takes no job from it and ends after its jobs', () => {
    const talk = conversation({ running: 1 });
    talk.consider();
    talk.answer({ change_id: 9 });
    talk.take({ kind: 'jobs-ended', isQuiet: false });
    const effects = talk.answer({ change_id: 4 });
    expect(effects.map(({ kind }) => kind)).toEqual(['put-back', 'offline']);
    expect(talk.take({ kind: 'time' }, { nowMs: 5_000 })).toEqual([sent(3, 'probe')]);
  });
});

describe('the remaining entries', () => {
  it('the remaining entries are sent in one last exchange, after the one in flight', () => {
    const talk = conversation({ hasNews: true });
    talk.consider();
    expect(talk.take({ kind: 'finish' })).toEqual([]);
    expect(talk.answer()).toMatchObject([{ kind: 'accept', turn: 'usual' }]);
    expect(talk.consider()).toEqual([sent(2, 'last', true)]);
    expect(talk.answer()).toMatchObject([{ kind: 'accept', turn: 'last' }]);
    expect(talk.consider({ hasNews: false })).toEqual([{ kind: 'finished', isReported: true }]);
  });

  it('no last exchange is sent when there are no entries and no reply was lost', () => {
    expect(conversation().take({ kind: 'finish' })).toEqual([{ kind: 'finished', isReported: true }]);
  });

  it("a last exchange without entries is sent after a lost reply, because jobs may be pending in the runner's name", () => {
    const talk = conversation({ running: 1 });
    talk.consider();
    talk.fail();
    expect(talk.take({ kind: 'finish' }, { running: 0 })).toEqual([sent(2, 'last', true)]);
  });

  it('the last exchange waits at most 4 s for the one in flight', () => {
    const talk = conversation();
    talk.consider();
    talk.take({ kind: 'finish' });
    expect(talk.moment).toBe(4_000);
    expect(talk.take({ kind: 'time' }, { nowMs: 4_000 })).toEqual([{ kind: 'put-back' }, sent(2, 'last', true)]);
  });

  it('the last exchange is repeated with growing pauses for 8 s, and then left to the ledger', () => {
    const talk = conversation({ hasNews: true });
    talk.take({ kind: 'finish' });
    const pauses: number[] = [];
    for (let nowMs = 0; talk.state.phase !== 'finished'; nowMs = talk.moment) {
      talk.take({ kind: 'time' }, { nowMs });
      talk.fail({ nowMs });
      pauses.push(talk.moment - nowMs);
    }
    expect(pauses.slice(0, 4)).toEqual([50, 100, 200, 400]);
    expect(talk.state.phase).toBe('finished');
  });

  it('the last exchange is not sent to a server that refuses it, or that is offline', () => {
    const refused = conversation({ hasNews: true });
    refused.take({ kind: 'finish' });
    expect(refused.fail({}, away, true)).toEqual([{ kind: 'put-back' }, { kind: 'finished', isReported: false }]);
    const offline = conversation({ running: 1 }, { patienceMs: 0 });
    offline.consider();
    offline.fail();
    expect(offline.take({ kind: 'finish' }, { running: 0 })).toEqual([{ kind: 'finished', isReported: false }]);
  });
});

it('for any order of events, at most one exchange is in flight, and numbers only rise', () => {
  const facts = fc.record({
    ahead: fc.nat(3),
    queued: fc.nat(3),
    running: fc.nat(3),
    hasRoom: fc.boolean(),
    slots: fc.integer({ min: 1, max: 3 }),
    hasNews: fc.boolean(),
  });
  const event = fc.oneof(
    fc.constantFrom<ConversationEvent>(
      { kind: 'consider' },
      { kind: 'slots-freed' },
      { kind: 'jobs-ended', isQuiet: false },
      { kind: 'time' },
      { kind: 'connection-lost' },
      { kind: 'connected' },
      { kind: 'finish' },
      { kind: 'must-ask' },
    ),
    fc.nat(12).map((changeId): ConversationEvent => ({ kind: 'work-may-be-ready', changeId })),
    fc
      .record({ number: fc.nat(12), change: fc.nat(12), end: fc.nat(12) })
      .map(({ number, change, end }): ConversationEvent => ({
        kind: 'answered',
        number,
        reply: reply({ change_id: change, is_complete: end === 0, is_canceled: end === 1 }),
      })),
    fc.nat(12).map((number): ConversationEvent => ({ kind: 'failed', number, failure: away, isRefused: false })),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(event, facts, fc.nat(4_000)), { maxLength: 60 }), (steps) => {
      let state = AT_START;
      let nowMs = 0;
      let last = 0;
      let isWaiting = false;
      for (const [next, meets, ms] of steps) {
        nowMs += ms;
        const before = state;
        const step = advance(state, next, { ...meets, nowMs }, rules);
        state = step.state;
        if (before.underWay !== undefined && state.underWay?.number !== before.underWay.number) isWaiting = false;
        for (const effect of step.effects) {
          if (effect.kind !== 'send') continue;
          expect(effect.number).toBe(last + 1);
          expect(isWaiting).toBe(false);
          last = effect.number;
          isWaiting = true;
        }
        expect(state.underWay === undefined || state.underWay.number === last).toBe(true);
        if (before.phase === 'finished') expect(step.effects).toEqual([]);
      }
    }),
    { numRuns: 500 },
  );
});
