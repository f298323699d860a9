import { describe, expect, it, test } from 'vitest';
import { json, queryInteger, text } from './shape.ts';

const messageOf = (result: ReturnType<typeof text.safeParse> | ReturnType<typeof json.safeParse>) =>
  result.error?.issues[0]?.message;
const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

describe('a text', () => {
  test.each(['', 'a', 'ä ü 漢字 🐙', 'line\nline\ttab', '\u{7f}'])('the text %j is accepted unchanged', (value) => {
    expect(text.parse(value)).toBe(value);
  });

  test.each([
    ['a\0b', 'NUL'],
    ['\ud800', 'surrogate'],
    ['a\udc00b', 'surrogate'],
  ])('the text %j is refused: it could not be returned or passed on unchanged', (value, word) => {
    expect(messageOf(text.safeParse(value))).toContain(word);
  });

  it('a number is not accepted as a text', () => {
    expect(text.safeParse(1).success).toBe(false);
  });
});

describe('any JSON value', () => {
  test.each([null, false, 0, 'a\0b', [], {}, { a: [1, { b: null }] }])(
    'the JSON value %j is accepted unchanged',
    (value) => {
      expect(json.parse(value)).toEqual(value);
    },
  );

  it('128 levels of JSON are accepted, and any deeper value is refused', () => {
    expect(json.safeParse(nested(128)).success).toBe(true);
    expect(messageOf(json.safeParse(nested(129)))).toContain('128 levels');
    expect(messageOf(json.safeParse(nested(100_000)))).toContain('128 levels');
  });

  test.each([
    ['{"a": [1e999]}', 'number beyond'],
    [String.raw`["\ud800"]`, 'half of a surrogate pair'],
    [String.raw`{"\udc00": 1}`, 'key with half of a surrogate pair'],
  ])('%s is refused: another value would be returned', (value, words) => {
    expect(messageOf(json.safeParse(JSON.parse(value)))).toContain(words);
  });

  it('an absent value is not a JSON value', () => {
    expect(json.safeParse(undefined).success).toBe(false);
  });
});

describe('a whole number in a query or a path', () => {
  test.each([
    ['0', 0],
    ['42', 42],
    ['-7', -7],
    ['+7', 7],
    ['007', 7],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('"%s" is read as %d', (value, number) => {
    expect(queryInteger.parse(value)).toBe(number);
  });

  test.each([
    '',
    ' ',
    '1.0',
    '1.5',
    '1e3',
    '0x10',
    '1,2',
    '१',
    'NaN',
    'Infinity',
    '9007199254740992',
    '9223372036854775808',
  ])('"%s" is refused as a whole number', (value) => {
    expect(queryInteger.safeParse(value).success).toBe(false);
  });
});
