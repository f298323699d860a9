import fc from 'fast-check';
import JSON5 from 'json5';
import { describe, expect, it, test } from 'vitest';
import { readFileJson as readJson } from './json.ts';
import { offsetOf } from './place.ts';
import { compactJson, ExactNumber, plainJson } from './value.ts';

const strict = (text: string) => readJson(text, true, () => {}).value;
const loose = (text: string) => readJson(text, false, () => {}).value;

test('any JSON is read as the runtime reads it', () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(undefined, 2), (text, indent) => {
      const value: unknown = JSON.parse(text);
      expect(plainJson(strict(JSON.stringify(value, null, indent)))).toEqual(value);
      expect(plainJson(loose(JSON5.stringify(value, null, indent)))).toEqual(value);
    }),
  );
});

test('a text is refused exactly if the runtime refuses it', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '1',
    '-',
    '0',
    '1.5',
    'true',
    'nul',
    ' ',
    '"\\u00e9"',
    "'b'",
    '\\',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = pieces.join('');
      const isRefused = (parse: () => unknown): boolean => {
        try {
          parse();
          return false;
        } catch {
          return true;
        }
      };
      expect([text, isRefused(() => strict(text))]).toEqual([text, isRefused(() => JSON.parse(text))]);
      expect([text, isRefused(() => loose(text))]).toEqual([text, isRefused(() => JSON5.parse(text))]);
    }),
    { numRuns: 1000 },
  );
});

describe('JSON5', () => {
  test.each([
    ["{a: 1, 'b': [2, 3,], /* c */ c: 'it\\'s', // end\n}", { a: 1, b: [2, 3], c: "it's" }],
    ['{a: +5, b: 0x10, c: .5, d: -0x1F}', { a: 5, b: 16, c: 0.5, d: -31 }],
    ['{a: NaN, b: Infinity, c: -Infinity}', { a: null, b: null, c: null }],
    ["'one \\\n two\\x41\\u0042\\0'", 'one  twoAB\0'],
    ['{$k_1: 1, é: 2}', { $k_1: 1, é: 2 }],
  ])('the JSON5 text %s is read', (text, value) => expect(plainJson(loose(text))).toEqual(value));
});

describe('numbers', () => {
  it('numbers written with a point are distinguished from whole ones', () => {
    expect(strict('[1.0, 1, 2.5, 1e3]')).toEqual([
      new ExactNumber(1, '1.0', true),
      1,
      2.5,
      new ExactNumber(1000, '1000.0', true, '1e3'),
    ]);
  });

  it('numbers beyond 2^53 keep their digits', () => {
    expect(compactJson(strict('{"id":9007199254740993,"x":[1.0,"a"]}'))).toBe('{"id":9007199254740993,"x":[1.0,"a"]}');
  });
});

it('a duplicate key is reported, and the last value counts', () => {
  const keys: string[] = [];
  expect(readJson('{"a":1,"b":2,"a":{"c":3,"c":4}}', true, (key, at) => keys.push(`${key}@${at}`)).value).toEqual({
    a: { c: 4 },
    b: 2,
  });
  expect(keys).toEqual(['c@24', 'a@13']);
});

it('the place of each value and each key is known', () => {
  const places = readJson('{"a": 1,\n "b": [2, {"c": 3}]}', true, () => {}).places();
  expect(offsetOf(places, ['b', 1, 'c'], false)).toBe(25);
  expect(offsetOf(places, ['b', 1, 'c'], true)).toBe(20);
  expect(offsetOf(places, ['b', 1, 'missing'], false)).toBe(19);
});

test.each([
  ['{"a":1,}', 'expected a key, found `}`', 7],
  ['{"a" 1}', 'expected `:`, found `1`', 5],
  ['[1 2]', 'expected `,` or `]`, found `2`', 3],
  ['{"a":', 'expected a value, found the end', 5],
  ['{} x', 'expected the end, found `x`', 3],
  ['"a\nb"', 'control character in a string', 2],
  ['"\\x41"', 'invalid escape', 1],
  ['"abc', 'unterminated string', 0],
  ['[01]', 'expected `,` or `]`, found `1`', 2],
  ['['.repeat(600), 'nested more than 500 deep', 500],
])('%s is not valid JSON', (text, words, offset) => {
  expect(() => strict(text)).toThrow(expect.objectContaining({ name: 'Unreadable', offset }));
  expect(() => strict(text)).toThrow(words);
});

it('__proto__ is an ordinary key', () => {
  const value = strict('{"__proto__": {"x": 1}}');
  expect(Object.keys(value as object)).toEqual(['__proto__']);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});
