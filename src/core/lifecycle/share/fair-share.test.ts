import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Amounts } from '../../job/amounts.ts';
import { fitsIn, withAdded, sumOfAmounts } from './amounts.ts';
import { askFor, giveBack, isAnyWaiting, waitFor } from './ask.ts';
import { mayKeep, mayTake, type Sharer, sharersAt } from './fair-share.ts';
import { type SharingRun, WHOLE_MACHINE } from './sharing-run.ts';

const STEP_MS = 10;

interface Job {
  readonly cpus: number;
  readonly ms: number;
}

/** Runs on a machine of so many CPUs: each starts its jobs in order, those that fit, and gives back as a runner does. */
function simulate(cpus: number, runs: readonly (readonly Job[])[], untilMs = Infinity) {
  const total = { cpus };
  let rows: SharingRun[] = [];
  let mostInUse = 0;
  let nowMs = 0;
  const states = runs.map((jobs, index) => ({
    own: rowOf(index),
    waiting: [...jobs],
    running: [] as { readonly cpus: number; readonly endsAtMs: number }[],
    startedAtMs: [] as number[],
    endedAtMs: 0,
    cpuMs: 0,
  }));
  const useOf = ({ running }: (typeof states)[number]) => ({
    inUse: { cpus: running.reduce((sum, job) => sum + job.cpus, 0) },
    usedDevices: [],
    total,
    offer: total,
    devices: [],
    nowMs,
  });
  while (nowMs < untilMs && states.some(({ waiting, running }) => waiting.length + running.length > 0)) {
    for (const state of states) {
      const ended = state.running.filter(({ endsAtMs }) => endsAtMs <= nowMs);
      if (ended.length > 0) state.endedAtMs = nowMs;
      state.running = state.running.filter(({ endsAtMs }) => endsAtMs > nowMs);
      if (ended.length > 0) rows = giveBack(rows, state.own, false, useOf(state));
      let first: Amounts | undefined;
      for (const job of state.waiting.slice(0, cpus)) {
        const need = { cpus: job.cpus };
        const asked = askFor(rows, state.own, need, useOf(state));
        if (!asked.isGranted) {
          first ??= need;
          continue;
        }
        rows = [...asked.runs];
        state.waiting.splice(state.waiting.indexOf(job), 1);
        state.running.push({ cpus: job.cpus, endsAtMs: nowMs + job.ms });
        state.startedAtMs.push(nowMs);
        state.cpuMs += job.cpus * job.ms;
      }
      rows = waitFor(rows, state.own, first && { need: first, jobs: state.waiting.length }, useOf(state));
      if (isAnyWaiting(rows.filter(({ id }) => id !== state.own.id)))
        rows = giveBack(rows, state.own, true, useOf(state));
    }
    mostInUse = Math.max(
      mostInUse,
      states.reduce((sum, state) => sum + (useOf(state).inUse.cpus ?? 0), 0),
    );
    nowMs += STEP_MS;
  }
  return { mostInUse, nowMs, states, rows };
}

const rowOf = (index: number): SharingRun => ({
  id: String(index),
  of: WHOLE_MACHINE,
  pid: index,
  startTicks: 1,
  mark: String(index),
  workflowId: 1,
  workflowName: 'w',
  database: 'torc.db',
  devices: [],
  limits: {},
  total: {},
  holds: {},
  lag: 0,
  atMs: 0,
});

const times = (count: number, job: Job): Job[] => Array.from({ length: count }, () => job);

it('the jobs of all runs together never use more CPUs than there are, and each of them runs', () => {
  const job = fc.record({ cpus: fc.integer({ min: 1, max: 6 }), ms: fc.integer({ min: 1, max: 2_000 }) });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.array(job, { maxLength: 12 }), { minLength: 1, maxLength: 4 }),
      (cpus, runs) => {
        const most = Math.max(cpus, ...runs.flat().map((each) => each.cpus));
        const { mostInUse, states, nowMs } = simulate(cpus, runs, 600_000);
        expect(mostInUse).toBeLessThanOrEqual(most);
        expect(nowMs).toBeLessThan(600_000);
        expect(states.every(({ running, waiting }) => running.length + waiting.length === 0)).toBe(true);
      },
    ),
    { numRuns: 50 },
  );
});

