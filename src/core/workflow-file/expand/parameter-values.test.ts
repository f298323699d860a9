import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { each } from '../../lists/sequence.ts';
import { ExactNumber, type Value } from '../text/value.ts';
import { printerOf, valueOf } from './parameter-value.ts';
import { nativeValues, parameterValues } from './parameter-values.ts';

const files: Record<string, string> = {
  values: "# a list\n\n 1 \n2.5\n  red  \n# in between\n\n'q'\n1:3\n",
  comments: '# nothing\n\n',
};
const options = {
  limit: 1000,
  readFile: (path: string): string => {
    const text = files[path];
    if (text === undefined) throw new Error('No such file or directory');
    return text;
  },
};
const print = printerOf(undefined);
const printed = (text: string): string[] => [...each(parameterValues(text, options))].map(print);
const native = (value: Value): string[] => [...each(nativeValues(value, options))].map(print);

describe('a range includes both of its ends', () => {
  test.each([
    ['1:5', ['1', '2', '3', '4', '5']],
    ['0:10:2', ['0', '2', '4', '6', '8', '10']],
    ['1:10:4', ['1', '5', '9']],
    ['5:1', []],
    ['5:1:-2', ['5', '3', '1']],
    ['-3:-1', ['-3', '-2', '-1']],
    [' 1 : 3 ', ['1', '2', '3']],
    ['1:2:', ['1', '2']],
    ['{2:4}', ['2', '3', '4']],
    ['{ 2:4 }', ['2', '3', '4']],
    ['0.0:1.0:0.5', ['0', '0.5', '1']],
    ['0.5:2', ['0.5', '1.5']],
    ['1:2.5', ['1', '2']],
    ['0:1:0.25', ['0', '0.25', '0.5', '0.75', '1']],
    ['1:0:-0.5', ['1', '0.5', '0']],
    ['0:0.3:0.1', ['0', '0.1', '0.2', '0.3']],
    ['1.0:0:-0.5', ['1', '0.5', '0']],
    ['9223372036854775805:9223372036854775807', ['9223372036854775805', '9223372036854775806', '9223372036854775807']],
  ])('the values of a range: %s', (text, values) => expect(printed(text)).toEqual(values));

  it('a time of day is read as a range, unless it is quoted in a list', () => {
    expect(printed('12:30')).toHaveLength(19);
    expect(printed("['12:30']")).toEqual(['12:30']);
  });

  it('a range uses no memory, however long', () => {
    const values = parameterValues('1:1000000000', options);
    expect(values).toHaveLength(1_000_000_000);
    expect(values.at(999_999_999)).toBe(1_000_000_000);
  });
});

test.each([
  ['1:10:0', 'Step cannot be zero'],
  ['0.5:1:0', 'Step cannot be zero'],
  ['1:10:x', "Invalid integer step in range: 'x'"],
  ['0.5:1:x', "Invalid float step in range: 'x'"],
  ['a:b:c:d:e', "Invalid range format: 'a:b:c:d:e'. Expected 'start:end' or 'start:end:step'"],
  ['1:', "Invalid range values: '1:'. Could not parse as integer or float range"],
  [':3', "Invalid range values: ':3'"],
  ['a:b', "Invalid range values: 'a:b'"],
  ['http://x', "Invalid range values: 'http://x'"],
  ['1:3,7', "Invalid range values: '1:3,7'"],
  ['@', "Empty file path after '@' in parameter value"],
  ['@missing', "Failed to read parameter file 'missing': No such file or directory"],
])("%s is refused with Torc's message", (text, words) => {
  expect(() => parameterValues(text, options)).toThrow(words);
  expect(() => parameterValues(text, options)).toThrow(expect.objectContaining({ code: 'PARAMETER_MALFORMED' }));
});

test.each(['1:10:-1', '10:1:1', '1.5:3:-0.5', '3:1.5:0.5'])(
  'a range whose step leads away from its end is refused: %s',
  (text) => expect(() => parameterValues(text, options)).toThrow('leads away from the end'),
);

test.each(['NaN:1', '1:nan', '1:2.5:NaN'])('a range to or from no number is refused: %s', (text) =>
  expect(() => parameterValues(text, options)).toThrow(expect.objectContaining({ code: 'PARAMETER_MALFORMED' })),
);

it('a range without a step from a larger number to a smaller one has no values, as in Torc', () => {
  expect([parameterValues('10:1', options).length, parameterValues('10:1:-3', options).length]).toEqual([0, 4]);
});

