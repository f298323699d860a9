import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fixedText, floatText } from './float-text.ts';

test.each([
  [1, '1'],
  [0.01, '0.01'],
  [1e-7, '0.0000001'],
  [1.5e-9, '0.0000000015'],
  [1e21, '1000000000000000000000'],
  [1.25e22, '12500000000000000000000'],
  [9223372036854775808, '9223372036854776000'],
  [0.1 + 0.2, '0.30000000000000004'],
  [-0, '-0'],
  [-2.5, '-2.5'],
  [NaN, 'NaN'],
  [Infinity, 'inf'],
  [-Infinity, '-inf'],
])('%d is printed as %s, never with an exponent', (value, text) => expect(floatText(value)).toBe(text));

test.each([
  [1.23456, 2, '1.23'],
  [0.01, 4, '0.0100'],
  [0.5, 0, '0'],
  [1.5, 0, '2'],
  [2.5, 0, '2'],
  [3.5, 0, '4'],
  [0.25, 1, '0.2'],
  [0.125, 2, '0.12'],
  [2.675, 2, '2.67'],
  [1.005, 2, '1.00'],
  [1e21, 1, '1000000000000000000000.0'],
  [-0.4, 0, '-0'],
  [0, 2, '0.00'],
  [5e-324, 3, '0.000'],
  [NaN, 2, 'NaN'],
])('%d with %d digits is %s: exact, ties to even', (value, digits, text) => {
  expect(fixedText(value, digits)).toBe(text);
});

test('a printed number parses back to the same number', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) =>
      Object.is(Number(floatText(value)), value),
    ),
  );
});

test('rounding differs from the runtime only at exact ties', () => {
  fc.assert(
    fc.property(fc.double({ min: -1e15, max: 1e15, noNaN: true }), fc.nat({ max: 8 }), (value, digits) => {
      const [ours, theirs] = [Number(fixedText(value, digits)), Number(value.toFixed(digits))];
      return ours === theirs || Math.abs(Math.abs(ours - theirs) - 10 ** -digits) < 1e-9;
    }),
  );
});
