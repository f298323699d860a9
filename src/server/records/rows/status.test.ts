import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { jobStatuses } from '../../../core/contract/job.ts';
import { ENDED, HELD, OPEN, SUCCEEDED } from '../../../core/job/statuses.ts';
import { anyOf, inRangesOf, STATUS } from './status.ts';

const server = resolve(import.meta.dirname, '../..');
const NUMBER = /\bstatus (?:=|<>|in|not in) ?\(?\d/;

it('the statuses in SQL are the positions in the list of statuses', () => {
  expect(jobStatuses.map((status) => STATUS[status])).toEqual(jobStatuses.map((_, position) => position));
  expect([anyOf('ready'), anyOf(HELD), anyOf(ENDED)]).toEqual(['(2)', '(3, 4)', '(5, 6, 7, 8)']);
  expect(anyOf('blocked', HELD)).toBe('(1, 3, 4)');
});

it('a set of statuses is also a condition on ranges of numbers', () => {
  expect(inRangesOf('status', OPEN)).toBe('(status <= 4 or status = 10)');
  expect(inRangesOf('job.status', ENDED)).toBe('(job.status between 5 and 8)');
  expect(inRangesOf('status', SUCCEEDED)).toBe('(status = 5)');
});

it('SQL statements name the statuses of jobs, and contain no number of one', () => {
  const files = globSync('**/*.ts', { cwd: server }).filter((file) => !/\.(?:test|gen)\.ts$/.test(file));
  expect(files.length).toBeGreaterThan(100);
  expect(NUMBER.test('where status in (3, 4)')).toBe(true);
  expect(files.filter((file) => NUMBER.test(readFileSync(join(server, file), 'utf8')))).toEqual([]);
});
