import { expect, it } from 'vitest';
import { explainedGroupOf } from './workflow.ts';

const failed = { status: 'failed', return_code: 1 } as const;

it('jobs that failed with the same code, cause and last line are one group, whatever the numbers in it', () => {
  expect(explainedGroupOf(failed, 'KeyError: sample 17 after 3.5 s')).toBe(
    explainedGroupOf(failed, 'KeyError: sample 4 after 12 s'),
  );
  const lost = (allocation: number) => ({ ...failed, cause: `allocation ${allocation} ended NODE_FAIL` });
  expect(explainedGroupOf(lost(7), undefined)).toBe(explainedGroupOf(lost(8), undefined));
});

it('another code, cause, status or last line is another group', () => {
  const groups = [
    explainedGroupOf(failed, 'KeyError'),
    explainedGroupOf(failed, 'ValueError'),
    explainedGroupOf({ ...failed, cause_code: 'missing_output' }, 'KeyError'),
    explainedGroupOf({ ...failed, return_code: 2 }, 'KeyError'),
    explainedGroupOf({ ...failed, status: 'terminated' }, 'KeyError'),
  ];
  expect(new Set(groups).size).toBe(groups.length);
});
