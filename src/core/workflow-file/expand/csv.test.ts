import { expect, test } from 'vitest';
import { csvRows } from './csv.ts';

test.each([
  [
    'a,b\n1,2\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a,b\r\n1,2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  ['\ufeffa\n1', [['a'], ['1']]],
  ['a\n\n  \n1\n', [['a'], ['1']]],
  [
    'a,b\n x , "x,y" \n',
    [
      ['a', 'b'],
      ['x', 'x,y'],
    ],
  ],
  ['a\n"one\ntwo"\n', [['a'], ['one\ntwo']]],
  ['a\n"say ""hi"""\n', [['a'], ['say "hi"']]],
  [
    'a,b\n,\n',
    [
      ['a', 'b'],
      ['', ''],
    ],
  ],
  ['a,b,', [['a', 'b', '']]],
  ['a\n#x\n', [['a'], ['#x']]],
  ['a;b\n1;2', [['a;b'], ['1;2']]],
  ['a\n"open', [['a'], ['"open']]],
  ['', []],
])('the CSV text %j has the rows %j', (text, rows) =>
  expect(csvRows(text).map((row) => row.map((field) => field.text))).toEqual(rows),
);

test('a field in quotes is marked, so that a number in it stays a text', () => {
  expect(csvRows('a,"b"\n007, "007" ,""').map((row) => row.map(({ isQuoted }) => isQuoted))).toEqual([
    [false, true],
    [false, true, true],
  ]);
});
