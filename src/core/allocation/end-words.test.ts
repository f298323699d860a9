import { expect, it } from 'vitest';
import { scriptEndWords } from './end-words.ts';

it.each([
  [{ word: 'FAILED', exitCode: 127, signal: 0 }, 'FAILED, exit code 127'],
  [{ word: 'FAILED', exitCode: 0, signal: 9 }, 'FAILED, signal 9'],
  [{ word: 'COMPLETED', exitCode: 0, signal: 0 }, 'COMPLETED'],
  [{ word: 'NODE_FAIL' }, 'NODE_FAIL'],
  [
    { word: 'FAILED', exitCode: 0, signal: 53 },
    expect.stringContaining('FAILED 0:53: Slurm could not open its output file'),
  ],
])('the end of an allocation %j is written in words', (end, words) => {
  expect(scriptEndWords(end)).toEqual(words);
});
