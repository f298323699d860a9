import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Mark, NO_MARK } from './step-mark.ts';
import { type LeftRow, type LeftStep, mayBeReported, provenEnd } from './left-step.ts';

const AT = 1_795_435_200_000;
const mark = (code: number | undefined, asked?: Mark['asked']): Mark => ({ ...NO_MARK, began: true, code, asked });
const USUAL = { memory: 137, time: 152 };
const handled = { isHandled: true, isCertain: true };
const unhandled = { isHandled: false, isCertain: true };
const row = (state: string, more: Partial<LeftRow> = {}): LeftRow => ({
  state,
  exitCode: 0,
  signal: 0,
  endedAtMs: AT,
  ...more,
});
const with_ = (given: Partial<LeftStep>): LeftStep => ({
  mark: undefined,
  row: undefined,
  runnerEndedAtMs: AT,
  ...given,
});
const early = { endedAtMs: AT - 10_000 };

describe('the end of a step whose runner was killed', () => {
  it.each<[string, Partial<LeftStep>, [string, number] | undefined]>([
    ['exit code 0 before anything asked it to end', { mark: mark(0), row: row('COMPLETED') }, ['completed', 0]],
    ['exit code 200, of which the accounting keeps 72', { mark: mark(200), row: row('FAILED') }, ['failed', 200]],
    ['exit code 0 on a cluster without accounting', { mark: mark(0) }, ['completed', 0]],
    ['too much memory', { mark: mark(undefined), row: row('OUT_OF_MEMORY') }, ['failed', 137]],
    ['its own time limit', { row: row('TIMEOUT') }, ['terminated', 152]],
    ['exit code 0 long before its runner, without a mark', { row: row('COMPLETED', early) }, ['completed', 0]],
    [
      'exit code 3 long before its runner, without a mark',
      { row: row('FAILED', { ...early, exitCode: 3 }) },
      ['failed', 3],
    ],
    [
      'exit code 0 after a signal that it handled, long before its runner',
      { mark: mark(0, handled), row: row('COMPLETED', early) },
      ['completed', 0],
    ],

    ['exit code 0 after a signal', { mark: mark(0, unhandled), row: row('COMPLETED') }, undefined],
    ['exit code 0 after a signal that it handled', { mark: mark(0, handled), row: row('COMPLETED') }, undefined],
    ['exit code 0 when Slurm canceled it', { mark: mark(0), row: row('CANCELLED') }, undefined],
    ['exit code 0 when its node failed', { mark: mark(0), row: row('NODE_FAIL') }, undefined],
    [
      'SIGTERM, though nothing is known of a signal',
      { mark: mark(143), row: row('FAILED', { exitCode: 15 }) },
      undefined,
    ],
    [
      'SIGKILL, though nothing is known of a signal',
      { mark: mark(137), row: row('FAILED', { exitCode: 9 }) },
      undefined,
    ],
    ['exit code 0 with its runner, without a mark', { row: row('COMPLETED') }, undefined],
    [
      'exit code 0, without a mark and without an end of its runner',
      { row: row('COMPLETED', early), runnerEndedAtMs: undefined },
      undefined,
    ],
    [
      '9 of an exit code long before its runner, without a mark',
      { row: row('FAILED', { ...early, exitCode: 9 }) },
      undefined,
    ],
    [
      '15 of an exit code long before its runner, without a mark',
      { row: row('FAILED', { ...early, exitCode: 15 }) },
      undefined,
    ],
    [
      '137, which 26.05 keeps whole, long before its runner, without a mark',
      { row: row('FAILED', { ...early, exitCode: 137 }) },
      undefined,
    ],
    [
      '143, which 26.05 keeps whole, long before its runner, without a mark',
      { row: row('FAILED', { ...early, exitCode: 143 }) },
      undefined,
    ],
    ['a signal long before its runner, without a mark', { row: row('FAILED', { ...early, signal: 9 }) }, undefined],
    ['nothing that is on record', { mark: mark(undefined) }, undefined],
    ['nothing at all', {}, undefined],
  ])('a step that ended by %s has the end that is proven', (_, given, expected) => {
    const end = provenEnd(with_(given), USUAL);
    expect(end && [end.status, end.returnCode]).toEqual(expected);
  });

  it('a step that Slurm ended has the codes of its workflow', () => {
    const codes = { memory: 201, time: 200 };
    const ends = ['OUT_OF_MEMORY', 'TIMEOUT'].map((state) => provenEnd(with_({ row: row(state) }), codes));
    expect(ends).toEqual([
      { status: 'failed', returnCode: 201, cause: 'memory' },
      { status: 'terminated', returnCode: 200, cause: 'time' },
    ]);
  });

  it('no step that something asked to end without its handling it is ever completed or failed', () => {
    const anyRow = fc.record({
      state: fc.constantFrom('COMPLETED', 'FAILED', 'CANCELLED', 'NODE_FAIL', 'PREEMPTED', 'RUNNING'),
      exitCode: fc.nat(127),
      signal: fc.nat(15),
      endedAtMs: fc.option(fc.integer({ min: AT - 60_000, max: AT + 60_000 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.nat(255), fc.option(anyRow, { nil: undefined }), fc.boolean(), (code, found, isCertain) => {
        const asked = { isHandled: false, isCertain };
        expect(provenEnd(with_({ mark: mark(code, asked), row: found }), USUAL)).toBeUndefined();
      }),
    );
  });

  it('the accounting is waited for if its State decides, and not if the mark does', () => {
    expect(mayBeReported(mark(0), false)).toBe(true);
    expect(mayBeReported(mark(0), true)).toBe(false);
    expect(mayBeReported(mark(0, unhandled), false)).toBe(false);
    expect(mayBeReported(mark(undefined), false)).toBe(false);
  });
});
