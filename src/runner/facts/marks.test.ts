import { describe, expect, it } from 'vitest';
import { markVariables, marksOf } from './marks.ts';

describe('the marks of jobs', () => {
  it('jobs carry only the mark of their runner when a user started it', () => {
    expect(markVariables('a', { PATH: '/bin' })).toEqual([['TORC_RUNNER_MARK', 'a']]);
  });

  it('jobs carry the marks of all runners around their runner, at any depth', () => {
    let environment: Record<string, string> = {};
    for (const mark of ['a', 'b', 'c']) environment = Object.fromEntries(markVariables(mark, environment));
    expect(marksOf(environment)).toEqual(['a', 'b', 'c']);
  });

  it('jobs carry only the mark of their runner when it was started to outlive the runner around it', () => {
    const inner = Object.fromEntries(markVariables('b', Object.fromEntries(markVariables('a', {}))));
    const { TORC_RUNNER_MARK: _, ...detached } = inner;
    expect(marksOf({ ...detached, ...Object.fromEntries(markVariables('c', detached)) })).toEqual(['c']);
  });
});

it('a process without its own mark belongs to no runner, whichever outer marks it inherited', () => {
  expect(marksOf({ TORC_RUNNER_OUTER_MARKS: 'a:b' })).toEqual([]);
  expect(marksOf({ TORC_RUNNER_OUTER_MARKS: 'a:b', TORC_RUNNER_MARK: '' })).toEqual([]);
  expect(marksOf({ TORC_RUNNER_OUTER_MARKS: 'a:b', TORC_RUNNER_MARK: 'c' })).toEqual(['a', 'b', 'c']);
});
