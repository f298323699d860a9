import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { sequence } from '../../lists/sequence.ts';
import { combine, indexIn, type Axis } from './axes.ts';
import type { ParameterValue } from './parameter-value.ts';
import { eachDistinct, templateOf } from './template.ts';

const axis = (name: string, ...values: (ParameterValue | undefined)[]): Axis => ({
  name,
  values: sequence(values.length, (index) => values[index]),
});
const written = (text: string, values: Record<string, ParameterValue>): string => {
  const axes = combine(
    Object.entries(values).map(([name, value]) => axis(name, value)),
    'product',
  );
  return templateOf(text, axes).render(0);
};

test.each<[string, Record<string, ParameterValue>, string]>([
  ['j_{n}_{t}', { n: 42, t: 'x' }, 'j_42_x'],
  ['{n} 2024-{n:02d}-01', { n: 7 }, '7 2024-07-01'],
  ['{n:02d}-{n:03d}-{n}', { n: 5 }, '05-005-5'],
  ['{n} {m}', { n: '{n:02d}', m: '{n}' }, '{n:02d} {n}'],
  ['{n:03d}', { n: -5 }, '-05'],
  ['{n:03d}', { n: 12345 }, '12345'],
  ['{n:03d}', { n: { float: 1.5 } }, '1.5'],
  ['{n:03d}', { n: 'abc' }, 'abc'],
  ['{n:3d}{n:d}{n:0d}{n:00d}{n:}{n:xyz}', { n: 5 }, '555555'],
  ['{f:5.2f}{f:.f}', { f: { float: 1.25 } }, '1.251.25'],
  ['{n:0003d}', { n: 5 }, '005'],
  ['{f:.2f}', { f: { float: 1.23456 } }, '1.23'],
  ['{f:.2f}', { f: 3 }, '3'],
  ['{f} {f:.4f}', { f: { float: 0.01 } }, '0.01 0.0100'],
  ['{n ', { n: 5 }, '{n '],
  ['{n }{ n}{N}', { n: 5 }, '{n }{ n}{N}'],
  ['{{n}}', { n: 5 }, '{5}'],
  ['${n}', { n: 5 }, '$5'],
  ['${files.input.f_{n}}', { n: 5 }, '${files.input.f_5}'],
  ['^f\\d{2}$', { n: 5 }, '^f\\d{2}$'],
  ['^out_{t}$', { t: 'a.b' }, '^out_a.b$'],
  ['{a:b}', { 'a:b': 1 }, '1'],
  ['{n:09999d}', { n: 5 }, '5'],
])('the template %s with %j becomes %s', (text, values, result) => expect(written(text, values)).toBe(result));

it('the token of a column that a row does not have stays', () => {
  const axes = combine([axis('a', 1, undefined)], 'zip');
  expect([0, 1].map((row) => templateOf('{a} {a:02d}', axes).render(row))).toEqual(['1 01', '{a} {a:02d}']);
});

it('a template without parameters is the text itself', () => {
  expect(templateOf('x_{i}', undefined)).toMatchObject({ fixed: 'x_{i}' });
  expect(templateOf('x', combine([axis('i', 1)], 'product'))).toMatchObject({ fixed: 'x' });
});

describe('combinations', () => {
  it('a product varies like nested loops, the first parameter slowest', () => {
    const axes = combine([axis('a', 1, 2), axis('b', 'x', 'y', 'z')], 'product');
    const all = Array.from({ length: axes.count }, (_, number) => templateOf('{a}{b}', axes).render(number));
    expect(all).toEqual(['1x', '1y', '1z', '2x', '2y', '2z']);
  });

  it('a zip combines its parameters pairwise', () => {
    const axes = combine([axis('a', 1, 2), axis('b', 'x', 'y')], 'zip');
    expect([0, 1].map((number) => templateOf('{a}{b}', axes).render(number))).toEqual(['1x', '2y']);
  });

  it('a product with an empty parameter has no combination, and one without parameters has one', () => {
    expect(combine([axis('a', 1), axis('b')], 'product').count).toBe(0);
    expect(combine([], 'product').count).toBe(1);
    expect(combine([], 'zip').count).toBe(1);
  });

  test('each number is a different choice of values, and all choices have a number', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 4 }), (lengths) => {
        const axes = combine(
          lengths.map((length, at) => axis(`p${at}`, ...Array(length).keys())),
          'product',
        );
        const seen = new Set(
          Array.from({ length: axes.count }, (_, number) => axes.axes.map((one) => indexIn(one, number)).join()),
        );
        expect(seen.size).toBe(lengths.reduce((product, length) => product * length, 1));
      }),
    );
  });
});

describe('a text that names only some parameters', () => {
  const axes = combine([axis('a', 1, 2, 3), axis('b', 'x', 'y'), axis('c', 'p', 'q')], 'product');
  const asked = (text: string): string[] => {
    const of = templateOf(text, axes);
    const found: string[] = [];
    eachDistinct(of, axes, (number) => found.push(of.render(number)));
    return found;
  };

  it('a text is visited once for each choice of the parameters that it names', () => {
    expect(asked('{b}')).toEqual(['x', 'y']);
    expect(asked('{a}{c}')).toEqual(['1p', '1q', '2p', '2q', '3p', '3q']);
    expect(asked('plain')).toEqual(['plain']);
  });

  it('a text is visited for every instance of a zip, because its parameters are combined', () => {
    const zip = combine([axis('a', 1, 1), axis('b', 'x', 'y')], 'zip');
    const found: number[] = [];
    eachDistinct(templateOf('{a}{b}', zip), zip, (number) => found.push(number));
    expect(found).toEqual([0, 1]);
  });
});
