import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { namePattern, PatternMalformed } from './pattern.ts';

const matches = (pattern: string, name: string): boolean => namePattern(pattern).matches(name);

describe('a pattern', () => {
  test.each([
    ['b', 'abc', true],
    ['^b', 'abc', false],
    ['b$', 'abc', false],
    ['^abc$', 'abc', true],
    ['^abc$', 'abcd', false],
    ['', 'anything', true],
    ['', '', true],
    ['^$', '', true],
    ['^$', 'a', false],
    ['work_.*', 'x_work_', true],
    ['^work_\\d+$', 'work_12', true],
    ['^work_\\d+$', 'work_12\n', false],
    ['^work_\\d+$', 'work_', false],
    ['^(short|long)_job_\\d{3}$', 'long_job_042', true],
    ['^(?:short|long)_job_\\d{3}$', 'long_job_42', false],
    ['a{2,3}$', 'xaa', true],
    ['^a{2,3}$', 'aaaa', false],
    ['^a{2,}$', 'aaaa', true],
    ['^a{ 2 }$', 'aa', true],
    ['^(ab)*c?$', 'ababc', true],
    ['^(a|b)+?x$', 'abax', true],
    ['^a|b$', 'xb', true],
    ['^a|b$', 'xbx', false],
    ['a**', '', true],
    ['(a*)*b', 'aaab', true],
    ['x||y', 'z', true],
    ['.', '\n', false],
    ['^.$', '\r', true],
    ['\\x41\\u{42}\\u0043', 'ABC', true],
    ['\\.\\-\\/\\ ', '.-/ ', true],
    ['^é.$', 'éß', true],
    ['^.$', '😀', true],
  ])('the pattern "%s" matches "%s": %s', (pattern, name, result) => expect(matches(pattern, name)).toBe(result));
});

describe('a class of letters', () => {
  test.each([
    ['\\d', '٣', true],
    ['\\D', '٣', false],
    ['\\w', 'é', true],
    ['\\W', 'é', false],
    ['\\s', '\u2003', true],
    ['[\\d_]', '7', true],
    ['[^\\d_]', '7', false],
    ['[]a]', ']', true],
    ['[^]a]', ']', false],
    ['[a-c]', 'b', true],
    ['[a-]', '-', true],
    ['[-a]', '-', true],
    ['[a\\-c]', 'b', false],
    ['[[:alpha:]_]', 'x', true],
    ['[[:^alpha:]]', 'x', false],
    ['[a-z&&[^aeiou]]', 'e', false],
    ['[a-z&&[^aeiou]]', 'f', true],
    ['[a-z--aeiou]', 'e', false],
    ['[^a-z--aeiou]', 'e', true],
    ['[x[yz]]', 'z', true],
    ['\\p{Greek}', 'λ', true],
    ['\\P{Greek}', 'λ', false],
    ['\\pL', 'λ', true],
    ['\\p{Lu}', 'a', false],
    ['\\p{greek}', 'λ', true],
    ['\\p{uppercase letter}', 'Λ', true],
    ['\\p{is_Greek}', 'λ', true],
    ['\\p{sc!=Greek}', 'λ', false],
    ['[a-z~~d-f]', 'e', false],
    ['[a-z~~d-f]', 'g', true],
    ['[a-f~~d-z]', 'z', true],
    ['[a-z&&b-y&&c]', 'c', true],
    ['[a&&]', 'a', false],
    ['[--a]', '-', true],
    ['[[:nope:]]', 'p', true],
    ['[\\d-]', '-', true],
    ['[[:digit:]-x]', '-', true],
    ['[(){}|*+?.^$]', '*', true],
  ])('the class %s contains "%s": %s', (pattern, name, result) => expect(matches(`^${pattern}$`, name)).toBe(result));
});

