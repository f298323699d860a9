import { describe, expect, it, test } from 'vitest';
import { allocationJobName, isScriptOf, scriptName, startupWindowSeconds, submissionToken } from './names.ts';

const options = { workflowId: 42, schedulerId: 7, pid: 901, number: 2, prefix: '', isSerialized: false };
const workflow = { id: 42, timestamp: '2026-11-21T10:00:00.123Z' };

describe('the job of an allocation is named after', () => {
  test('the workflow, the process and a number, behind the prefix of the user', () => {
    expect(allocationJobName(options)).toBe('wf42_901_2');
    expect(allocationJobName({ ...options, prefix: 'night_' })).toBe('night_wf42_901_2');
  });

  test('the workflow and the scheduler where allocations run one after another', () => {
    expect(allocationJobName({ ...options, isSerialized: true })).toBe('torc-wf42-sched7');
    expect(scriptName({ ...options, isSerialized: true }, 'a1')).toBe('wf42_901_2_a1.sh');
  });
});

test.each([
  ['a/b', 'a_b'],
  ['../up ', '.._up '],
  ['100% "q" ü', '100% "q" ü'],
  ['日'.repeat(200), '日'.repeat(40)],
])('the script of an allocation with the prefix %j has a file name', (prefix, begin) => {
  expect(scriptName({ ...options, prefix }, 'a1')).toBe(`${begin}wf42_901_2_a1.sh`);
  expect(allocationJobName({ ...options, prefix })).toBe(`${prefix}wf42_901_2`);
});

describe('the token of an allocation', () => {
  it('the token of an allocation is the same for everyone who reads its record, and stands in the path of its script', () => {
    const token = submissionToken(3, workflow);
    expect(token).toBe(submissionToken(3, { ...workflow }));
    expect(isScriptOf(`/scratch/out/${scriptName(options, token)}`, token)).toBe(true);
  });

  it('the token of an allocation differs between records, and between servers with equal ids', () => {
    const tokens = [
      submissionToken(3, workflow),
      submissionToken(13, workflow),
      submissionToken(3, { ...workflow, id: 142 }),
      submissionToken(3, { ...workflow, timestamp: '2026-11-21T10:00:00.124Z' }),
    ];
    for (const token of tokens) {
      expect(tokens.filter((other) => isScriptOf(scriptName(options, other), token))).toEqual([token]);
    }
  });
});

test.each([
  [0, 0],
  [1, 0],
  [2, 2],
  [5, 5],
  [10, 10],
  [11, 10],
  [55, 35],
  [100, 60],
  [101, 60],
  [1000, 60],
])('%i runners start within %i seconds', (runners, seconds) => {
  expect(startupWindowSeconds(runners)).toBe(seconds);
});
