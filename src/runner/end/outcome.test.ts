import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Ended, failureCauseOf, type Outcome, outcomeOf } from './outcome.ts';

const ended: Ended = {
  exitCode: 0,
  signal: undefined,
  endedFor: undefined,
  wasKilled: false,
  missingOutputs: [],
  timeoutExitCode: 152,
  oomExitCode: 137,
};
const signalled = (signal: number) => ({ exitCode: undefined, signal });
const missing = ['out.csv'];

describe('a job that ended by itself', () => {
  it.each<[string, Partial<Ended>, Outcome]>([
    ['completed when it exits with 0', {}, { status: 'completed', returnCode: 0 }],
    ['failed when it exits with another code', { exitCode: 3 }, { status: 'failed', returnCode: 3 }],
    ['failed with 128 plus the signal that ended it', signalled(11), { status: 'failed', returnCode: 139 }],
    ['failed when an output is missing', { missingOutputs: missing }, { status: 'failed', returnCode: 1 }],
    [
      'failed with its own code when it failed and an output is missing',
      { exitCode: 3, missingOutputs: missing },
      { status: 'failed', returnCode: 3 },
    ],
    ['failed, not out of memory, with exit code 137', { exitCode: 137 }, { status: 'failed', returnCode: 137 }],
  ])('a job that ended by itself is %s', (_, differs, outcome) => {
    expect(outcomeOf({ ...ended, ...differs })).toEqual(outcome);
  });
});

describe('a job that was signaled by its runner', () => {
  it.each<[string, Partial<Ended>, Outcome]>([
    ['completed when it finishes in time', { endedFor: 'deadline' }, { status: 'completed', returnCode: 0 }],
    [
      'terminated when it finishes without its outputs',
      { endedFor: 'deadline', missingOutputs: missing },
      { status: 'terminated', returnCode: 1 },
    ],
    [
      'terminated with the signal that ended it',
      { endedFor: 'deadline', ...signalled(15) },
      { status: 'terminated', returnCode: 143 },
    ],
    ['terminated with its own exit code', { endedFor: 'stop', exitCode: 7 }, { status: 'terminated', returnCode: 7 }],
    [
      'terminated with the time-limit code when it was killed at the deadline',
      { endedFor: 'deadline', wasKilled: true, ...signalled(9) },
      { status: 'terminated', returnCode: 152 },
    ],
    [
      'terminated with the time-limit code when somebody else killed it after its runner had asked it to end',
      { endedFor: 'deadline', exitCode: 137 },
      { status: 'terminated', returnCode: 152 },
    ],
    [
      'terminated with the code of the kill when a user stopped it',
      { endedFor: 'stop', wasKilled: true, ...signalled(9) },
      { status: 'terminated', returnCode: 137 },
    ],
    [
      'terminated with the code of the kill when its workflow was canceled',
      { endedFor: 'cancel', wasKilled: true, ...signalled(9) },
      { status: 'terminated', returnCode: 137 },
    ],
  ])('a job that was signaled by its runner is %s', (_, differs, outcome) => {
    expect(outcomeOf({ ...ended, ...differs })).toEqual(outcome);
  });
});

it.each([{ exitCode: 0 }, { exitCode: 3 }, signalled(9)])(
  'a job killed for its memory is failed with the code for that, however it ended: %o',
  (how) => {
    const outcome = outcomeOf({ ...ended, ...how, endedFor: 'memory', wasKilled: true, oomExitCode: 99 });
    expect(outcome).toEqual({ status: 'failed', returnCode: 99 });
  },
);

it('in every case a job is completed if and only if its return code is 0', () => {
  const anyEnd = fc.record({
    how: fc.oneof(
      fc.record({ exitCode: fc.nat(255), signal: fc.constant(undefined) }),
      fc.record({ exitCode: fc.constant(undefined), signal: fc.integer({ min: 1, max: 64 }) }),
    ),
    endedFor: fc.constantFrom<Ended['endedFor'][]>(undefined, 'deadline', 'stop', 'cancel', 'memory'),
    wasKilled: fc.boolean(),
    missingOutputs: fc.constantFrom([], missing),
  });
  fc.assert(
    fc.property(anyEnd, ({ how, ...rest }) => {
      const { status, returnCode } = outcomeOf({ ...ended, ...rest, ...how });
      return (status === 'completed') === (returnCode === 0);
    }),
  );
});

describe('the cause of a failed attempt', () => {
  const known = { signal: undefined, endedFor: undefined, endedBy: undefined, isOverMemory: false };
  it.each<[string, Parameters<typeof failureCauseOf>[0], string | undefined]>([
    ['memory, if the runner killed it for that', { ...known, endedFor: 'memory' }, 'memory'],
    ['memory, if Slurm did', { ...known, endedBy: 'memory' }, 'memory'],
    ['memory, for a SIGKILL above its request', { ...known, signal: 9, isOverMemory: true }, 'memory'],
    ['unknown, for a SIGKILL within its request', { ...known, signal: 9 }, undefined],
    ['unknown, for another signal above its request', { ...known, signal: 11, isOverMemory: true }, undefined],
    ['time, at the end of its runner', { ...known, endedFor: 'deadline' }, 'time'],
    ['time, at the limit of its step', { ...known, endedBy: 'time' }, 'time'],
    ['the node, if that failed', { ...known, endedBy: 'node' }, 'node'],
    ['unknown, if a person canceled its step', { ...known, endedBy: 'cancel' }, undefined],
    [
      'unknown, if a person stopped its runner',
      { ...known, endedFor: 'stop', signal: 9, isOverMemory: true },
      undefined,
    ],
    ['unknown, for an exit code', known, undefined],
  ])('the cause is %s', (_, ended, cause) => {
    expect(failureCauseOf(ended)).toBe(cause);
  });
});
