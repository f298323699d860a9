import { describe, expect, it } from 'vitest';
import { markVariables, marksOf } from './marks.ts';

describe('the jobs of a runner', () => {
  it('carry its mark, and nothing else when it was started by a person', () => {
    expect(markVariables('a', { PATH: '/bin' })).toEqual([['TORC_RUNNER_MARK', 'a']]);
  });

  it('carry the marks of all runners around it, whatever the depth', () => {
    let environment: Record<string, string> = {};
    for (const mark of ['a', 'b', 'c']) environment = Object.fromEntries(markVariables(mark, environment));
    expect(marksOf(environment)).toEqual(['a', 'b', 'c']);
  });

  it('carry only its own mark when it was started to outlive the runner around it', () => {
    const inner = Object.fromEntries(markVariables('b', Object.fromEntries(markVariables('a', {}))));
    const { TORC_RUNNER_MARK: _, ...detached } = inner;
    expect(marksOf({ ...detached, ...Object.fromEntries(markVariables('c', detached)) })).toEqual(['c']);
  });
});

it('a process without a mark of its own belongs to no runner, whatever marks it inherited', () => {
  expect(marksOf({ TORC_RUNNER_OUTER_MARKS: 'a:b' })).toEqual([]);
  expect(marksOf({ TORC_RUNNER_OUTER_MARKS: 'a:b', TORC_RUNNER_MARK: '' })).toEqual([]);
  expect(marksOf({ TORC_RUNNER_OUTER_MARKS: 'a:b', TORC_RUNNER_MARK: 'c' })).toEqual(['a', 'b', 'c']);
});