it('a range of more numbers than the limit is refused', () => {
  expect(() => parameterValues('0.0:1:0.0001', options)).toThrow(
    expect.objectContaining({ code: 'EXPANSION_TOO_LARGE' }),
  );
  expect(() => parameterValues('0:inf:0.5', options)).toThrow(expect.objectContaining({ code: 'EXPANSION_TOO_LARGE' }));
});

describe('a list is split at commas', () => {
  test.each([
    ['[1,5,100]', ['1', '5', '100']],
    ["['a','b c']", ['a', 'b c']],
    ['["a"]', ['a']],
    ['[]', []],
    ['[ ]', []],
    ["['a','b',]", ['a', 'b', '']],
    ["['a,b']", ['a', 'b']],
    ['["a,b",c]', ['a', 'b', 'c']],
    ["[ 'a , b' ]", ['a', 'b']],
    [`['a","b']`, ['a', 'b']],
    ["['',\"\",']", ['', '', '']],
    ["['5,6']", ['5', '6']],
    ["[it's,5']", ["it's", '5']],
    ['[[1,2],[3]]', ['1', '2]', '[3']],
    ['[007,+5,-0,1e3,.5,1.]', ['7', '5', '0', '1000', '0.5', '1']],
    ["['007',1_0,0x10,true,null]", ['007', '1_0', '0x10', 'true', 'null']],
    [
      '[1e-7,1e21,9223372036854775808,nan,inf]',
      ['0.0000001', '1000000000000000000000', '9223372036854776000', 'NaN', 'inf'],
    ],
  ])('the values of a list: %s', (text, values) => expect(printed(text)).toEqual(values));
});

it('a list item with a quote at either end is text, so no format pads it', () => {
  const padded = [...each(parameterValues("['5,6',7]", options))].map(printerOf('03d'));
  expect(padded).toEqual(['5', '6', '007']);
});

test('a list of words without quotes and commas has these words as its values, however each is quoted', () => {
  const word = fc.stringMatching(/^[a-z][a-z .:{}]{0,6}[a-z]$/);
  const item = fc.tuple(word, fc.constantFrom('', "'", '"'));
  fc.assert(
    fc.property(fc.array(item, { minLength: 1, maxLength: 6 }), (items) => {
      const words = items.map(([text]) => text);
      const text = `[${items.map(([bare, quote]) => `${quote}${bare}${quote}`).join(', ')}]`;
      expect(printed(text)).toEqual(words.map((bare) => print(valueOf(bare))));
    }),
  );
});

describe('any other text is one value', () => {
  test.each([
    ['', ['']],
    ['  ', ['']],
    ['{}', ['']],
    ['{a,b}', ['{a,b}']],
    ['7', ['7']],
    ['2.50', ['2.5']],
    ['red', ['red']],
    ["'q'", ["'q'"]],
  ])('the value of any other text: %s', (text, values) => expect(printed(text)).toEqual(values));
});

describe('a file contains one value a line', () => {
  it('a file of values skips blank lines and comments, keeps quotes, and reads no ranges', () => {
    expect(printed('@values')).toEqual(['1', '2.5', 'red', "'q'", '1:3']);
    expect(printed(' @ values ')).toHaveLength(5);
  });

  it('a file with only comments has no value', () => expect(printed('@comments')).toEqual([]));
});

describe('a value of the file format is read as its JSON text', () => {
  test.each<[Value, string[]]>([
    [
      [1, 2.5, true, null, 'x:y'],
      ['1', '2.5', 'true', 'null', 'x:y'],
    ],
    [
      ['a,b', 'c'],
      ['a', 'b', 'c'],
    ],
    [
      [[1, 2], [3]],
      ['1', '2]', '[3'],
    ],
    [5, ['5']],
    [2.5, ['2.5']],
    [true, ['true']],
    [null, ['null']],
    [['1:3'], ['1:3']],
    [["'q'"], ["'q'"]],
    [[], []],
  ])('the value %j is read as its JSON text', (value, values) => expect(native(value)).toEqual(values));

  it('a number written with a point is distinguished from a whole number', () => {
    const values = [...each(nativeValues([new ExactNumber(1, '1.0', true), 2], options))];
    expect(values.map(print)).toEqual(['1', '2']);
    expect(values.map(printerOf('.2f'))).toEqual(['1.00', '2']);
  });

  it('a map is refused as a malformed range', () => {
    expect(() => nativeValues({ a: 1 }, options)).toThrow('Invalid range values');
  });
});
