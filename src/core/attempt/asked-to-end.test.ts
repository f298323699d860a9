import { expect, it } from 'vitest';
import { askerOf, CONTINUED_SECONDS, provesSuccess, type SeenSignal } from './asked-to-end.ts';

const TERM = 1n << 14n;
const seen = (name: string, handled: bigint | undefined, atSeconds = 10): SeenSignal => ({ name, handled, atSeconds });

it.each<[string, SeenSignal[], ReturnType<typeof askerOf>]>([
  ['no signal', [], undefined],
  ['a signal that it handles', [seen('TERM', TERM)], { isHandled: true, isCertain: true }],
  ['a signal that would end it', [seen('TERM', 2n)], { isHandled: false, isCertain: true }],
  ['a signal, and it was gone', [seen('TERM', undefined)], { isHandled: false, isCertain: true }],
  ['SIGCONT just before', [seen('CONT', 2n)], { isHandled: false, isCertain: false }],
  ['SIGCONT long before, as after a pause', [seen('CONT', 2n, 10 - CONTINUED_SECONDS - 1)], undefined],
  [
    'SIGCONT, when it handled SIGTERM, and SIGTERM, when it was gone',
    [seen('CONT', TERM), seen('TERM', undefined)],
    { isHandled: true, isCertain: true },
  ],
  [
    'a signal that it does not handle, and one that it does',
    [seen('USR1', TERM), seen('TERM', TERM)],
    { isHandled: false, isCertain: true },
  ],
  ['SIGCONT long before and SIGTERM', [seen('CONT', 2n, 0), seen('TERM', TERM)], { isHandled: true, isCertain: true }],
])('a job that got %s was asked to end, or was not', (_, signals, expected) => {
  expect(askerOf(signals, 10)).toEqual(expected);
});

it('exit code 0 proves success unless the job was asked to end by a signal that it does not handle', () => {
  expect(provesSuccess(undefined)).toBe(true);
  expect(provesSuccess({ isHandled: true, isCertain: true })).toBe(true);
  expect(provesSuccess({ isHandled: false, isCertain: true })).toBe(false);
  expect(provesSuccess({ isHandled: false, isCertain: false })).toBe(false);
});
