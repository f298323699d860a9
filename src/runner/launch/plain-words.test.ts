import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainWords } from './plain-words.ts';

const bash = (script: string) => execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8' });

describe('the words of a command', () => {
  it.each([
    ['python3 train.py --rate=0.1 data/a,b.csv', ['python3', 'train.py', '--rate=0.1', 'data/a,b.csv']],
    ['  ./run \t -n 3 @list +x 50% a:b \n', ['./run', '-n', '3', '@list', '+x', '50%', 'a:b']],
    ['true', ['true']],
  ])('bash starts "%s" as it stands', (script, words) => {
    expect(plainWords(script)).toEqual(words);
  });

  it.each([
    '',
    ' ',
    'a; b',
    'a | b',
    'a > b',
    'a &',
    'a $b',
    'a `b`',
    'a "b"',
    "a 'b'",
    'a \\b',
    'a *',
    'a b?',
    'a [b]',
    'a {b,c}',
    'a ~',
    'a # b',
    'a !b',
    'a ^b',
    'a(b)',
    'A=1 b',
    '~/a',
    '-a b',
    '%1',
    'a\nb',
    'a\rb',
    'ä b',
    'true --help',
    'a\u00a0b',
    `a ${'b'.repeat(5000)}`,
  ])('bash may do more with "%s"', (script) => {
    expect(plainWords(script)).toBeUndefined();
  });

  it('no command and no reserved word of bash is a program, but true and false alone', () => {
    const own = bash('compgen -b; compgen -k').trim().split('\n');
    expect(own.length).toBeGreaterThan(50);
    expect(own.filter((name) => plainWords(`${name} a`) !== undefined)).toEqual([]);
    expect(own.filter((name) => plainWords(name) !== undefined)).toEqual(['false', 'true']);
  });

  it('bash changes no word of any command whose words are known', () => {
    const letters = fc.constantFrom(...Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)), '\t', 'é');
    const often = fc.constantFrom(...'abz019_./:,@%+-= \t'.split(''));
    const line = fc.string({ unit: fc.oneof({ weight: 30, arbitrary: often }, letters), minLength: 1, maxLength: 24 });
    fc.assert(
      fc.property(fc.array(line, { minLength: 200, maxLength: 200 }), (lines) => {
        const known = lines.flatMap((each) => plainWords(each) ?? []);
        const plain = lines.filter((each) => plainWords(each) !== undefined);
        expect(plain.length).toBeGreaterThan(0);
        expect(bash(plain.map((each) => `printf '%s\\n' ${each}`).join('\n'))).toBe(`${known.join('\n')}\n`);
      }),
      { numRuns: 20 },
    );
  });
});
