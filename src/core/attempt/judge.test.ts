import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CauseCode } from '../contract/cause-code.ts';
import type { Evidence } from './evidence.ts';
import { causeOfRecord, judge, LOST_CODE, type Verdict } from './judge.ts';

const USUAL = { memory: 137, time: 152 };
const OWN = { memory: 201, time: 200 };
const ended: Evidence = { exitCode: 0 };
const signalled = (signal: number) => ({ exitCode: undefined, signal });
const missing = ['out.csv'];
const verdict =
  (status: Verdict['status']) =>
  (returnCode: number, cause?: CauseCode): Verdict => ({
    status,
    returnCode,
    ...(cause === undefined ? {} : { cause }),
  });
const failed = verdict('failed');
const terminated = verdict('terminated');
const completed = (cause?: CauseCode) => verdict('completed')(0, cause);

describe('a job that ended by itself', () => {
  it.each<[string, Evidence, Verdict]>([
    ['completed when it exits with 0', {}, completed()],
    ['failed when it exits with another code', { exitCode: 3 }, failed(3, 'exit')],
    ['failed with 128 plus the signal that ended it', signalled(11), failed(139, 'crash')],
    ['failed with the code of a shell that did not find its command', { exitCode: 127 }, failed(127, 'not_found')],
    ['failed with the code of a shell that cannot execute it', { exitCode: 126 }, failed(126, 'not_executable')],
    ['failed with 1 by itself, whether or not its outputs are there', { exitCode: 1 }, failed(1, 'exit')],
    ['failed when an output is missing', { missingOutputs: missing }, failed(1, 'missing_output')],
    [
      'failed with its own code when it failed and an output is missing',
      { exitCode: 3, missingOutputs: missing },
      failed(3, 'exit'),
    ],
    ['failed for a full disk when it failed on one', { exitCode: 1, shortage: 'space' }, failed(1, 'disk')],
    [
      'failed for its command when that is not there, also on a full disk',
      { exitCode: 127, shortage: 'space' },
      failed(127, 'not_found'),
    ],
    ['completed with a warning when it did not touch an output', { staleOutputs: missing }, completed('stale_output')],
    [
      'failed when it did not touch an output and its workflow says so',
      { staleOutputs: missing, failsForStale: true },
      failed(1, 'stale_output'),
    ],
  ])('a job that ended by itself is %s', (_, differs, expected) => {
    expect(judge({ ...ended, ...differs }, USUAL)).toEqual(expected);
  });
});

describe('a job that was signaled by its runner', () => {
  it.each<[string, Evidence, Verdict]>([
    ['completed when it finishes in time', { endedFor: 'deadline' }, completed('asked')],
    [
      'terminated when it finishes without its outputs',
      { endedFor: 'deadline', missingOutputs: missing },
      terminated(1, 'missing_output'),
    ],
    ['terminated with the signal that ended it', { endedFor: 'deadline', ...signalled(15) }, terminated(143, 'time')],
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
      terminated(137, 'canceled'),
    ],
  ])('a job that was signaled by its runner is %s', (_, differs, expected) => {
    expect(judge({ ...ended, ...differs }, USUAL)).toEqual(expected);
  });
});

it.each([{ exitCode: 0 }, { exitCode: 3 }, signalled(9)])(
  'a job killed for its memory is failed with the code for that, however it ended: %o',
  (how) => {
    const found = judge({ ...ended, ...how, endedFor: 'memory', wasKilled: true }, { ...USUAL, memory: 99 });
    expect(found).toEqual(failed(99, 'memory'));
  },
);

const anyEvidence = fc.record({
  how: fc.oneof(
    fc.record({ exitCode: fc.nat(255), signal: fc.constant(undefined) }),
    fc.record({ exitCode: fc.constant(undefined), signal: fc.integer({ min: 1, max: 64 }) }),
  ),
  endedFor: fc.constantFrom<Evidence['endedFor'][]>(undefined, 'deadline', 'stop', 'cancel', 'memory'),
  wasKilled: fc.boolean(),
  allocationEnd: fc.constantFrom<Evidence['allocationEnd'][]>(undefined, 'preempted', 'limit', 'over'),
  missingOutputs: fc.constantFrom([], missing),
  staleOutputs: fc.constantFrom([], missing),
  failsForStale: fc.boolean(),
  shortage: fc.constantFrom<Evidence['shortage'][]>(undefined, 'space'),
  memoryShare: fc.constantFrom(0, 0.95),
  asked: fc.option(fc.record({ isHandled: fc.boolean(), isCertain: fc.boolean() }), { nil: undefined }),
  endedBy: fc.constantFrom<Evidence['endedBy'][]>(undefined, 'memory', 'time', 'cancel', 'node', 'allocation'),
});

