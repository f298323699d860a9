import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Fate } from '../../cluster/batch/batch-system.ts';
import type { ClaimedJob } from '../../core/contract/exchange.ts';
import type { StepAccount } from '../step/steps.ts';
import type { Attempt } from './attempt.ts';
import { andThen } from '../facts/and-then.ts';
import { createGather, type KnownEnd } from './evidence.ts';
import type { EndedFor } from '../../core/attempt/evidence.ts';
import { exitCodesOf, judge } from '../../core/attempt/judge.ts';
import type { Signaled } from '../../core/attempt/shared-signal.ts';
import type { CurrentRun } from '../ledger/current-run.ts';

const START = 1_000_000;
beforeEach(() => void vi.useFakeTimers({ now: START }));
afterEach(() => void vi.useRealTimers());

const unasked = { exitCode: 0, signal: undefined, cpuSeconds: undefined, peakBytes: undefined };
const unhandled = { isHandled: false, isCertain: true };

/** A runner in an allocation: what Slurm would say of it, and when it gets its signal to stop. */
function runnerIn({
  fate,
  hasSteps = false,
  successWaitMs = 0,
}: { readonly fate?: Fate; readonly hasSteps?: boolean; readonly successWaitMs?: number } = {}) {
  let signaled: Signaled | undefined;
  let signaledAtMs: number | undefined;
  const finished: { readonly endedFor: EndedFor | undefined; readonly account: StepAccount; readonly atMs: number }[] =
    [];
  const gather = createGather({
    run: { execution: {} } as CurrentRun,
    allocation: {
      areShared: true,
      hasSteps,
      successWaitMs,
      signaledAtMs: () => signaledAtMs,
      fate: fate === undefined ? undefined : async () => fate,
    },
    signaled: () => signaled,
  });
  const known = (found: KnownEnd | 'kept') => {
    if (found === 'kept') kept = true;
    else finished.push({ endedFor: found.endedFor, account: found.account, atMs: Date.now() - START });
  };
  let kept = false;
  return {
    isKept: () => kept,
    end(account: Partial<StepAccount>, endedFor?: EndedFor) {
      const attempt: Attempt = {
        job: { id: 1 } as ClaimedJob,
        step: { id: 'wf1_j1_r1_a1', about: {} },
        startedAtMs: START,
        startedAt: 0,
        isBegun: true,
        endedFor,
        wasKilled: false,
      };
      const stepEnd = { id: attempt.step.id, ...unasked };
      void andThen(gather({ attempt, stepEnd, atMs: Date.now(), seconds: 1 }, { ...unasked, ...account }), known);
    },
    message: () => void (signaledAtMs = Date.now()),
    stop: () => void (signaled ??= { endedFor: 'stop', atMs: Date.now() }),
    pass: (ms: number) => vi.advanceTimersByTimeAsync(ms),
    /** The status of its result, and when it was known; undefined before. */
    get result() {
      const [only] = finished;
      if (only === undefined) return undefined;
      return [judge({ ...only.account, endedFor: only.endedFor }, exitCodesOf(undefined)).status, only.atMs] as const;
    },
  };
}

