import { expect, it, test } from 'vitest';
import { chunksIn, parsePbsBytes } from './chunks.ts';

const one = { count: 1, cpus: 1, memoryBytes: undefined, gpus: 0 };

it.each([
  ['2:ncpus=4:mem=8gb:ngpus=1', [{ count: 2, cpus: 4, memoryBytes: 2 ** 33, gpus: 1 }]],
  [
    '2:ncpus=4+1:ncpus=8',
    [
      { ...one, count: 2, cpus: 4 },
      { ...one, cpus: 8 },
    ],
  ],
  ['2:ppn=4:gpus=2', [{ ...one, count: 2, cpus: 4, gpus: 2 }]],
  ['ncpus=3:mem=100mw', [{ ...one, cpus: 3, memoryBytes: 800 * 2 ** 20 }]],
  ['n01+n02', [one, one]],
  ['1:ncpus=x:mem=1.5gb', [one]],
])('the request %j has the chunks %j', (select, chunks) => expect(chunksIn(select)).toEqual(chunks));

test.each([
  ['100', 100],
  ['512000kb', 524_288_000],
  ['2gb', 2 ** 31],
  ['2GB', 2 ** 31],
  ['2g', 2 ** 31],
  ['100mw', 800 * 2 ** 20],
  ['1.5gb', undefined],
  ['nan', undefined],
])('the memory %j is %j bytes', (text, value) => expect(parsePbsBytes(text)).toBe(value));