describe('every judgement', () => {
  it('a job is completed if and only if its return code is 0, and whatever did not complete has a cause', () => {
    fc.assert(
      fc.property(anyEvidence, fc.constantFrom(USUAL, OWN), ({ how, ...rest }, codes) => {
        const { status, returnCode, cause } = judge({ ...rest, ...how }, codes);
        expect([status === 'completed', returnCode === 0 || cause !== undefined]).toEqual([returnCode === 0, true]);
      }),
    );
  });

  it('what a status and a return code prove alone is never another cause than all evidence gives', () => {
    fc.assert(
      fc.property(anyEvidence, fc.constantFrom(USUAL, OWN), ({ how, ...rest }, codes) => {
        // A program may end with the code that its workflow gives to others.
        fc.pre(![codes.memory, codes.time].includes(how.exitCode ?? 128 + how.signal));
        const { status, returnCode, cause } = judge({ ...rest, ...how }, codes);
        const proven = causeOfRecord({ status, returnCode }, codes);
        // The disk of its output is known besides: the command itself ended there, too.
        expect([cause === 'disk' ? 'exit' : cause, undefined]).toContain(proven);
      }),
      { numRuns: 1000 },
    );
  });

  it('the codes of the workflow change the return codes for memory and time, and no status and no cause', () => {
    fc.assert(
      fc.property(anyEvidence, ({ how, ...rest }) => {
        const [usual, own] = [USUAL, OWN].map((codes) => judge({ ...rest, ...how }, codes)) as [Verdict, Verdict];
        expect([own.status, own.cause]).toEqual([usual.status, usual.cause]);
        if (own.returnCode !== usual.returnCode)
          expect([
            [137, 201],
            [152, 200],
          ]).toContainEqual([usual.returnCode, own.returnCode]);
      }),
    );
  });
});

describe('the cause of a record without one', () => {
  it.each<[Verdict['status'], number, CauseCode | undefined]>([
    ['failed', 3, 'exit'],
    ['failed', 127, 'not_found'],
    ['failed', 126, 'not_executable'],
    ['failed', 139, 'crash'],
    ['failed', 130, 'signal'],
    ['failed', LOST_CODE, 'lost'],
    ['terminated', 152, 'time'],
    // A missing output, too.
    ['failed', 1, undefined],
    // Any SIGKILL and any SIGTERM, too.
    ['failed', 137, undefined],
    ['failed', 143, undefined],
    ['terminated', 143, undefined],
    ['terminated', 3, undefined],
    ['completed', 0, undefined],
  ])('%s with %d proves %s', (status, returnCode, cause) => {
    expect(causeOfRecord({ status, returnCode }, USUAL)).toBe(cause);
  });
});

describe('what ended an attempt', () => {
  const unhandled = { isHandled: false, isCertain: true };
  it.each<[string, Evidence, Verdict]>([
    ['its memory, if the runner killed it for that', { endedFor: 'memory' }, failed(137, 'memory')],
    ['its memory, if Slurm did', { endedBy: 'memory' }, failed(137, 'memory')],
    ['its memory, for a SIGKILL near its request', { ...signalled(9), memoryShare: 0.9 }, failed(137, 'memory')],
    ['unknown, for a SIGKILL well below its request', { ...signalled(9), memoryShare: 0.89 }, failed(137, 'killed')],
    ['unknown, for an exit code that a shell gives to SIGKILL', { exitCode: 137 }, failed(137, 'killed')],
    ['itself, for another signal above its request', { ...signalled(11), memoryShare: 2 }, failed(139, 'crash')],
    ['its time, at the limit of its step', { endedBy: 'time' }, terminated(152, 'time')],
    ['its node, if that failed', { endedBy: 'node' }, failed(137, 'node')],
    ['a person, who canceled its step', { endedBy: 'cancel' }, failed(137, 'canceled')],
    ['the end of its allocation', { endedBy: 'allocation', exitCode: 143 }, terminated(143, 'allocation')],
    ['the end of its allocation, whatever its code', { endedBy: 'allocation' }, terminated(143, 'allocation')],
    ['a stop of its runner', { endedFor: 'stop', ...signalled(9), memoryShare: 2 }, terminated(137, 'stopped')],
    ['itself, for an exit code', { exitCode: 3 }, failed(3, 'exit')],
    [
      'a preemption of its allocation',
      { endedFor: 'stop', allocationEnd: 'preempted', ...signalled(15) },
      terminated(143, 'allocation'),
    ],
    ['another process, for a SIGTERM', signalled(15), failed(143, 'signal')],
    ['a signal that it does not handle, though it exits with 0', { asked: unhandled }, failed(143, 'unproven')],
    [
      'a signal of its runner that it does not handle, though it exits with 0',
      { endedFor: 'stop', asked: unhandled },
      terminated(143, 'unproven'),
    ],
    [
      'the request to end, if it handles the signal and exits with 0',
      { endedFor: 'stop', asked: { ...unhandled, isHandled: true } },
      completed('asked'),
    ],
    [
      'the request to end, where Slurm alone asked it',
      { asked: { ...unhandled, isHandled: true } },
      completed('asked'),
    ],
    [
      'nothing but itself, where Slurm only continued it',
      { asked: { isHandled: true, isCertain: false } },
      { status: 'completed', returnCode: 0 },
    ],
  ])('what ended an attempt is %s', (_, differs, expected) => {
    expect(judge({ ...ended, ...differs }, USUAL)).toEqual(expected);
  });
});
