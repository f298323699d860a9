import { expect, it } from 'vitest';
import { refusals } from '../../core/contract/refusals.ts';
import { ADDITIONS } from './additions.ts';

it('a refusal for a library that is missing names the command for every installation, and no version beside the lock', () => {
  const remedies = Object.values(refusals).map(({ remedy }) => remedy);
  const named = remedies.flatMap((remedy) => /torc add (\w+)/.exec(remedy)?.[1] ?? []);
  expect(named.toSorted()).toEqual(['duckdb', 'kafka', 'postgres']);
  expect(Object.keys(ADDITIONS)).toEqual(expect.arrayContaining(named));
  expect(remedies.filter((remedy) => /\w@\d/.test(remedy))).toEqual([]);
});
