import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ReportedCounts } from './leaving.ts';
import { createLookAhead } from './look-ahead.ts';
import type { Prospect } from './prospect.ts';

const NONE = { ready: 0, pending: 0, running: 0, blocked: 0, uninitialized: 0, pending_failed: 0 };
/** Jobs are ready that the runner was not handed, and none runs. */
const alone = { ...NONE, ready: 2 } as ReportedCounts;
/** Other runners have all that is left. */
const elsewhere = { ...NONE, running: 5 } as ReportedCounts;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface Change {
  readonly waitMs?: number;
  readonly isIdle?: boolean;
  readonly noWorkMs?: number | undefined;
}

/** A runner that is idle unless a test says otherwise, and is given these answers one after the other. */
function looking(answers: Prospect[], { waitMs = 0, isIdle = true, noWorkMs }: Change = {}) {
  const startedAt = performance.now();
  const said = { asked: [] as boolean[], reported: [] as string[], left: [] as string[] };
  const lookAhead = createLookAhead({
    prospect: (_, isLong) => {
      said.asked.push(isLong);
      return Promise.resolve(answers.shift() ?? { kind: 'wait' });
    },
    noWorkMs,
    idleForMs: () => performance.now() - startedAt,
    waitMs,
    isIdle: () => isIdle,
    onReport: (words) => said.reported.push(words),
    onLeave: ({ reason }) => said.left.push(reason),
  });
  return { lookAhead, said };
}
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('a runner that was handed none of the ready jobs', () => {
  it('a runner that can take none of the ready jobs leaves, but not if a job came for it meanwhile', async () => {
    const idle = looking([{ kind: 'leave', reason: 'none fits', isProven: false }]);
    idle.lookAhead.consider(alone);
    await pass(0);
    expect(idle.said.left).toEqual(['none fits']);
    const busy = looking([{ kind: 'leave', reason: 'none fits', isProven: false }], { isIdle: false });
    busy.lookAhead.consider(alone);
    await pass(0);
    expect(busy.said).toEqual({ asked: [false], reported: [], left: [] });
  });

  it('the same reason is logged once, and another one again', async () => {
    const report = (words: string): Prospect => ({ kind: 'report', words });
    const answers = [report('too large'), report('too large'), report('too long')];
    const { lookAhead, said } = looking(answers, { waitMs: 60_000 });
    for (let each = 0; each < 3; each += 1) {
      lookAhead.consider(alone);
      await pass(1_000);
    }
    expect(said.reported).toEqual([
      'too large; waiting 60 s for other runners',
      'too long; waiting 60 s for other runners',
    ]);
  });

  it('the server is asked once a second at most about ready jobs, however often the counts change', async () => {
    const { lookAhead, said } = looking([]);
    for (let ms = 0; ms < 1_900; ms += 100) {
      lookAhead.consider({ ...alone, ready: 2 + ms });
      await pass(100);
    }
    expect(said.asked).toHaveLength(2);
  });
});

describe('a runner without work in an allocation', () => {
  const leave: Prospect = { kind: 'leave', reason: 'nothing is left', isProven: true };

  it('a runner without work in an allocation asks after ten seconds whether any is left or to come, and leaves if not', async () => {
    const { lookAhead, said } = looking([leave], { noWorkMs: 10_000 });
    lookAhead.consider(elsewhere);
    await pass(9_999);
    expect(said).toEqual({ asked: [], reported: [], left: [] });
    await pass(1);
    expect(said).toEqual({ asked: [true], reported: [], left: ['nothing is left'] });
  });

  it('a runner without work does not ask where it waits for its idle time', async () => {
    const { lookAhead, said } = looking([leave]);
    lookAhead.consider(elsewhere);
    await pass(60_000);
    expect(said.asked).toEqual([]);
  });

  it('a runner for which work may come asks again when the counts have changed, once in ten seconds', async () => {
    const { lookAhead, said } = looking([{ kind: 'wait' }, { kind: 'wait' }, leave], { noWorkMs: 10_000 });
    const poll = async (counts: ReportedCounts, times: number) => {
      for (let each = 0; each < times; each += 1) {
        lookAhead.consider(counts);
        await pass(5_000);
      }
    };
    await poll(elsewhere, 10);
    expect(said.asked).toHaveLength(1);
    await poll({ ...elsewhere, running: 4 }, 4);
    expect(said.asked).toHaveLength(2);
    lookAhead.consider({ ...elsewhere, running: 3 });
    lookAhead.consider({ ...elsewhere, running: 2 });
    await pass(9_999);
    expect(said.left).toEqual(['nothing is left']);
  });

  it('a runner does not ask any more when it got a job, or when it was closed', async () => {
    const { lookAhead, said } = looking([leave], { noWorkMs: 10_000 });
    lookAhead.consider(elsewhere);
    lookAhead.cancel();
    await pass(60_000);
    expect([said.asked, vi.getTimerCount()]).toEqual([[], 0]);
  });
});
