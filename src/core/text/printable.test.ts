import fc from 'fast-check';
import { expect, it } from 'vitest';
import { logLine } from './log-line.ts';
import { lastState, printable, printableLine } from './printable.ts';

const steers = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

it.each([
  ['plain \u{1f600} äöü 漢字', 'plain \u{1f600} äöü 漢字'],
  ['two\n\tlines', 'two\n\tlines'],
  ['\u001b]0;title\u0007\u001b[2J', String.raw`\u001b]0;title\u0007\u001b[2J`],
  ['over\rwritten\b\b', String.raw`over\u000dwritten\u0008\u0008`],
  ['\u009b31m\u007f', String.raw`\u009b31m\u007f`],
  ['a\u202eb', String.raw`a\u202eb`],
])('%j is shown as %j', (text, expected) => {
  expect(printable(text)).toBe(expected);
});

it('shown text cannot control a terminal, and JSON keeps its meaning', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(printable(text).replaceAll(/[\n\t]/g, '')).not.toMatch(steers);
      expect(printableLine(text)).not.toMatch(steers);
      expect(JSON.parse(printable(JSON.stringify(text)))).toBe(text);
    }),
  );
});

it('a log line stays one line without control characters, for any field', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (words, value) => {
      expect(logLine('info', words, { value }, '2026-01-01T00:00:00Z')).not.toMatch(steers);
    }),
  );
});

it.each([
  ['10%\r50%\r100% done', '100% done'],
  ['10%\r50%\r100% done\r', '100% done'],
  ['a line of Windows\r', 'a line of Windows'],
  ['no bar', 'no bar'],
  ['\r', ''],
  ['', ''],
])('a progress bar is shown in its last state: %j', (line, state) => expect(lastState(line)).toBe(state));