it('two runs of the same jobs on two CPUs run one each, and end together', () => {
  const { states, mostInUse, nowMs } = simulate(2, [times(50, { cpus: 1, ms: 100 }), times(50, { cpus: 1, ms: 100 })]);
  expect(mostInUse).toBe(2);
  expect(Math.abs((states[0]?.endedAtMs ?? 0) - (states[1]?.endedAtMs ?? 0))).toBeLessThanOrEqual(1_000);
  expect(nowMs).toBeLessThan(6_000);
});

it('of three runs on two CPUs each has its turn within seconds, and a third of the time in the end', () => {
  const jobs = times(2_000, { cpus: 1, ms: 50 });
  const { states } = simulate(2, [jobs, jobs, jobs], 60_000);
  for (const { startedAtMs, cpuMs } of states) {
    expect(Math.max(...startedAtMs.map((at, index) => at - (startedAtMs[index - 1] ?? 0)))).toBeLessThanOrEqual(5_000);
    expect(cpuMs / 60_000).toBeGreaterThan(0.55);
  }
});

it('a job that needs the whole machine gets it beside a run of short jobs, in turns of equal time', () => {
  const small = times(10_000, { cpus: 1, ms: 50 });
  const { states } = simulate(4, [small, times(1_000, { cpus: 4, ms: 300 })], 60_000);
  const [short, wide] = states.map(({ cpuMs }) => cpuMs / (4 * 60_000));
  expect(short).toBeGreaterThan(0.35);
  expect(wide).toBeGreaterThan(0.35);
  expect(states[1]?.startedAtMs[0]).toBeLessThanOrEqual(1_000);
});

it('a job that cannot get what others hold for ever does not stop a third run', () => {
  const forever = [{ cpus: 1, ms: 10_000_000 }];
  const { states } = simulate(2, [forever, [{ cpus: 2, ms: 1_000 }], times(20, { cpus: 1, ms: 1_000 })], 400_000);
  expect(states[2]?.waiting).toEqual([]);
  expect(states[1]?.startedAtMs).toEqual([]);
});

it('what a run may take fits into what the others leave', () => {
  const amounts = fc.record({ cpus: fc.nat(4), memory_bytes: fc.nat(8) });
  const sharer = fc.record({
    holds: amounts,
    waits: fc.option(fc.record({ need: amounts, jobs: fc.integer({ min: 1, max: 5 }), sinceMs: fc.nat(1_000) }), {
      nil: undefined,
    }),
    lag: fc.integer({ min: -60, max: 60 }),
  });
  fc.assert(
    fc.property(fc.array(sharer, { minLength: 1, maxLength: 5 }), amounts, (found, need) => {
      const total = { cpus: 8, memory_bytes: 16 };
      const all: Sharer[] = found.map((each, index) => ({ ...each, id: String(index), atMs: 1_000 }));
      const held = sumOfAmounts(all.map(({ holds }) => holds));
      if (mayTake(all, total, '0', need)) expect(fitsIn(need, withAdded(total, held, -1), total)).toBe(true);
      for (const [name, amount] of Object.entries(mayKeep(all, total, '0')))
        expect(amount).toBeLessThanOrEqual(all[0]?.holds[name] ?? 0);
    }),
  );
});

it('a run is behind only while others wait, and saves up nothing that it does not want', () => {
  const [one, other] = [rowOf(0), { ...rowOf(1), holds: { cpus: 2 } }];
  const waiting = { ...one, waits: { need: { cpus: 1 }, jobs: 1, sinceMs: 0 } };
  const lags = (all: readonly Sharer[]) => sharersAt(all, { cpus: 2 }, 10_000).map(({ lag }) => lag);
  expect(lags([one, other])).toEqual([0, 0]);
  expect(lags([waiting, other])).toEqual([5, -5]);
  expect(sharersAt([waiting, other], { cpus: 2 }, 1_000_000).map(({ lag }) => lag)).toEqual([60, -60]);
});
