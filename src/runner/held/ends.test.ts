import { stepIdOf } from '../../core/contract/files/job.ts';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import type { ClaimedJob } from '../../core/contract/exchange.ts';
import { createCapacity } from '../claim/capacity.ts';
import { createHeldJobs } from './held-jobs.ts';
import { openLedger } from '../ledger/ledger.ts';
import { createReportOutbox } from '../ledger/outbox.ts';
import type { StepAccount, StepEnd, Steps } from '../step/steps.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const facts = { workflowId: 7, runId: 1, apiUrl: '', submissionDirectory: undefined, execution: {}, variables: [] };
const ended = { exitCode: 0, signal: undefined, cpuSeconds: undefined, peakBytes: undefined };
const jobOf = (id: number): ClaimedJob => ({
  id,
  workflow_id: 7,
  name: `job ${id}`,
  command: 'true',
  attempt_id: 1,
  need: { num_cpus: 1, memory_bytes: 0, num_gpus: 1, num_nodes: 1, runtime_seconds: 60 },
});

/** A runner with one slot whose steps begin, end and are accounted for when the test says so. */
function runnerOf({ sharesSignals = false } = {}) {
  const folder = temporaryFolder();
  const log = { write: vi.fn(), close() {} };
  const ledger = openLedger(join(folder, 'l'), { workflow_id: 7, run_id: 1, compute_node_id: 1, process: undefined });
  onTestFinished(() => ledger.close({ remove: true }));
  const outbox = createReportOutbox();
  const started: [job: number, nodes: readonly string[], gpus: readonly string[]][] = [];
  const begins = new Map<string, (agoMs: number) => void>();
  const accounts = new Map<string, (account: StepAccount) => void>();
  let report: (ends: readonly StepEnd[]) => void = () => {};
  const steps: Steps = {
    name: 'slow',
    listen: (onEnded) => void (report = onEnded),
    start(job, { nodes, gpus }) {
      started.push([job.id, nodes, gpus]);
      const id = stepIdOf(facts, job);
      return { id, about: { step: id }, begun: new Promise((resolve) => void begins.set(id, resolve)) };
    },
    signal() {},
    allocationSignaled() {},
    passOn() {},
    kill() {},
    observe: () => new Map(),
    account: ({ id }) => new Promise((resolve) => void accounts.set(id, resolve)),
    finish() {},
    close() {},
  };
  const onEnded = vi.fn();
  const onFreed = vi.fn();
  const onResumed = vi.fn();
  const held = createHeldJobs({
    run: { ...facts, outputDir: folder, ledger, outbox, log },
    capacity: createCapacity([{ name: 'n1', cpus: 1, memoryBytes: 0, devices: ['3'] }]),
    steps,
    allocation: { areShared: sharesSignals, hasSteps: false, successWaitMs: 0, fate: undefined },
    on: { ended: onEnded, freed: onFreed, begun() {}, resumed: onResumed, unable() {} },
  });
  const id = (job: number) => stepIdOf(facts, jobOf(job));
  return {
    held,
    outbox,
    started,
    onEnded,
    onFreed,
    onResumed,
    async begin(job: number, agoMs = 0) {
      begins.get(id(job))?.(agoMs);
      await vi.advanceTimersByTimeAsync(0);
    },
    end: (job: number) => report([{ id: id(job), ...ended }]),
    async account(job: number, account: Partial<StepAccount>) {
      // In an allocation attempts are settled a turn later.
      await vi.advanceTimersByTimeAsync(0);
      accounts.get(id(job))?.({ ...ended, ...account });
      await vi.advanceTimersByTimeAsync(0);
    },
  };
}

