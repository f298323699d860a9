import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { sequence } from '../../lists/sequence.ts';
import { combine } from './axes.ts';
import { isActive, quoteContexts } from './shell-quote.ts';
import { templateOf } from './template.ts';

/** Values that a shell reads otherwise when they stand in a command as they are. */
const NASTY = [
  'two words',
  "it's",
  '"quoted"',
  '$(touch PWNED)',
  '`touch PWNED`',
  '; touch PWNED #',
  '\\',
  'ends with \\',
  '\\\' \\" \\` \\$',
  "'\\''",
  "$'x'",
  '\\n',
  'two\nlines',
  '\n; touch PWNED\n',
  '',
  '~',
  '#c',
  '*',
  '{a,b}',
  '!!',
  '%s',
  '$HOME ${HOME}',
  'é ü 漢字',
  '\t',
  'a=b',
];

/** What bash prints for each value with this command. */
function printed(command: string, values: readonly string[]): string[] {
  const axes = combine([{ name: 'f', values: sequence(values.length, (index) => values[index]) }], 'product');
  const rendered = templateOf(command, axes);
  const script = values.map((_, index) => `${rendered.render(index)}\nprintf '\\0'`).join('\n');
  return execFileSync('bash', ['-c', script], { cwd: tmpdir(), stdio: ['ignore', 'pipe', 'inherit'] })
    .toString()
    .split('\0')
    .slice(0, -1);
}

/** Text without what no argument of a program can hold: NUL, and halves of characters. */
const text = fc.string({ unit: fc.constantFrom(...Array.from('ab \'"\\$`()\n{};&|<>*?#~!%=')), maxLength: 12 });
const random = fc.sample(text, { numRuns: 150, seed: 7 });

describe('{f:q} is one word with the value, unchanged', () => {
  test.each([
    'printf %s {f:q}',
    'printf %s "{f:q}"',
    "printf %s '{f:q}'",
    "printf %s $'{f:q}'",
    'printf %s before{f:q}',
    'x="$(printf "%s" {f:q}; printf .)"; printf %s "${x%.}"',
    'x="$(printf "%s" "{f:q}"; printf .)"; printf %s "${x%.}"',
    "x=$(printf '%s' '{f:q}'; echo $((1+(2))))\nprintf %s \"${x%3}\"",
    'x=`printf %s {f:q}; printf .`; printf %s "${x%.}"',
    'x=`printf %s "{f:q}"; printf .`; printf %s "${x%.}"',
    "# don't {f:q}\nprintf %s {f:q}",
    'printf %s "a \\" # \'" >/dev/null; printf %s {f:q}',
    'printf %s \'a " \\\' >/dev/null; printf %s "{f:q}"',
    '( printf %s {f:q} ) # it\'s "',
  ])('{f:q} is one word with the value, unchanged in %s', (command) => {
    const values = [...NASTY, ...random];
    const prefix = command.includes('before') ? 'before' : '';
    expect(printed(command, values)).toEqual(values.map((value) => prefix + value));
  });
});

it('{f:q} leaves a value that is a word already without quotes, and a number as it is', () => {
  const axes = combine([{ name: 'f', values: sequence(2, (index) => ['a/b-1.txt', 7][index]) }], 'product');
  expect([0, 1].map((index) => templateOf('gzip {f:q}', axes).render(index))).toEqual(['gzip a/b-1.txt', 'gzip 7']);
});

it('{f:q} gives another text for the same token where the quotes differ', () => {
  const axes = combine([{ name: 'f', values: sequence(1, () => "a'b") }], 'product');
  expect(templateOf(`{f:q} "{f:q}"`, axes).render(0)).toBe(`'a'\\''b' "a'b"`);
});

test.each([
  ['', 'none', true],
  ['a b', 'none', true],
  ['a b', 'double', false],
  ['$x', 'double', true],
  ['$x', 'single', false],
  ["it's", 'single', true],
  ["it's", 'double', false],
  ['a~b', 'none', false],
  ['~b', 'none', true],
  ['a.txt', 'none', false],
  ['x{1}', 'none', false],
  ['x{1,2}', 'none', true],
] as const)('%j with quotes "%s" around it is read otherwise by a shell: %s', (value, quotes, expected) => {
  expect(isActive(value, { quotes, inBackquotes: false })).toBe(expected);
});

it('the parser finds the quotes of each place in a command, also behind its end', () => {
  const command = `a "b $(c 'd`;
  const places = [0, 3, 7, 10, 99];
  expect(quoteContexts(command, places).map(({ quotes }) => quotes)).toEqual([
    'none',
    'double',
    'none',
    'single',
    'single',
  ]);
});
