import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import type { ClaimedJob } from '../../core/contract/exchange.ts';
import { type StepId, stepIdOf } from '../../core/contract/files/job.ts';
import { createCapacity } from '../claim/capacity.ts';
import { openLedger } from '../ledger/ledger.ts';
import { createReportOutbox } from '../ledger/outbox.ts';
import { createSuccessors } from '../launcher/successors.ts';
import type { StepEnd, Steps } from '../step/steps.ts';
import { createHeldJobs } from './held-jobs.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const facts = { workflowId: 7, runId: 1, apiUrl: '', submissionDirectory: undefined, execution: {}, variables: [] };
const CPUS = 2;
const jobOf = (id: number, cpus = 1): ClaimedJob => ({
  id,
  workflow_id: 7,
  name: `job ${id}`,
  command: 'true',
  attempt_id: 1,
  need: { num_cpus: cpus, memory_bytes: 0, num_gpus: 0, num_nodes: 1, runtime_seconds: 60 },
});
const idOf = (job: number) => stepIdOf(facts, { id: job, attempt_id: 1 });

/** A runner of two CPUs, and a launcher elsewhere that starts steps in the places of those that have ended. */
function runnerOf() {
  const folder = temporaryFolder();
  const ledger = openLedger(join(folder, 'l'), { workflow_id: 7, run_id: 1, compute_node_id: 1, process: undefined });
  onTestFinished(() => ledger.close({ remove: true }));
  const outbox = createReportOutbox();
  const successors = createSuccessors<{ readonly id: StepId; readonly job: ClaimedJob }>();
  const running = new Map<StepId, ClaimedJob>();
  const takenBack = new Set<StepId>();
  const begun = new Map<StepId, (agoMs: number) => void>();
  /** Jobs in the order in which they began. */
  const began: number[] = [];
  let busiest = 0;
  let report: (ends: readonly StepEnd[]) => void = () => {};
  const run = (id: StepId, job: ClaimedJob) => {
    running.set(id, job);
    began.push(job.id);
    busiest = Math.max(
      busiest,
      [...running.values()].reduce((sum, { need }) => sum + need.num_cpus, 0),
    );
    begun.get(id)?.(0);
  };
  const endOf = (id: StepId, exitCode?: number): StepEnd => ({
    id,
    exitCode,
    signal: undefined,
    cpuSeconds: undefined,
    peakBytes: undefined,
    ...(exitCode === undefined ? {} : { seconds: 0.001 }),
  });
  const reportTakenBack = (ids: readonly StepId[]) => {
    for (const id of ids) takenBack.add(id);
    if (ids.length > 0) report(ids.map((id) => endOf(id)));
  };
  const askedBack: number[] = [];
  const signals: string[] = [];
  const steps: Steps = {
    name: 'elsewhere',
    listen: (onEnded) => void (report = onEnded),
    start(job, _, after) {
      const id = stepIdOf(facts, job);
      const { promise, resolve } = Promise.withResolvers<number>();
      begun.set(id, resolve);
      if (after !== undefined && (running.has(after) || successors.has(after))) successors.add(after, { id, job });
      else run(id, job);
      return { id, about: {}, begun: promise };
    },
    mayFollow: () => true,
    takeBack: (id) => void askedBack.push(Number(/_j(\d+)_/.exec(id)?.[1])),
    signal: (id, signal) => void signals.push(`${/_j(\d+)_/.exec(id)?.[1]} ${signal}`),
    allocationSignaled() {},
    passOn() {},
    kill() {},
    observe: () => new Map(),
    account: (end) => (takenBack.delete(end.id) ? { ...end, isTakenBack: true } : end),
    finish() {},
    close() {},
  };
  const log = { write() {}, close() {} };
  const held = createHeldJobs({
    run: { ...facts, outputDir: folder, ledger, outbox, log },
    capacity: createCapacity([{ name: 'n1', cpus: CPUS, memoryBytes: 0, devices: [] }]),
    steps,
    on: { ended() {}, freed() {}, begun() {}, resumed() {}, unable() {} },
  });
  const isRunning = (job: number) => running.has(idOf(job));
  return {
    held,
    outbox,
    began,
    askedBack,
    signals,
    running: () => [...running.values()].map(({ id }) => id),
    busiest: () => busiest,
    /** The step of a job ends; as in a launcher, the next one begins before the runner hears of it. */
    end(job: number, exitCode = 0) {
      if (!isRunning(job)) return;
      running.delete(idOf(job));
      const next = exitCode === 0 ? successors.next(idOf(job)) : undefined;
      const dropped = next === undefined ? successors.dropBehind(idOf(job)) : [];
      if (next !== undefined) run(next.id, next.job);
      for (const id of dropped) takenBack.add(id);
      report([endOf(idOf(job), exitCode), ...dropped.map((id) => endOf(id))]);
    },
    /** The launcher obeys. */
    takeBack: (job: number) => reportTakenBack(successors.drop(idOf(job))),
  };
}

