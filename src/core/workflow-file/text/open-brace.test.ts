import { expect, it } from 'vitest';
import { openBrace, tooDeep } from './open-brace.ts';

it.each([
  ['a {\n}', undefined],
  ['a {\n  b {\n  }\n', 2],
  ['a {\n}\nb {\n c {}\n', 8],
  ['a { // }\n', 2],
  ['a { /* } */ "}" "\\"}" #"}"# """\n}\n"""\n', 2],
  ['a "{"', undefined],
  ['}', undefined],
])('the brace of %j that is never closed is found, whatever strings and comments hold', (text, position) => {
  expect(openBrace(text)).toBe(position);
});

it('levels are counted by braces that are no part of a text or a comment', () => {
  const nested = `a "{{{{" { // {{{\n b { c {} } } d { e {} }`;
  expect(tooDeep(nested, 3)).toBeUndefined();
  expect(tooDeep(nested, 2)).toBe(nested.indexOf('{}'));
});
