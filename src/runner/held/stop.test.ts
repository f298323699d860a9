import { steadyNow } from '../../client/steady-clock.ts';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import type { ClaimedJob } from '../../core/contract/exchange.ts';
import { createCapacity } from '../claim/capacity.ts';
import { createHeldJobs } from './held-jobs.ts';
import type { ProcessEnd } from '../launch/launcher.ts';
import { openLedger } from '../ledger/ledger.ts';
import { openRunnerLog } from '../facts/log.ts';
import { createReportOutbox } from '../ledger/outbox.ts';
import { createDirectSteps } from '../step/direct/direct.ts';
import { createStop, type Stop } from './stop.ts';

const LEAD_SECONDS = 30;
/** Above the largest process id of Linux, so that no signal can reach a real process. */
const FIRST_PID = 2 ** 22 + 1;

/** The signals that the runner sends: group and name. */
let sent: [group: number, signal: string][];
const noProcess: typeof process.kill = (pid, signal) => {
  sent.push([pid, String(signal)]);
  throw new Error('ESRCH');
};

beforeEach(() => {
  sent = [];
  vi.useFakeTimers();
  vi.spyOn(process, 'kill').mockImplementation(noProcess);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const facts = { workflowId: 7, runId: 1, apiUrl: '', submissionDirectory: undefined, execution: {}, variables: [] };
const head = { workflow_id: 7, run_id: 1, compute_node_id: 1, process: undefined };
const job = (id: number): ClaimedJob => ({
  id,
  workflow_id: 7,
  name: 'job',
  command: 'true',
  attempt_id: 1,
  need: { num_cpus: 1, memory_bytes: 0, num_gpus: 0, num_nodes: 1, runtime_seconds: 60 },
});

/** The running jobs of a runner with two slots and this many jobs, whose processes are only numbers, and its stop. */
const runnerOf = (count: number) => {
  const folder = temporaryFolder();
  const log = openRunnerLog(join(folder, 'runner.log'), 'error', Date.now, () => {});
  const ledger = openLedger(join(folder, 'runner.ledger'), head);
  onTestFinished(() => {
    log.close();
    ledger.close({ remove: true });
  });
  let pids = FIRST_PID;
  let report: (endings: readonly ProcessEnd[]) => void = () => {};
  const steps = createDirectSteps({
    facts: { ...facts, outputDir: folder },
    environment: {},
    launcherOf({ onEnd }) {
      report = onEnd;
      return { name: 'child_process', launch: () => pids++, close: () => {} };
    },
    log,
  });
  const outbox = createReportOutbox();
  const run = { ...facts, outputDir: folder, ledger, outbox, log };
  const held = createHeldJobs({
    run,
    capacity: createCapacity([{ name: 'n1', cpus: 2, memoryBytes: 0, devices: [] }]),
    steps,
    on: { ended: () => stop.ended(), freed() {}, begun() {}, resumed() {}, unable() {} },
  });
  let emptied = 0;
  const stop: Stop = createStop({
    jobs: held,
    run,
    signal: 'SIGTERM',
    leadSeconds: LEAD_SECONDS,
    onEmpty: () => (emptied += 1),
  });
  held.take(Array.from({ length: count }, (_, index) => job(index + 1)));
  /** The nth job ends. */
  const end = (nth: number, how: { exitCode?: number; signal?: number }) => {
    const unknown = { exitCode: undefined, signal: undefined, cpuSeconds: undefined, peakBytes: undefined };
    report([{ ...unknown, ...how, pid: FIRST_PID + nth - 1 }]);
  };
  return { held, stop, outbox, end, emptied: () => emptied };
};
const toBoth = (signal: string) => [
  [-FIRST_PID, signal],
  [-FIRST_PID - 1, signal],
];

describe('a runner that terminates its jobs', () => {
  it('the runner sends the termination signal to each process group, and returns the jobs that were not started', () => {
    const { held, stop, outbox } = runnerOf(3);
    stop.ask('stop');
    expect(sent).toEqual(toBoth('SIGTERM'));
    expect(outbox.take().returned).toEqual([3]);
    expect([stop.began, held.queued, held.hasRoom]).toEqual([true, 0, false]);
  });

  it('the runner kills the remaining jobs after the lead time, and not before', () => {
    const { stop, end } = runnerOf(2);
    stop.ask('stop');
    end(1, { exitCode: 0 });
    vi.advanceTimersByTime(LEAD_SECONDS * 1000 - 1);
    expect(sent).toEqual(toBoth('SIGTERM'));
    vi.advanceTimersByTime(1);
    expect(sent.slice(2)).toEqual([[-FIRST_PID - 1, 'SIGKILL']]);
  });

  it('the runner kills the remaining jobs at another moment if it is given one', () => {
    const { stop } = runnerOf(2);
    stop.ask('deadline', steadyNow() + 5_000);
    vi.advanceTimersByTime(5_000);
    expect(sent.slice(2)).toEqual(toBoth('SIGKILL'));
  });

  it('the runner kills no job when all have ended in time', () => {
    const { stop, end } = runnerOf(1);
    stop.ask('stop');
    end(1, { signal: 15 });
    vi.advanceTimersByTime(10 * LEAD_SECONDS * 1000);
    expect(sent).toEqual([[-FIRST_PID, 'SIGTERM']]);
  });

  it('the runner signals its jobs once, and reports the first reason', () => {
    const { stop, outbox, end } = runnerOf(1);
    stop.ask('deadline');
    stop.ask('stop');
    vi.advanceTimersByTime(LEAD_SECONDS * 1000);
    end(1, { signal: 9 });
    expect(sent.map(([, signal]) => signal)).toEqual(['SIGTERM', 'SIGKILL']);
    expect(outbox.take().completed).toMatchObject([{ status: 'terminated', return_code: 152 }]);
  });

  it('the runner sends no signal after it was closed', () => {
    const { stop } = runnerOf(1);
    stop.ask('stop');
    stop.close();
    vi.advanceTimersByTime(10 * LEAD_SECONDS * 1000);
    expect(sent).toEqual([[-FIRST_PID, 'SIGTERM']]);
  });
});

describe('a job that does not end after SIGKILL', () => {
  it('the job is abandoned when the time of the runner is over, and reported as out of time', () => {
    const { stop, outbox, emptied } = runnerOf(2);
    stop.ask('deadline', steadyNow() + 5_000, steadyNow() + 8_000);
    vi.advanceTimersByTime(7_999);
    expect([emptied(), outbox.isEmpty]).toEqual([0, false]);
    expect(outbox.take().completed).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(emptied()).toBe(1);
    const timedOut = { status: 'terminated', return_code: 152 };
    expect(outbox.take().completed).toMatchObject([timedOut, timedOut]);
  });

  it('an abandoned job that ends later is reported only once', () => {
    const { stop, outbox, end } = runnerOf(1);
    stop.ask('deadline', steadyNow() + 5_000, steadyNow() + 8_000);
    vi.advanceTimersByTime(8_000);
    end(1, { exitCode: 0 });
    expect(outbox.take().completed).toHaveLength(1);
  });

  it('a runner without a time limit waits for the job', () => {
    const { stop, emptied } = runnerOf(1);
    stop.ask('stop');
    vi.advanceTimersByTime(100 * LEAD_SECONDS * 1000);
    expect(emptied()).toBe(0);
  });
});

describe('a runner that stops immediately', () => {
  it('the runner kills its jobs at once, also after it has signaled them', () => {
    const { stop, outbox, end } = runnerOf(1);
    stop.ask('stop');
    stop.kill('stop');
    end(1, { signal: 9 });
    expect(sent.map(([, signal]) => signal)).toEqual(['SIGTERM', 'SIGKILL']);
    expect(outbox.take().completed).toMatchObject([{ status: 'terminated', return_code: 137 }]);
  });
});

describe('a runner that drains', () => {
  it('a draining runner sends no signal, starts no job, and reports the ends unchanged', () => {
    const { stop, outbox, end } = runnerOf(3);
    stop.drain();
    end(1, { exitCode: 3 });
    vi.advanceTimersByTime(10 * LEAD_SECONDS * 1000);
    expect(sent).toEqual([]);
    expect(outbox.take()).toMatchObject({ returned: [3], completed: [{ status: 'failed', return_code: 3 }] });
  });

  const words: [string, (stop: Stop) => void, string[]][] = [
    [
      'asks its jobs to end at its deadline',
      (stop) => stop.ask('deadline', steadyNow() + 5_000),
      ['SIGTERM', 'SIGKILL'],
    ],
    ['asks its jobs to end after a cancel or one Ctrl-C', (stop) => stop.ask('stop'), ['SIGTERM', 'SIGKILL']],
    ['kills its jobs after a second Ctrl-C', (stop) => stop.kill('stop'), ['SIGKILL']],
  ];
  it.each(words)('a draining runner can still be asked to %s', (_, say, signals) => {
    const { stop } = runnerOf(1);
    stop.drain();
    say(stop);
    vi.advanceTimersByTime(LEAD_SECONDS * 1000);
    expect(sent.map(([, signal]) => signal)).toEqual(signals);
  });
});

describe('a runner whose deadline comes while it is ending', () => {
  it('the runner kills its jobs at the earlier of the two moments', () => {
    const { stop } = runnerOf(1);
    stop.ask('stop');
    stop.ask('deadline', steadyNow() + 5_000);
    vi.advanceTimersByTime(4_999);
    expect(sent).toEqual([[-FIRST_PID, 'SIGTERM']]);
    vi.advanceTimersByTime(2);
    expect(sent.slice(1)).toEqual([[-FIRST_PID, 'SIGKILL']]);
  });

  it('a later moment does not extend the wait', () => {
    const { stop } = runnerOf(1);
    stop.ask('deadline', steadyNow() + 5_000);
    stop.ask('stop');
    vi.advanceTimersByTime(5_000);
    expect(sent.slice(1)).toEqual([[-FIRST_PID, 'SIGKILL']]);
  });

  it.each<[string, (stop: Stop) => void]>([
    ['asked', (stop) => stop.ask('stop')],
    ['killed', (stop) => stop.kill('stop')],
  ])('the runner abandons a job that does not end although it was %s', (_, say) => {
    const { stop, emptied } = runnerOf(1);
    say(stop);
    stop.ask('deadline', steadyNow() + 5_000, steadyNow() + 8_000);
    vi.advanceTimersByTime(8_000);
    expect(emptied()).toBe(1);
    expect(sent.filter(([, signal]) => signal === 'SIGKILL')).toHaveLength(1);
  });
});

describe('a lead time beyond the longest timer of the runtime', () => {
  it('a very long lead time kills no job early', () => {
    // The look at the control group every two seconds stays real: 40 days of it take minutes.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
    const { stop } = runnerOf(1);
    const far = 40 * 86_400_000;
    stop.ask('stop', steadyNow() + far);
    vi.advanceTimersByTime(far - 1);
    expect(sent).toEqual([[-FIRST_PID, 'SIGTERM']]);
    vi.advanceTimersByTime(2);
    expect(sent.slice(1)).toEqual([[-FIRST_PID, 'SIGKILL']]);
  });
});

describe('the report that no job runs any more', () => {
  const ways: [string, (stop: Stop) => void][] = [
    ['asked', (stop) => stop.ask('stop')],
    ['stopped now', (stop) => stop.kill('stop')],
    ['drained', (stop) => stop.drain()],
  ];

  it.each(ways)('the runner reports once, with the last end, that no job runs after it was %s', (_, begin) => {
    const { stop, end, emptied } = runnerOf(2);
    begin(stop);
    end(1, { exitCode: 0 });
    expect(emptied()).toBe(0);
    end(2, { exitCode: 0 });
    stop.ended();
    expect(emptied()).toBe(1);
  });

  it.each(ways)('the runner reports at once that no job runs if none did when it was %s', (_, begin) => {
    const { stop, emptied } = runnerOf(0);
    begin(stop);
    expect(emptied()).toBe(1);
  });

  it('a working runner does not report that no job runs', () => {
    const { end, emptied, stop } = runnerOf(1);
    end(1, { exitCode: 0 });
    expect([stop.began, emptied()]).toEqual([false, 0]);
  });
});