/** A runner that has seen that jobs are short, with the jobs 1 and 2 on its CPUs. */
function busy() {
  const runner = runnerOf();
  runner.held.take([jobOf(100)]);
  runner.end(100);
  runner.held.take([jobOf(1), jobOf(2)]);
  return runner;
}

describe('jobs that are sent ahead to the place of a running one', () => {
  it('short jobs begin in the places of others without the runner, and never more than the CPUs hold', () => {
    const { held, began, end, busiest, outbox } = busy();
    held.take([jobOf(3), jobOf(4), jobOf(5)]);
    expect(began).toEqual([100, 1, 2]);
    end(2);
    expect(began).toEqual([100, 1, 2, 4]);
    for (const job of [4, 5, 1, 3]) end(job);
    expect([busiest(), held.running, held.queued]).toEqual([CPUS, 0, 0]);
    expect(outbox.take().completed.map(({ job_id: job }) => job)).toEqual([100, 2, 4, 5, 1, 3]);
  });

  it('nothing is sent ahead before jobs are known to be short', () => {
    const { held, end, began } = runnerOf();
    held.take([jobOf(1), jobOf(2), jobOf(3)]);
    expect([held.running, held.queued]).toEqual([2, 1]);
    end(1);
    expect(began).toEqual([1, 2, 3]);
  });

  it('a job with other requirements waits for the runner', () => {
    const { held, began, end } = busy();
    held.take([jobOf(3, 2)]);
    expect([held.running, held.queued]).toEqual([2, 1]);
    end(1);
    expect(began).toEqual([100, 1, 2]);
    end(2);
    expect(began).toEqual([100, 1, 2, 3]);
  });

  it('a job that waits for its place is taken back soon where there is room, and starts there', async () => {
    const { held, began, askedBack, takeBack, end } = busy();
    held.take([jobOf(3)]);
    end(2);
    await vi.advanceTimersByTimeAsync(99);
    expect(askedBack).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(askedBack).toEqual([3]);
    takeBack(3);
    expect(began).toEqual([100, 1, 2, 3]);
    end(1);
    end(3);
    expect(held.running).toBe(0);
  });

  it('a job that waits for its place while all others are taken is taken back after half a second', async () => {
    const { held, askedBack, takeBack } = busy();
    held.take([jobOf(3)]);
    await vi.advanceTimersByTimeAsync(499);
    expect(askedBack).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(askedBack).toEqual([3]);
    takeBack(3);
    expect([held.running, held.queued]).toEqual([2, 1]);
  });

  it('a job that was taken back after a failure starts in that place, by the decision of the runner', () => {
    const { held, began, end, running } = busy();
    held.take([jobOf(3)]);
    end(1, 3);
    expect([began, running()]).toEqual([
      [100, 1, 2, 3],
      [2, 3],
    ]);
  });

  it('when the runner stops, jobs that were sent ahead are given back, and no job is forgotten or starts', () => {
    const { held, outbox, began, askedBack, takeBack, end } = busy();
    held.take([jobOf(3), jobOf(4), jobOf(5), jobOf(6), jobOf(7)]);
    end(2);
    held.stopStarting();
    expect(outbox.take().returned).toEqual([7]);
    for (const job of askedBack.splice(0)) takeBack(job);
    expect(outbox.take().returned.toSorted((a, b) => a - b)).toEqual([3, 5, 6]);
    expect(began).toEqual([100, 1, 2, 4]);
    expect(held.ids().toSorted((a, b) => a - b)).toEqual([1, 4]);
  });

  it('the server learns of the start of a job that was sent ahead when it has begun', async () => {
    const { held, outbox, end } = busy();
    await vi.advanceTimersByTimeAsync(0);
    outbox.take();
    held.take([jobOf(3)]);
    await vi.advanceTimersByTimeAsync(0);
    expect([outbox.isEmpty, held.ids().toSorted((a, b) => a - b)]).toEqual([true, [1, 2, 3]]);
    end(1);
    await vi.advanceTimersByTimeAsync(0);
    expect(outbox.take().started.map(({ job_id: job }) => job)).toEqual([3]);
  });
});

