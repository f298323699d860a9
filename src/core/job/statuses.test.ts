import { describe, expect, it, test } from 'vitest';
import { jobStatuses } from './job-statuses.ts';
import * as sets from './statuses.ts';
import {
  cancelsDependents,
  countOf,
  ENDED,
  FAILED,
  isOneOf,
  NOT_RUN,
  OPEN,
  REPORTED,
  RUNS_AGAIN,
  RUNS_NOW,
  STOPPED,
  SUCCEEDED,
  WAITS_FOR_DECISION,
} from './statuses.ts';

const sorted = (statuses: Iterable<string>) => [...statuses].toSorted();
const all = sorted(jobStatuses);

describe('the sets of statuses', () => {
  it('completed, failed, stopped, running and not run are all jobs but the disabled ones, and each is one of them only', () => {
    const parts = [SUCCEEDED, FAILED, STOPPED, RUNS_NOW, NOT_RUN].flatMap((set) => [...set]);
    expect(sorted([...parts, 'disabled'])).toEqual(all);
  });

  it('a job has ended, keeps its workflow open, or is disabled', () => {
    expect(sorted([...ENDED, ...OPEN, 'disabled'])).toEqual(all);
  });

  it('a job that waits for a decision has failed and was reported, but has not ended', () => {
    for (const status of WAITS_FOR_DECISION) {
      expect([FAILED, REPORTED, OPEN].every((set) => set.has(status))).toBe(true);
      expect(ENDED.has(status)).toBe(false);
    }
  });

  it('of the ends only a terminated job runs again after an initialization, as in Torc', () => {
    expect([...RUNS_AGAIN].filter((status) => ENDED.has(status))).toEqual(['terminated']);
  });

  it('each set has another name than its twin: no two mean the same', () => {
    const found = Object.entries(sets).filter(([name]) => /^[A-Z_]+$/.test(name)) as [string, sets.StatusSet][];
    const texts = found.map(([name, set]) => ({ name, text: sorted(set).join() }));
    const byText = Map.groupBy(texts, ({ text }) => text);
    expect([...byText.values()].filter((twins) => twins.length > 1)).toEqual([]);
    expect(found.length).toBeGreaterThan(20);
  });
});

it('jobs are counted once, also where two sets share a status, and a status that is left out counts as none', () => {
  const counts = { completed: 5, failed: 2, pending_failed: 1 };
  expect(countOf(counts, FAILED)).toBe(3);
  expect(countOf(counts, FAILED, WAITS_FOR_DECISION)).toBe(3);
  expect(countOf(counts, STOPPED)).toBe(0);
});

it('a record without a status is in no set', () => {
  expect([isOneOf(ENDED, null), isOneOf(ENDED, undefined), isOneOf(ENDED, 'failed')]).toEqual([false, false, true]);
});

test.each([
  ['completed', 0, false],
  ['failed', 1, true],
  ['failed', undefined, true],
  ['failed', 0, false],
  ['terminated', 0, true],
  ['canceled', undefined, true],
  ['pending_failed', 1, false],
] as const)('the end %s with return code %s cancels dependents that ask for it: %s', (status, code, expected) => {
  expect(cancelsDependents(status, code)).toBe(expected);
});
