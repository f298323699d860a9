import { describe, expect, it, test } from 'vitest';
import { lineFinder, offsetOf } from './place.ts';
import { ExactNumber, plainJson, type Value } from './value.ts';
import { readYaml } from './yaml.ts';

const value = (text: string): Value => readYaml(text, () => {}).value;

describe('a plain word of YAML', () => {
  test.each([
    ['yes', 'yes'],
    ['no', 'no'],
    ['on', 'on'],
    ['007', '007'],
    ['-007', '-007'],
    ['007.5', '007.5'],
    ['1_000', '1_000'],
    ['12:30', '12:30'],
    ['2024-01-01', '2024-01-01'],
    ["'1'", '1'],
    ['true', true],
    ['True', true],
    ['1', 1],
    ['-0', -0],
    ['+5', 5],
    ['0x1F', 31],
    ['-0x1F', -31],
    ['0o17', 15],
    ['0b11', 3],
    ['.5', new ExactNumber(0.5, '0.5', true, '.5')],
    ['3.10', new ExactNumber(3.1, '3.1', true, '3.10')],
    ['1.0', new ExactNumber(1, '1.0', true)],
    ['1e3', new ExactNumber(1000, '1000.0', true, '1e3')],
    ['9007199254740993', new ExactNumber(9007199254740992, '9007199254740993', false)],
    ['.inf', null],
    ['.nan', null],
    ['~', null],
    ['null', null],
    ['', null],
  ])('the plain word %s is read as %j', (text, expected) => expect(value(`a: ${text}`)).toEqual({ a: expected }));
});

it('anchors are followed, and << is an ordinary key', () => {
  expect(plainJson(value('a: &x {b: 1}\nc: *x\n<<: *x'))).toEqual({ a: { b: 1 }, c: { b: 1 }, '<<': { b: 1 } });
});

it('a duplicate key is reported, and the last value counts', () => {
  const keys: string[] = [];
  expect(readYaml('a: 1\nb: {c: 1, c: 2}\na: 3\n', (key, at) => keys.push(`${key}@${at}`)).value).toEqual({
    a: 3,
    b: { c: 2 },
  });
  expect(keys).toEqual(['c@15', 'a@21']);
});

it('JSON is valid YAML', () => expect(value('{"a": [1, "b"]}')).toEqual({ a: [1, 'b'] }));

describe('aliases', () => {
  it('an alias within its own anchor is refused', () => {
    expect(() => value('a: &a [1, *a]')).toThrow('alias *a stands within what it names');
  });

  it('aliases that expand to too many values are refused before expansion', () => {
    const bomb = Array.from({ length: 12 }, (_, at) =>
      at === 0
        ? 'a0: &a0 [1,1,1,1,1,1,1,1,1,1]'
        : `a${at}: &a${at} [${Array(10)
            .fill(`*a${at - 1}`)
            .join(',')}]`,
    ).join('\n');
    expect(() => value(bomb)).toThrow('aliases unfold to more than 20000000 values');
  });

  it('aliases of a reasonable size are accepted', () => {
    expect(value('a: &a [1,2]\nb: &b [*a,*a]\nc: [*b,*b]')).toMatchObject({
      c: [
        [
          [1, 2],
          [1, 2],
        ],
        [
          [1, 2],
          [1, 2],
        ],
      ],
    });
  });
});

test.each([
  ['a: 1\n---\nb: 2', 'more than one document'],
  ['a: [1', 'flow collection'],
  ['a:\n\t- b', 'tab characters'],
  ['a: !foo x', 'unknown scalar tag'],
  ['a: *x', 'unidentified alias'],
])('the YAML text %j is refused', (text, words) => {
  expect(() => value(text)).toThrow(expect.objectContaining({ name: 'Unreadable' }));
  expect(() => value(text)).toThrow(words);
});

describe('a place', () => {
  const text = 'name: x\njobs:\n  - name: a\n    depends_on: [b, c]\n    env:\n  - &r\n    name: "d"\n  - *r\n  -\n';
  const places = readYaml(text, () => {}).places();
  const at = lineFinder(text);

  test.each([
    [['name'], false, 1, 7],
    [['name'], true, 1, 1],
    [['jobs', 0, 'depends_on', 1], false, 4, 21],
    [['jobs', 0, 'env'], false, 5, 5],
    [['jobs', 0, 'missing'], false, 3, 5],
    [['jobs', 1, 'name'], false, 7, 11],
    [['jobs', 2], false, 8, 5],
    [['jobs', 2, 'name'], false, 7, 11],
    [['jobs', 3], false, 3, 3],
    [[], false, 1, 1],
  ])('the place of %j (key: %s) is line %d, column %d', (path, atKey, line, column) => {
    expect(at(offsetOf(places, path, atKey))).toEqual({ line, column });
  });
});
