import { expect, test } from 'vitest';
import { arraySize, parseArraySize } from './array-size.ts';

test.each([
  ['MaxArraySize            = 1001\nMaxDBDMsgs = 20008', 1001],
  ['MaxArraySize            = 0', 1],
  ['MaxJobCount             = 10000', 1],
  ['', 1],
])('the configuration %j of Slurm allows arrays of %d tasks', (text, tasks) => {
  expect(parseArraySize(text)).toBe(tasks);
});

test('there are no job arrays where Slurm does not answer, or another program plays sbatch alone', async () => {
  expect(await arraySize({ TORC_FAKE_SCONTROL: '/bin/false', PATH: process.env['PATH'] })).toBe(1);
  expect(await arraySize({ TORC_FAKE_SBATCH: '/bin/true', PATH: process.env['PATH'] })).toBe(1);
});
