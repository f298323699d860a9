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
