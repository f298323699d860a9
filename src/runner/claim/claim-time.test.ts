import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { marginsOf } from '../../core/allocation/usable-time.ts';
import { parseDuration } from '../../core/quantity/duration.ts';
import { claimLimit, type ClaimRules, hasTimeFor, noTimeReason } from './claim-time.ts';

const rules: ClaimRules = { leastSeconds: 300, margins: marginsOf({}), startedAtMs: 0 };
const steps: ClaimRules = { ...rules, margins: marginsOf({ mode: 'slurm' }) };
const HOUR_MS = 3_600_000;
const ends = (endAtMs: number | undefined, maxParallelJobs?: number) => ({ endAtMs, maxParallelJobs });

describe('the time limit of a claim', () => {
  it.each([
    ['all of its time and its grace, in its first two minutes', 2 * 60_000, rules, 'PT1H'],
    ['the time before jobs are asked to end, and the grace of such a job, later', 2 * 60_000 + 1, rules, 'PT58M26S'],
    ['the time that steps can have, and the grace', 30 * 60_000, steps, 'PT30M'],
    ['seconds near the end, which no job of a minute needs', HOUR_MS - 117_000, rules, 'PT27S'],
  ])('the time limit of a claim of a runner of an hour is %s', (_, nowMs, by, limit) => {
    expect(claimLimit(ends(HOUR_MS), by, nowMs)).toBe(limit);
  });

  it('a runner without an end claims without a time limit', () => {
    expect(claimLimit(ends(undefined), rules, 0)).toBeUndefined();
  });

  it('the server reads the time that the runner has with its grace, to the second', () => {
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 40 * 86_400 }), (left) => {
        const limit = parseDuration(claimLimit(ends(left * 1000), rules, 0) ?? '');
        expect(limit).toBe(Math.floor(Math.min((left * 30) / 29, left + 120)));
      }),
    );
  });
});

describe('a runner that can start nothing more', () => {
  it('a runner takes no job when fewer than a minute is left for a step, and says why', () => {
    expect(noTimeReason(ends(HOUR_MS), steps, HOUR_MS - 120_000)).toBeUndefined();
    expect(noTimeReason(ends(HOUR_MS), steps, HOUR_MS - 119_999)).toMatch(
      /a step of Slurm needs a minute before the last 60 s/,
    );
    expect(noTimeReason(ends(HOUR_MS), rules, HOUR_MS - 90_000)).toMatch(/jobs are asked to end before the last 90 s/);
  });

  it('a runner that counts jobs takes none in its last seconds, and any before, however long', () => {
    expect(noTimeReason(ends(HOUR_MS, 2), rules, HOUR_MS - 300_000)).toBeUndefined();
    expect(noTimeReason(ends(HOUR_MS, 2), rules, HOUR_MS - 299_999)).toContain('last 300 s');
    expect(hasTimeFor(ends(HOUR_MS, 2), rules, 0, 100_000)).toBe(true);
    expect(hasTimeFor(ends(HOUR_MS, 2), rules, HOUR_MS - 1000, 1)).toBe(false);
  });

  it('a job that was claimed ahead starts only while the runner would still claim it', () => {
    expect(hasTimeFor(ends(HOUR_MS), rules, HOUR_MS / 2, 1768)).toBe(true);
    expect(hasTimeFor(ends(HOUR_MS), rules, HOUR_MS / 2, 1769)).toBe(false);
    expect(hasTimeFor(ends(HOUR_MS), steps, HOUR_MS - 100_000, 1)).toBe(false);
    expect(hasTimeFor(ends(undefined), steps, 0, 1e9)).toBe(true);
  });
});