describe('a step that answers later', () => {
  it('a step gets the nodes and the devices of its lease', () => {
    const { held, started } = runnerOf();
    held.take([jobOf(1)]);
    expect(started).toEqual([[1, ['n1'], ['3']]]);
  });

  it('the start of a step is reported when it has begun, and its time counts from then', async () => {
    const { held, outbox, begin, end, account } = runnerOf();
    held.take([jobOf(1)]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(outbox.isEmpty).toBe(true);
    // It is seen a little later.
    await begin(1, 6_000);
    expect(outbox.take().started).toMatchObject([{ job_id: 1 }]);
    await vi.advanceTimersByTimeAsync(30_000);
    end(1);
    await account(1, {});
    expect(outbox.take().completed).toMatchObject([{ status: 'completed', exec_time_minutes: 0.6 }]);
  });

  it('free slots are announced at once, and the ends behind them count no second time', async () => {
    const { held, onEnded, onFreed, begin, end, account } = runnerOf();
    held.take([jobOf(1)]);
    await begin(1);
    expect(onFreed.mock.calls).toEqual([]);
    end(1);
    expect([onFreed.mock.calls, onEnded.mock.calls]).toEqual([[[1]], []]);
    await account(1, {});
    expect([onFreed.mock.calls, onEnded.mock.calls]).toEqual([[[1]], [[0, false]]]);
  });

  it('the resources of a step are free when it ends, and its result is reported when it is accounted for', async () => {
    const { held, outbox, started, onEnded, begin, end, account } = runnerOf();
    held.take([jobOf(1), jobOf(2)]);
    await begin(1);
    end(1);
    expect(started.map(([job]) => job)).toEqual([1, 2]);
    expect([held.running, onEnded.mock.calls.length, outbox.take().completed]).toEqual([2, 0, []]);
    await vi.advanceTimersByTimeAsync(60_000);
    await account(1, { exitCode: 3 });
    expect([held.running, onEnded.mock.calls.length]).toEqual([1, 1]);
    expect(outbox.take().completed).toMatchObject([{ job_id: 1, return_code: 3, exec_time_minutes: 0 }]);
  });

  it.each<[string, Partial<StepAccount>, object]>([
    ['its memory limit', { endedBy: 'memory' }, { status: 'failed', return_code: 137 }],
    ['its time limit', { endedBy: 'time', signal: 15 }, { status: 'terminated', return_code: 152 }],
    ['a person', { endedBy: 'cancel', exitCode: 0 }, { status: 'failed', return_code: 137 }],
    ['the end of its node', { endedBy: 'node', exitCode: 0 }, { status: 'failed', return_code: 137 }],
  ])('a step that was ended by %s has the result of that, whatever its exit code', async (_, how, result) => {
    const { held, outbox, begin, end, account } = runnerOf();
    held.take([jobOf(1)]);
    await begin(1);
    end(1);
    await account(1, how);
    expect(outbox.take().completed).toMatchObject([result]);
  });

  it.each<[string, Partial<StepAccount>]>([
    ['it was canceled with the allocation', { endedBy: 'cancel', exitCode: 143 }],
    ['SIGTERM ended it', { exitCode: 143 }],
  ])('a step that ends just before the runner is asked to stop is terminated if %s', async (_, how) => {
    const { held, outbox, begin, end, account } = runnerOf();
    held.take([jobOf(1)]);
    await begin(1);
    end(1);
    held.signal('SIGTERM', 'stop');
    await account(1, how);
    expect(outbox.take().completed).toMatchObject([{ status: 'terminated', return_code: 143 }]);
  });

  it('a step that failed by itself just before the runner gets its signal to stop has failed', async () => {
    const { held, outbox, begin, end, account } = runnerOf();
    held.take([jobOf(1)]);
    await begin(1);
    end(1);
    held.signal('SIGTERM', 'stop');
    await account(1, { exitCode: 7 });
    expect(outbox.take().completed).toMatchObject([{ status: 'failed', return_code: 7 }]);
  });

  it.each([
    ['terminated if it ended in the second before', 900],
    ['failed if it ended earlier', 1_100],
  ] as const)(
    'in an allocation a job with an exit code of its own, after which the runner is asked to stop, is %s',
    async (words, ms) => {
      const { held, outbox, begin, end, account } = runnerOf({ sharesSignals: true });
      held.take([jobOf(1)]);
      await begin(1);
      end(1);
      await account(1, { exitCode: 7 });
      await vi.advanceTimersByTimeAsync(ms);
      held.signal('SIGTERM', 'stop');
      await vi.advanceTimersByTimeAsync(200);
      const status = words.slice(0, words.indexOf(' '));
      expect(outbox.take().completed).toMatchObject([{ status, return_code: 7 }]);
    },
  );

  it('in an allocation a job that failed by itself just before the runner ends it for its time has failed', async () => {
    const { held, outbox, begin, end, account } = runnerOf({ sharesSignals: true });
    held.take([jobOf(1)]);
    await begin(1);
    end(1);
    await account(1, { exitCode: 7 });
    held.signal('SIGTERM', 'deadline');
    await vi.advanceTimersByTimeAsync(2_000);
    expect(outbox.take().completed).toMatchObject([{ status: 'failed', return_code: 7 }]);
  });

  it('in an allocation the result of a job that succeeded does not wait', async () => {
    const { held, outbox, begin, end, account } = runnerOf({ sharesSignals: true });
    held.take([jobOf(1)]);
    await begin(1);
    end(1);
    await account(1, {});
    expect(outbox.take().completed).toMatchObject([{ status: 'completed', return_code: 0 }]);
  });

  it('a refused step has no result: its job is given back, and the runner pauses before it starts others', async () => {
    const { held, outbox, started, onResumed, end, account } = runnerOf();
    held.take([jobOf(1)]);
    end(1);
    await account(1, { exitCode: 1, refused: 'no room' });
    const news = outbox.take();
    expect([news.returned, news.completed, news.started]).toEqual([[1], [], []]);
    expect([held.running, held.isHeldOff]).toEqual([0, true]);
    held.take([jobOf(2)]);
    expect(started).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([started.length, held.isHeldOff, onResumed.mock.calls.length]).toEqual([2, false, 1]);
  });
});
