import { expect, it } from 'vitest';
import { difference, screenOf, screenText } from './cells.ts';

const size = { width: 12, height: 2 };
const all = { hasColours: true, hasUnicode: true };
const screen = (text: string, style?: 'red' | 'inverse', abilities = all) =>
  screenOf([[{ text, style }]], size, abilities);

it('only the places that differ are sent', () => {
  const before = screen('job 1 ready');
  expect(difference(before, screen('job 1 ready'))).toBe('');
  expect(difference(before, screen('job 2 ready'))).toBe('\u001b[1;5H2');
  expect(difference(undefined, screen('job'))).toContain('\u001b[2;1H');
});

it('a colour is sent with its text and reset behind it, and is left out where the terminal has none', () => {
  expect(difference(screen(''), screen('no', 'red'))).toBe('\u001b[1;1H\u001b[0;31mno\u001b[0m');
  const none = { hasColours: false, hasUnicode: true };
  expect(difference(screen(''), screen('no', 'red', none))).toBe('\u001b[1;1Hno');
  expect(difference(screen(''), screen('no', 'inverse', none))).toBe('\u001b[1;1H\u001b[0;7mno\u001b[0m');
});

it('a line is cut at the width of the screen, and a wide character is not halved', () => {
  expect(screenText(screen('12345678901234'))).toBe('123456789012\n');
  expect(screenText(screen('1234567890１１'))).toBe('1234567890１\n');
  expect(screenText(screen('12345678901１'))).toBe('12345678901\n');
});

it('names cannot steer the terminal, and without UTF-8 every character is of ASCII', () => {
  expect(screenText(screen('a\u001b[2Jb'))).toBe(String.raw`a\u001b[2Jb` + '\n');
  expect(screenText(screen('✓ Käse …', undefined, { hasColours: true, hasUnicode: false }))).toBe('+ K?se ~\n');
});