describe('attempts whose jobs were canceled, while others go on', () => {
  const termination = { signal: 'SIGTERM', leadSeconds: 3 } as const;
  const attempt = (job: number, attempt_id = 1) => ({ job_id: job, attempt_id });

  it('a running one gets the signal of the workflow once, and SIGKILL after the lead time if it still runs', async () => {
    const { held, signals } = busy();
    held.cancel([attempt(1)], termination);
    held.cancel([attempt(1)], termination);
    expect(signals).toEqual(['1 SIGTERM']);
    await vi.advanceTimersByTimeAsync(2_999);
    expect(signals).toEqual(['1 SIGTERM']);
    await vi.advanceTimersByTimeAsync(1);
    expect(signals).toEqual(['1 SIGTERM', '1 SIGKILL']);
  });

  it('one that ends in its lead time is not killed, and its place is taken', async () => {
    const { held, signals, running, end } = busy();
    held.cancel([attempt(1)], termination);
    held.take([jobOf(3)]);
    end(1, 143);
    await vi.advanceTimersByTimeAsync(5_000);
    expect([signals, running()]).toEqual([['1 SIGTERM'], [2, 3]]);
  });

  it('an attempt with another number is none of them', () => {
    const { held, signals } = busy();
    held.cancel([attempt(1, 2), attempt(9)], termination);
    expect(signals).toEqual([]);
  });

  it('one that waits for a slot is given back and does not start', () => {
    const { held, outbox, began, end } = busy();
    held.take([jobOf(3, 2), jobOf(4, 2)]);
    held.cancel([attempt(3)], termination);
    expect(outbox.take().returned).toEqual([3]);
    end(1);
    end(2);
    expect(began).toEqual([100, 1, 2, 4]);
  });

  it('one that was sent ahead is taken back and given back; those behind it start here', () => {
    const { held, outbox, began, askedBack, takeBack, end } = busy();
    held.take([jobOf(3), jobOf(4), jobOf(5)]);
    held.cancel([attempt(3)], termination);
    expect(askedBack).toEqual([3]);
    takeBack(3);
    expect(outbox.take().returned).toEqual([3]);
    for (const job of [1, 2, 4]) end(job);
    expect(began.toSorted((a, b) => a - b)).toEqual([1, 2, 4, 5, 100]);
  });

  it('one that began before it could be taken back is signaled with the next reply of the server', () => {
    const { held, signals, end } = busy();
    held.take([jobOf(3)]);
    held.cancel([attempt(3)], termination);
    end(1);
    expect(signals).toEqual([]);
    held.cancel([attempt(3)], termination);
    expect(signals).toEqual(['3 SIGTERM']);
  });
});

test('whatever ends, fails or is taken back, each job ends once, none is lost, and the CPUs hold all that run', () => {
  const event = fc.record({
    kind: fc.constantFrom('end', 'end', 'end', 'fail', 'take-back', 'claim'),
    pick: fc.nat(100),
    cpus: fc.integer({ min: 1, max: CPUS }),
  });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      const { held, outbox, end, takeBack, running, busiest } = busy();
      let claimed = 2;
      for (const { kind, pick, cpus } of events) {
        const now = running();
        if (kind === 'claim') {
          claimed += 1;
          held.take([jobOf(claimed, cpus)]);
        } else if (kind === 'take-back') takeBack(1 + (pick % claimed));
        else if (now.length > 0) end(now[pick % now.length] as number, kind === 'end' ? 0 : 1);
        expect(busiest()).toBeLessThanOrEqual(CPUS);
      }
      for (let now = running(); now.length > 0; now = running()) end(now[0] as number);
      const all = Array.from({ length: claimed }, (_, at) => at + 1);
      const ended = outbox.take().completed.map(({ job_id: job }) => job);
      expect(ended.toSorted((a, b) => a - b)).toEqual([...all, 100]);
      expect([held.running, held.queued]).toEqual([0, 0]);
    }),
  );
});
