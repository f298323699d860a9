import { expect, it, test } from 'vitest';
import { shortened, textWidth } from './text-width.ts';

test.each([
  ['', 0],
  ['abc', 3],
  ['größ', 4],
  ['日本', 4],
  ['ﾊﾝｶｸ', 4],
  ['한글', 4],
  ['\u1112\u1161\u11ab', 2],
  ['e\u0301', 1],
  ['🚀', 2],
  ['👩‍👩‍👧', 2],
  ['👍🏽', 2],
  ['🇩🇪', 2],
  ['a\u200bb', 2],
  ['–…│', 3],
])('%j takes %d columns', (text, width) => {
  expect(textWidth(text)).toBe(width);
});

test.each([
  ['abcdef', 6, 'abcdef', 'abcdef'],
  ['abcdef', 5, 'abcd…', 'ab…ef'],
  ['abcdef', 4, 'abc…', 'ab…f'],
  ['abcdef', 1, '…', '…'],
  ['日本語文字', 5, '日本…', '日…字'],
  ['日本語文字', 4, '日…', '日…'],
  ['👩‍👩‍👧👩‍👩‍👧', 3, '👩‍👩‍👧…', '…'],
])('%j in %d columns is %j, or from the middle %j', (text, width, end, middle) => {
  expect(shortened(text, width)).toBe(end);
  expect(shortened(text, width, 'middle')).toBe(middle);
  expect(textWidth(shortened(text, width, 'middle'))).toBeLessThanOrEqual(width);
});

it('cuts a very long text quickly: only what is shown is measured', () => {
  const text = '日'.repeat(200_000);
  expect(shortened(text, 11)).toBe('日日日日日…');
});

it('a text that is measured the short way has the width that the long way gives', () => {
  const characters = Array.from({ length: 0x2600 - 0x20 }, (_, index) => String.fromCodePoint(index + 0x20));
  // Behind a character that is not plain, every text is measured the long way.
  const long = (text: string) => textWidth(`日${text}`) - 2;
  const isPlainWhere = /^[ -~\u00a1-\u00ac\u00ae-\u024f\u2010-\u2015\u2018-\u201f\u2026\u2190-\u2193\u2500-\u257f]$/;
  const plain = characters.filter((character) => isPlainWhere.test(character));
  expect(plain.filter((character) => textWidth(character) !== long(character))).toEqual([]);
  expect(long(plain.join(''))).toBe(plain.length);
});