describe('a flag', () => {
  test.each([
    ['(?i)ABC$', 'xabc', true],
    ['(?i)é', 'É', true],
    ['(?i)[a-c]', 'B', true],
    ['(?i:a)B', 'AB', true],
    ['(?i:a)B', 'Ab', false],
    ['(?i)a(?-i)b', 'AB', false],
    ['(a(?i)b)c', 'aBC', false],
    ['(?m)^b$', 'a\nb\nc', true],
    ['^b$', 'a\nb\nc', false],
    ['(?s)a.b', 'a\nb', true],
    ['(?x) a b # c\n d', 'abd', true],
    ['(?U)a+', 'a', true],
    ['(?mR)^b$', 'a\r\nb\r\n', true],
    ['(?R)^.$', '\r', false],
    ['^(?-u)\\w$', 'é', false],
    ['^(?-u)\\w$', 'e', true],
    ['(?i)k', '\u212a', true],
    ['(?i-u)k', '\u212a', false],
    ['(?P<year>\\d)(?<month>\\d)', '12', true],
  ])('the flag in "%s" applies to "%s": %s', (pattern, name, result) => expect(matches(pattern, name)).toBe(result));
});

describe('a word border', () => {
  test.each([
    ['\\bfoo\\b', 'a foo b', true],
    ['\\bfoo\\b', 'a_foo', false],
    ['\\bfoo\\b', 'foo', true],
    ['\\Boo', 'foo', true],
    ['\\bé', 'é', true],
    ['a\\b', 'aé', false],
    ['\\<foo', 'a foo', true],
    ['\\<foo', 'afoo', false],
    ['foo\\>', 'foo b', true],
    ['foo\\>', 'foob', false],
    ['\\<é\\>', 'é', true],
    ['a\\<', 'a', false],
    ['\\b{start}a', 'ba', false],
    ['a\\b{end}', 'a-', true],
    ['\\b{start-half}-', 'a-', false],
    ['-\\b{end-half}', '-a', false],
    ['\\b{end-half}-', '--', true],
    ['\\b{2}a', 'a', true],
    ['a(?-u:\\b)', 'aé', true],
    ['\\A\\w+\\z', 'foo', true],
    ['\\A\\w+\\z', 'foo bar', false],
  ])('the word border "%s" matches "%s": %s', (pattern, name, result) => expect(matches(pattern, name)).toBe(result));
});

test.each([
  ['[', 'unclosed character class'],
  ['(?=x)', 'look-around, including look-ahead and look-behind, is not supported'],
  ['(?<!x)a', 'look-around'],
  ['(a)\\1', 'backreferences are not supported'],
  ['*a', 'repetition operator missing expression'],
  ['{2}', 'repetition operator missing expression'],
  ['a{', 'unclosed counted repetition'],
  ['a{2', 'unclosed counted repetition'],
  ['a{b}', 'repetition quantifier expects a valid decimal'],
  ['a{,2}', 'repetition quantifier expects a valid decimal'],
  ['a{2, }', 'repetition quantifier expects a valid decimal'],
  ['a{4294967296}', 'decimal literal invalid'],
  ['a{,}', 'repetition quantifier expects a valid decimal'],
  ['a{3,2}', 'invalid repetition count range'],
  ['a{1000000}', 'exceeds size limit'],
  ['(((){1000}){1000}){1000}', 'exceeds size limit'],
  [`a${'*'.repeat(300)}`, 'exceeded the maximum nesting depth'],
  ['((a{1000}){1000}){1000}', 'exceeds size limit'],
  ['(a', 'unclosed group'],
  ['a)', 'unopened group'],
  ['a\\', 'incomplete escape sequence'],
  ['\\q', 'unrecognized escape sequence'],
  ['\\u{110000}', 'invalid hexadecimal code point'],
  ['[b-a]', 'invalid character class range'],
  ['[a-\\d]', 'invalid range boundary'],
  ['a[\\d-x]', 'invalid range boundary'],
  ['[\\<]', 'invalid escape sequence found in character class'],
  ['[\\b]', 'invalid escape sequence found in character class'],
  ['\\b{nope}', 'unrecognized special word boundary assertion'],
  ['\\b{start', 'special word boundary assertion is either unclosed'],
  ['\\x{D800}', 'not a Unicode scalar value'],
  ['\\p{^Lu}', 'Unicode property not found'],
  ['\\é', 'unrecognized escape sequence'],
  ['\\p{Nope}', 'Unicode property not found'],
  ['(?z)a', 'unrecognized flag'],
  ['(?)', 'missing flags in group'],
  ['(?ii)a', 'duplicate flag'],
  ['(?i-i)a', 'duplicate flag'],
  ['(?i-)a', 'dangling flag negation operator'],
  ['(?i)*', 'repetition operator missing expression'],
  ['(?-u)\\W', 'pattern can match invalid UTF-8'],
  ['(?-u)\\pL', 'Unicode not allowed here'],
  ['(?P<n>a)(?P<n>b)', 'duplicate capture group name'],
  ['('.repeat(300), 'nested parentheses'],
])('"%s" is not a valid pattern', (pattern, words) => expect(() => namePattern(pattern)).toThrow(words));