describe('exit code 0 near a signal of the allocation', () => {
  it('a job that nothing asked to end is completed at once', () => {
    const runner = runnerIn();
    runner.end({});
    expect(runner.result).toEqual(['completed', 0]);
  });

  it('where Slurm kills processes one by one, a success waits until this process would have been killed too', async () => {
    const runner = runnerIn({ successWaitMs: 200 });
    runner.end({});
    await runner.pass(199);
    expect(runner.result).toBeUndefined();
    await runner.pass(2);
    expect(runner.result?.[0]).toBe('completed');
  });

  it.each([
    [50, 'failed'],
    [-50, 'completed'],
    [300, 'completed'],
  ] as const)(
    'where Slurm signals one by one, a success with a message %i ms after it is %s',
    async (afterMs, status) => {
      const runner = runnerIn({ successWaitMs: 200 });
      if (afterMs < 0) {
        runner.message();
        await runner.pass(-afterMs);
      }
      runner.end({});
      if (afterMs > 0) {
        await runner.pass(afterMs);
        runner.message();
      }
      await runner.pass(300);
      expect(runner.result?.[0]).toBe(status);
    },
  );

  it('where Slurm signals all processes at once, a message after a success changes nothing', async () => {
    const runner = runnerIn();
    runner.end({});
    runner.message();
    await runner.pass(300);
    expect(runner.result?.[0]).toBe('completed');
  });

  it('a job that handles the signal is completed at once', () => {
    const runner = runnerIn();
    runner.stop();
    runner.end({ asked: { ...unhandled, isHandled: true } }, 'stop');
    expect(runner.result).toEqual(['completed', 0]);
  });

  it('a job that does not handle the signal is terminated, also if the runner hears of it later', async () => {
    const runner = runnerIn({ fate: 'over' });
    runner.end({ asked: unhandled });
    await runner.pass(300);
    expect(runner.result).toBeUndefined();
    runner.stop();
    await runner.pass(200);
    expect(runner.result?.[0]).toBe('terminated');
  });

  it('a job that another process signaled alone, and that does not handle it, has failed', async () => {
    const runner = runnerIn({ fate: 'alive' });
    runner.end({ asked: unhandled });
    await runner.pass(2_000);
    expect(runner.result?.[0]).toBe('failed');
  });

  it('a job that was continued just before waits for the signal that may follow, and is terminated if it does', async () => {
    const runner = runnerIn({ fate: 'over' });
    runner.end({ asked: { ...unhandled, isCertain: false } });
    await runner.pass(3_000);
    expect(runner.result).toBeUndefined();
    runner.stop();
    await runner.pass(200);
    expect(runner.result?.[0]).toBe('terminated');
  });

  it('a job that was continued and not signaled, as after a pause of the allocation, is completed', async () => {
    const runner = runnerIn({ fate: 'alive' });
    runner.end({ asked: { ...unhandled, isCertain: false } });
    await runner.pass(6_000);
    expect(runner.result?.[0]).toBe('completed');
  });

  it.each<[Fate, string]>([
    ['limit', 'terminated'],
    ['preempted', 'terminated'],
    ['over', 'completed'],
  ])(
    'a step that ended just before the runner was asked to stop, where the allocation is %s, is %s',
    async (fate, status) => {
      const runner = runnerIn({ fate, hasSteps: true });
      runner.stop();
      await runner.pass(300);
      runner.end({});
      await runner.pass(10);
      expect(runner.result?.[0]).toBe(status);
    },
  );

  it('a step that ended long after the runner got its signal to stop is completed', async () => {
    const runner = runnerIn({ fate: 'limit', hasSteps: true });
    runner.stop();
    await runner.pass(1_500);
    runner.end({});
    expect(runner.result?.[0]).toBe('completed');
  });
});

describe('a job that was killed for an unknown reason', () => {
  it.each<[Fate, string]>([
    ['over', 'terminated'],
    ['limit', 'terminated'],
    ['alive', 'failed'],
    ['unknown', 'failed'],
  ])('where the allocation is %s the job is %s', async (fate, status) => {
    const runner = runnerIn({ fate });
    runner.end({ exitCode: 137 });
    await runner.pass(2_000);
    expect(runner.result?.[0]).toBe(status);
  });

  it('where the allocation starts again the job has no result, and runs again', async () => {
    const runner = runnerIn({ fate: 'requeued' });
    runner.end({ exitCode: undefined, signal: 9 });
    await runner.pass(2_000);
    expect([runner.result, runner.isKept()]).toEqual([undefined, true]);
  });

  it('a job that failed by itself has failed, and Slurm is not asked', async () => {
    const runner = runnerIn({ fate: 'over' });
    runner.end({ exitCode: 3 });
    await runner.pass(2_000);
    expect(runner.result?.[0]).toBe('failed');
  });

  it('a step that Slurm ended with its allocation is terminated, though the runner got no signal to stop', async () => {
    const runner = runnerIn({ fate: 'unknown' });
    runner.end({ exitCode: 137, endedBy: 'allocation' });
    await runner.pass(2_000);
    expect(runner.result?.[0]).toBe('terminated');
  });
});
