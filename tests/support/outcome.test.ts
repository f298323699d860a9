import { describe, expect, it } from 'vitest';
import { afterSecondTry, type FileOutcome, lastLinesOf, MOST_UNSTEADY, type Outcome, toTryAgain } from './outcome.ts';

const names = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`);
const file = (path: string, failed: string[] = [], passed = names(2)): FileOutcome => ({
  path,
  passed,
  skipped: 1,
  failed,
});
const run = (files: FileOutcome[], errors = 0): Outcome => ({ files, errors, unsteady: [] });
const many = Array.from({ length: MOST_UNSTEADY + 1 }, (_, index) => `t${index}`);

describe('what is tried once more', () => {
  it.each([
    ['nothing where all passed', run([file('a'), file('b')]), []],
    ['the files of few failed tests', run([file('a', ['x', 'y']), file('b'), file('c', ['z'])]), ['a', 'c']],
    ['a file that could not be loaded', run([file('a', ['a'], [])]), ['a']],
    ['a file whose tests failed together', run([file('a', many)]), ['a']],
    ['nothing where many files failed', run(many.map((name) => file(name, ['x']))), []],
    ['nothing where an error belongs to no file', run([file('a', ['x'])], 1), []],
  ])('tried once more is %s', (_, outcome, paths) => {
    expect(toTryAgain(outcome)).toEqual(paths);
  });
});

describe('the outcome after a second try', () => {
  const first = run([file('a', ['x', 'y'], names(5)), file('b')]);

  it('a test that passes at its second try passed, and is named', () => {
    const after = afterSecondTry(first, run([file('a', [], [...names(5), 'x', 'y'])]));
    expect(after.unsteady).toEqual(['a: x', 'a: y']);
    expect(lastLinesOf(after, false)).toEqual([
      '2 skipped: the reasons stand beside them',
      'passed at its second try, to be repaired: a: x',
      'passed at its second try, to be repaired: a: y',
      '9 passed, 0 failed',
    ]);
  });

  it('a test that fails twice failed', () => {
    const after = afterSecondTry(first, run([file('a', ['y'], [...names(5), 'x'])]));
    expect(after.unsteady).toEqual(['a: x']);
    expect(lastLinesOf(after, false).at(-1)).toBe('8 passed, 1 failed');
  });

  it('a test that fails at the second try alone failed too', () => {
    const after = afterSecondTry(first, run([file('a', ['z'], [...names(4), 'x', 'y'])]));
    expect(lastLinesOf(after, false).at(-1)).toBe('8 passed, 1 failed');
  });

  it('a test that is left out at its second try stays failed', () => {
    const after = afterSecondTry(first, run([file('a', [], [...names(5), 'x'])]));
    expect(after.unsteady).toEqual(['a: x']);
    expect(lastLinesOf(after, false).at(-1)).toBe('8 passed, 1 failed');
  });

  it('a file that could not be loaded passed if its tests pass at the second try, and not if they are left out', () => {
    const unloaded = run([file('a', ['a'], [])]);
    expect(afterSecondTry(unloaded, run([file('a')])).unsteady).toEqual(['a: a']);
    expect(afterSecondTry(unloaded, run([file('a', [], [])])).files[0]?.failed).toEqual(['a']);
  });

  it('an error of the second try that belongs to no file counts', () => {
    expect(lastLinesOf(afterSecondTry(first, run([file('a', [], [...names(5), 'x', 'y'])], 1)), true).at(-1)).toBe(
      '9 passed, 1 failed',
    );
  });
});

it('a run that tried a part says so, and one that tried all does not', () => {
  const said = (inPart: boolean) => lastLinesOf(run([file('a')]), inPart).filter((line) => line.includes('in part'));
  expect([said(true).length, said(false).length]).toEqual([1, 0]);
});
