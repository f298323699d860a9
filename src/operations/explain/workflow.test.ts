import { expect, it } from 'vitest';
import { groupOf } from './workflow.ts';

const failed = { status: 'failed', return_code: 1 } as const;

it('jobs that failed with the same code, cause and last line are one group, whatever the numbers in it', () => {
  expect(groupOf(failed, 'KeyError: sample 17 after 3.5 s')).toBe(groupOf(failed, 'KeyError: sample 4 after 12 s'));
  const lost = (allocation: number) => ({ ...failed, cause: `allocation ${allocation} ended NODE_FAIL` });
  expect(groupOf(lost(7), undefined)).toBe(groupOf(lost(8), undefined));
});

it('another code, cause, status or last line is another group', () => {
  const groups = [
    groupOf(failed, 'KeyError'),
    groupOf(failed, 'ValueError'),
    groupOf({ ...failed, cause_code: 'missing_output' }, 'KeyError'),
    groupOf({ ...failed, return_code: 2 }, 'KeyError'),
    groupOf({ ...failed, status: 'terminated' }, 'KeyError'),
  ];
  expect(new Set(groups).size).toBe(groups.length);
});
