import { expect, it } from 'vitest';
import { shellWords } from './shell-words.ts';

it.each([
  ['', []],
  ['  fix.sh  --all ', ['fix.sh', '--all']],
  [`'a b' "c \\" d" e\\ f`, ['a b', 'c " d', 'e f']],
  [`x''y "" z`, ['xy', '', 'z']],
  [`$HOME;ls`, ['$HOME;ls']],
])('%j has the words of a shell', (text, words) => {
  expect(shellWords(text)).toEqual(words);
});

it('a quote that is not closed has no words', () => {
  expect(shellWords(`a 'b`)).toBeUndefined();
});
