import { expect, it } from 'vitest';
import { faultsOf, readHistory } from './history.ts';

const faults = (...lines: string[]) => faultsOf(readHistory(lines.join('\n')), { cpus: 2, gpus: 2 });

it('a history in which all is well has no faults', () => {
  expect(faults('B 1 1 r 1 a', 'B 2 1 r 1 b', 'E 1 1 r 1 a', 'B 3 1 r 1 a', 'B 1 2 s 2 a,b')).toEqual([]);
});

it.each([
  [['B 1 1 r 1 ', 'E 1 1 r 1 ', 'B 1 1 s 1 '], 'job 1 attempt 1 began twice'],
  [['B 1 1 r 2 ', 'B 2 1 r 1 '], '3 processors of 2 in use at r when job 2 attempt 1 began'],
  [['B 1 1 r 1 a', 'B 2 1 r 1 a'], 'job 2 attempt 1 and job 1 have device a at once'],
  [['B 1 1 r 1 a,b', 'B 2 1 r 1 c'], '3 devices of 2 in use at r when job 2 attempt 1 began'],
])('%j is found out', (lines, fault) => {
  expect(faults(...lines)).toEqual([fault]);
});