it('a pattern that makes other engines backtrack takes no longer', () => {
  expect(matches('^(a+)+$', `${'a'.repeat(5000)}!`)).toBe(false);
  expect(matches('^(a|a)*(a|a)*b$', 'a'.repeat(5000))).toBe(false);
});

describe('the prefix of a pattern', () => {
  test.each([
    ['^work_\\d', 'work_', undefined],
    ['^work_a$', 'work_a', 'work_a'],
    ['^(work_)(?:a)$', 'work_a', 'work_a'],
    ['^ab*', 'a', undefined],
    ['^ab?c', 'a', undefined],
    ['^a|b', '', undefined],
    ['work', '', undefined],
    ['work$', '', undefined],
    ['(?m)^a$', '', undefined],
    ['(?i)^ab$', '', undefined],
    ['^$', '', ''],
  ])('%s has the prefix "%s", and only %s can match', (pattern, prefix, exact) => {
    expect(namePattern(pattern)).toMatchObject({ prefix, exact });
  });
});

test("patterns of plain parts match as the runtime's own do", () => {
  const part = fc.constantFrom(
    'a',
    'b',
    '[ab]',
    '[^a]',
    '.',
    'a*',
    'b+',
    '(ab)?',
    '(a|b)',
    '(ba|c){2}',
    '^',
    '$',
    '|',
    '\\b',
  );
  const name = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' '), maxLength: 8 });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), name, (parts, text) => {
      const pattern = parts.join('');
      const own = namePattern(pattern);
      expect([pattern, text, own.matches(text)]).toEqual([pattern, text, new RegExp(pattern).test(text)]);
      if (own.matches(text)) expect(text.startsWith(own.prefix)).toBe(true);
      if (own.exact !== undefined) expect(own.matches(text)).toBe(text === own.exact);
    }),
    { numRuns: 2000 },
  );
});

test("every pattern of the captured list is refused, or matches the same texts, as with Rust's crate", () => {
  const [head = '', ...lines] = readFileSync(join(import.meta.dirname, 'fixtures/rust-regex.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  const { texts } = JSON.parse(head) as { texts: string[] };
  const captured = lines.map((line) => JSON.parse(line) as [string, string | null]);
  const ours = captured.map(([pattern]): [string, string | null] => {
    try {
      const { matches: matchesName } = namePattern(pattern);
      return [pattern, texts.map((text) => (matchesName(text) ? '1' : '0')).join('')];
    } catch (cause) {
      if (!(cause instanceof PatternMalformed)) throw cause;
      return [pattern, null];
    }
  });
  expect(ours).toEqual(captured);
  expect(captured.filter(([, matched]) => matched !== null).length).toBeGreaterThan(400);
});
