import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Ended, failureCauseOf, type Outcome, outcomeOf } from './outcome.ts';

const ended: Ended = {
  exitCode: 0,
  signal: undefined,
  endedFor: undefined,
  wasKilled: false,
  missingOutputs: [],
  memoryShare: 0,
  timeoutExitCode: 152,
  oomExitCode: 137,
};
const signalled = (signal: number) => ({ exitCode: undefined, signal });
const missing = ['out.csv'];
const outcome = (status: Outcome['status']) => (returnCode: number, causeCode?: Outcome['causeCode']) => ({
  status,
  returnCode,
  ...(causeCode === undefined ? {} : { causeCode }),
});
const failed = outcome('failed');
const terminated = outcome('terminated');

describe('a job that ended by itself', () => {
  it.each<[string, Partial<Ended>, Outcome]>([
    ['completed when it exits with 0', {}, { status: 'completed', returnCode: 0 }],
    ['failed when it exits with another code', { exitCode: 3 }, { status: 'failed', returnCode: 3 }],
    ['failed with 128 plus the signal that ended it', signalled(11), { status: 'failed', returnCode: 139 }],
    ['failed when an output is missing', { missingOutputs: missing }, failed(1, 'missing_output')],
    [
      'failed with its own code when it failed and an output is missing',
      { exitCode: 3, missingOutputs: missing },
      { status: 'failed', returnCode: 3 },
    ],
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
      terminated(1, 'missing_output'),
    ],
    [
      'terminated with the signal that ended it',
      { endedFor: 'deadline', ...signalled(15) },
      terminated(143, 'stopped'),
    ],
    ['terminated with its own exit code', { endedFor: 'stop', exitCode: 7 }, terminated(7, 'stopped')],
    [
      'terminated with the time-limit code when it was killed at the deadline',
      { endedFor: 'deadline', wasKilled: true, ...signalled(9) },
      terminated(152, 'time'),
    ],
    [
      'terminated with the time-limit code when another process killed it after its runner had asked it to end',
      { endedFor: 'deadline', exitCode: 137 },
      terminated(152, 'time'),
    ],
    [
      'terminated with the code of the kill when a user stopped it',
      { endedFor: 'stop', wasKilled: true, ...signalled(9) },
      terminated(137, 'stopped'),
    ],
    [
      'terminated with the code of the kill when its workflow was canceled',
      { endedFor: 'cancel', wasKilled: true, ...signalled(9) },
      terminated(137, 'stopped'),
    ],
  ])('a job that was signaled by its runner is %s', (_, differs, outcome) => {
    expect(outcomeOf({ ...ended, ...differs })).toEqual(outcome);
  });
});

it.each([{ exitCode: 0 }, { exitCode: 3 }, signalled(9)])(
  'a job killed for its memory is failed with the code for that, however it ended: %o',
  (how) => {
    const found = outcomeOf({ ...ended, ...how, endedFor: 'memory', wasKilled: true, oomExitCode: 99 });
    expect(found).toEqual(failed(99, 'memory'));
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
    asked: fc.option(fc.record({ isHandled: fc.boolean(), isCertain: fc.boolean() }), { nil: undefined }),
    endedBy: fc.constantFrom<Ended['endedBy'][]>(undefined, 'memory', 'time', 'cancel', 'node', 'allocation'),
  });
  fc.assert(
    fc.property(anyEnd, ({ how, ...rest }) => {
      const { status, returnCode } = outcomeOf({ ...ended, ...rest, ...how });
      return (status === 'completed') === (returnCode === 0);
    }),
  );
});

describe('what ended an attempt', () => {
  const unhandled = { isHandled: false, isCertain: true };
  it.each<[string, Partial<Ended>, Outcome]>([
    ['its memory, if the runner killed it for that', { endedFor: 'memory' }, failed(137, 'memory')],
    ['its memory, if Slurm did', { endedBy: 'memory' }, failed(137, 'memory')],
    ['its memory, for a SIGKILL near its request', { ...signalled(9), memoryShare: 0.9 }, failed(137, 'memory')],
    ['unknown, for a SIGKILL well below its request', { ...signalled(9), memoryShare: 0.89 }, failed(137, 'killed')],
    ['unknown, for an exit code that a shell gives to SIGKILL', { exitCode: 137 }, failed(137, 'killed')],
    ['itself, for another signal above its request', { ...signalled(11), memoryShare: 2 }, failed(139)],
    ['its time, at the limit of its step', { endedBy: 'time' }, terminated(152, 'time')],
    ['its node, if that failed', { endedBy: 'node' }, failed(137, 'node')],
    ['a person, who canceled its step', { endedBy: 'cancel' }, failed(137, 'canceled')],
    ['the end of its allocation', { endedBy: 'allocation', exitCode: 143 }, terminated(143, 'allocation')],
    ['the end of its allocation, whatever its code', { endedBy: 'allocation' }, terminated(143, 'allocation')],
    ['a stop of its runner', { endedFor: 'stop', ...signalled(9), memoryShare: 2 }, terminated(137, 'stopped')],
    ['itself, for an exit code', { exitCode: 3 }, failed(3)],
    ['a signal that it does not handle, though it exits with 0', { asked: unhandled }, failed(143, 'unproven')],
    [
      'a signal of its runner that it does not handle, though it exits with 0',
      { endedFor: 'stop', asked: unhandled },
      terminated(143, 'unproven'),
    ],
    [
      'nothing, if it handles the signal and exits with 0',
      { endedFor: 'stop', asked: { ...unhandled, isHandled: true } },
      { status: 'completed', returnCode: 0 },
    ],
  ])('what ended an attempt is %s', (_, differs, outcome) => {
    expect(outcomeOf({ ...ended, ...differs })).toEqual(outcome);
  });

  it('failure handlers know three causes, and a deadline is a lack of time', () => {
    const causes = (['memory', 'time', 'node', 'killed', undefined] as const).map((causeCode) =>
      failureCauseOf({ causeCode }, undefined),
    );
    expect(causes).toEqual(['memory', 'time', 'node', undefined, undefined]);
    expect(failureCauseOf({ causeCode: 'stopped' }, 'deadline')).toBe('time');
  });
});
