import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { ExecutionConfig } from '../contract/workflow.ts';
import {
  claimableSeconds,
  marginsOf,
  overheadSeconds,
  type TimeMargins,
  usableSeconds,
  walltimeFor,
  walltimeSum,
} from './usable-time.ts';

const direct = marginsOf({});
const steps = marginsOf({ mode: 'slurm' });
const whole = (seconds: number) => ({ lengthSeconds: seconds, leftSeconds: seconds });
const late = (seconds: number) => ({ lengthSeconds: 36_000, leftSeconds: seconds });

describe('the margins of a workflow', () => {
  test.each<[string, ExecutionConfig | undefined, TimeMargins]>([
    ['the standard ones without settings', undefined, { hasStepLimits: false, headroomSeconds: 60, leadSeconds: 30 }],
    [
      'those of direct mode',
      { mode: 'direct', sigterm_lead_seconds: 60, sigkill_headroom_seconds: 90 },
      { hasStepLimits: false, headroomSeconds: 90, leadSeconds: 60 },
    ],
    [
      'no lead for steps without a signal',
      { mode: 'slurm' },
      { hasStepLimits: true, headroomSeconds: 60, leadSeconds: 0 },
    ],
    [
      'the seconds of the early signal of steps',
      { mode: 'auto', srun_termination_signal: 'TERM@120', sigkill_headroom_seconds: 180 },
      { hasStepLimits: true, headroomSeconds: 180, leadSeconds: 120 },
    ],
    [
      'those of the runner for jobs inside one long step',
      { mode: 'slurm', step_batching: true },
      { hasStepLimits: false, headroomSeconds: 60, leadSeconds: 30 },
    ],
    [
      'the early signal of jobs inside one long step',
      { mode: 'slurm', step_batching: true, srun_termination_signal: 'USR1@45' },
      { hasStepLimits: false, headroomSeconds: 60, leadSeconds: 45 },
    ],
  ])('the margins of a workflow are %s', (_, execution, expected) => {
    expect(marginsOf(execution)).toEqual(expected);
  });

  it('mode auto means steps inside of an allocation and processes elsewhere', () => {
    expect(marginsOf({ mode: 'auto' }, true).hasStepLimits).toBe(true);
    expect(marginsOf({ mode: 'auto' }, false)).toEqual(direct);
  });
});

describe('the time that a job can use', () => {
  test.each<[string, TimeMargins, number, number]>([
    ['a process', direct, 600, 510],
    ['a process near the end', direct, 91, 1],
    ['a process at the end', direct, 90, 0],
    ['a step: whole minutes', steps, 239, 120],
    ['a step: at least one minute', steps, 120, 60],
    ['a step: nothing below a minute', steps, 119, 0],
    ['a step with a signal before its end', { ...steps, leadSeconds: 20 }, 180, 100],
    ['a step that the signal would meet at its start', { ...steps, leadSeconds: 60 }, 179, 0],
  ])('%s with the margins %j can use, of %i s, %i s', (_, margins, left, usable) => {
    expect(usableSeconds(margins, late(left))).toBe(usable);
  });

  it('a short run gives half of its time to processes, and nothing to steps', () => {
    expect(usableSeconds(direct, whole(90))).toBe(45);
    expect(usableSeconds(steps, whole(90))).toBe(0);
  });
});

describe('the longest job that a runner takes', () => {
  // Torc 1.0.0 adds two minutes for each job: a job of a minute starts with 27 s left, and is killed.
  test.each([
    ['a minute', 60, 58, 57],
    ['ten minutes', 600, 580, 579],
    ['an hour', 3600, 3480, 3479],
    ['ten hours', 36_000, 35_880, 35_879],
  ])('a job of %s, %i s, is taken with %i s for jobs and not with %i', (_, runtime, enough, tooFew) => {
    const claimable = (usable: number) =>
      claimableSeconds(direct, { lengthSeconds: 100_000, leftSeconds: usable + 90 });
    expect(claimable(enough)).toBeGreaterThanOrEqual(runtime);
    expect(claimable(tooFew)).toBeLessThan(runtime);
  });

  it('a job exactly as long as its allocation starts in the first thirtieth of it, two minutes at most, and not later', () => {
    expect(claimableSeconds(direct, { lengthSeconds: 3600, leftSeconds: 3480 })).toBe(3600);
    expect(claimableSeconds(direct, { lengthSeconds: 3600, leftSeconds: 3479 })).toBe(3505);
    expect(claimableSeconds(direct, { lengthSeconds: 240, leftSeconds: 232 })).toBe(240);
    expect(claimableSeconds(direct, { lengthSeconds: 240, leftSeconds: 229 })).toBe(143);
  });

  it('a run of at most two minutes begins with jobs that request two minutes more than it has, as in Torc 1.0.0, and a longer one does not', () => {
    expect(claimableSeconds(direct, whole(4))).toBe(124);
    expect(claimableSeconds(direct, whole(120))).toBe(240);
    expect(claimableSeconds(direct, { lengthSeconds: 120, leftSeconds: 109 })).toBe(50);
    expect(claimableSeconds(direct, whole(121))).toBe(125);
  });

  it('a fresh runner of a planned walltime takes no job that lacks more than a thirtieth of its runtime', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 * 3600 }), fc.nat(120), (runtime, elapsed) => {
        const lengthSeconds = walltimeFor(runtime, direct);
        const span = { lengthSeconds, leftSeconds: lengthSeconds - elapsed };
        fc.pre(claimableSeconds(direct, span) >= runtime);
        expect(usableSeconds(direct, span)).toBeGreaterThanOrEqual(runtime - runtime / 30 - 1);
      }),
    );
  });

  it('a runner takes no job when none can start, however short', () => {
    expect(claimableSeconds(steps, whole(119))).toBe(0);
    expect(claimableSeconds(direct, late(90))).toBe(0);
  });
});

describe('the walltime of a plan', () => {
  test.each<[number, TimeMargins, number]>([
    [90, direct, 240],
    [90, steps, 240],
    [64_800, direct, 64_920],
    [60, { ...steps, headroomSeconds: 180, leadSeconds: 120 }, 480],
  ])('the walltime for jobs of %i s with the margins %j is %i s', (seconds, margins, walltime) => {
    expect(walltimeFor(seconds, margins)).toBe(walltime);
  });

  it('a sentence contains the parts of a walltime', () => {
    expect(walltimeSum(60, steps)).toBe(
      'runtime 00:01:00 + headroom 00:01:00 + lead 00:00:00 + start 00:01:30 = 00:03:30',
    );
  });

  const anyMargins = fc.record({
    hasStepLimits: fc.boolean(),
    headroomSeconds: fc.nat(600),
    leadSeconds: fc.nat(600),
  });
  it('a job of the planned time that starts within the time for starts can use all of it, with any margins', () => {
    fc.assert(
      fc.property(anyMargins, fc.integer({ min: 1, max: 200_000 }), fc.nat(30), (margins, seconds, startSeconds) => {
        const walltime = walltimeFor(seconds, margins);
        const span = { lengthSeconds: walltime, leftSeconds: walltime - startSeconds };
        expect(usableSeconds(margins, span)).toBeGreaterThanOrEqual(seconds);
        expect(claimableSeconds(margins, span)).toBeGreaterThanOrEqual(seconds);
        expect(walltime - seconds).toBeLessThan(overheadSeconds(margins) + 60);
      }),
    );
  });
});
