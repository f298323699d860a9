import { expect, it } from 'vitest';
import { slurmSignal } from './signal-name.ts';

it.each([
  ['SIGTERM', 'TERM'],
  ['USR1', 'USR1'],
  ['SIGPROF', '27'],
  ['IO', '29'],
  ['12', '12'],
  ['B:USR1', 'B:USR1'],
])('%s is %s to the programs of Slurm, which do not know all names', (text, expected) => {
  expect(slurmSignal(text)).toBe(expected);
});
