import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseInSlices } from './parse-in-slices.ts';

/** So small that nearly everything is split. */
const PIECE = 4;
const read = (text: string, pieceBytes = PIECE) => parseInSlices(Buffer.from(text), { pieceBytes });
const readAtOnce = (text: string): { value?: unknown } | 'refused' => {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return 'refused';
  }
};
const readOrRefused = (text: string) =>
  read(text).then(
    (value) => ({ value }),
    (error: unknown) => {
      expect(error).toBeInstanceOf(SyntaxError);
      return 'refused' as const;
    },
  );

describe('JSON parsed in slices', () => {
  test('JSON parsed in slices equals JSON parsed at once', async () => {
    const spaces = fc.constantFrom(undefined, 1, '\t', '\n  ');
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 6 }), spaces, async (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(JSON.stringify(await read(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  test('JSON in slices is refused if and only if JSON.parse refuses it, wherever it is damaged', async () => {
    const damage = fc.constantFrom(
      '',
      ',',
      ',,',
      '[',
      ']',
      '{',
      '}',
      '"',
      ':',
      '\\',
      ' ',
      '1',
      'null',
      '\u0001',
      '"k":',
    );
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), fc.nat(), fc.nat(3), damage, async (value, at, cut, put) => {
        const text = JSON.stringify(value);
        const place = at % (text.length + 1);
        const damaged = text.slice(0, place) + put + text.slice(place + cut);
        expect([damaged, await readOrRefused(damaged)]).toEqual([damaged, readAtOnce(damaged)]);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    '{"__proto__": [1, 2, 3, 4, 5, 6, 7, 8], "a": {"__proto__": 1, "b": 2222222}}',
    '{"a": 1, "a": [1, 2, 3, 4, 5, 6], "a": 3333333}',
    '{"2": 1, "1": [1, 2, 3, 4, 5], "": {"\\u0041\\"": [[], {}, [[1111111, 2222222], 3]]}}',
    ' [ [ 1 , 2 , 3 , 4 ] , [ ] , { } , { "größe" : "ü, [" } ] ',
  ])('parsing in slices keeps keys, their order and their last values: %s', async (text) => {
    expect(JSON.stringify(await read(text))).toBe(JSON.stringify(JSON.parse(text)));
  });

  it.each([
    '[1, 2, 3, 4, 5, 6, ]',
    '[[1, 2, 3, 4, 5, 6] 7]',
    '[[1, 2, 3, 4, 5, 6] [7]]',
    '[[1, 2, 3, 4, 5, 6],, 7]',
    '[1, 2, 3, 4, 5, 6}',
    '[1, 2, 3, 4, 5, 6',
    '[1, 2, 3, 4, 5, 6]]',
    '[1, 2, 3, 4, 5, 6] x',
    '{"a": 1, "b": 2, "c": [1, 2, 3, 4, 5] "d": 1}',
    '{"a": 1, "b": 2, [1, 2, 3, 4, 5, 6]}',
    '["a", "b", "c", "d]',
  ])('parsing in slices refuses %s', async (text) => {
    await expect(read(text)).rejects.toThrow(SyntaxError);
  });

  it('parsing in slices refuses bytes that are not UTF-8, at any position', async () => {
    const text = JSON.stringify(Array.from({ length: 50 }, (_, index) => `text ${index}`));
    for (const at of [3, 250, text.length - 3]) {
      const bytes = Buffer.from(text);
      bytes[at] = 0xff;
      await expect(parseInSlices(bytes, { pieceBytes: PIECE })).rejects.toThrow('it is not UTF-8');
    }
  });

  it('parsing in slices refuses nesting that would use all memory', async () => {
    await expect(read('['.repeat(20_000))).rejects.toThrow('more than 10000 levels');
  });

  it.each([
    ['values', `[${'1,'.repeat(2_000_000)}1]`, 'more than 2000000 values'],
    ['objects', `[${'{},'.repeat(2_000_000)}{}]`, 'more than 2000000 values'],
    ['text', `["${'x'.repeat(9 * 2 ** 20)}"]`, 'a text of more than 8388608 bytes'],
    ['escapes', `["${'\\\\'.repeat(5 * 2 ** 20)}"]`, 'a text of more than 8388608 bytes'],
    ['a number', '1'.repeat(9 * 2 ** 20), 'a value of more than 8388608 bytes'],
    ['blanks', `[${' '.repeat(9 * 2 ** 20)}1]`, 'a value of more than 8388608 bytes'],
    ['blanks behind a list', `[[${'1,'.repeat(100_000)}1]${' '.repeat(9 * 2 ** 20)}]`, 'more than 8388608 blanks'],
  ])('parsing in slices refuses too many or too large %s', async (_, text, words) => {
    await expect(parseInSlices(Buffer.from(text))).rejects.toThrow(words);
  });

  it('a list in the outermost object is checked in parts, each element once, in order, and has the checked elements', async () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    await fc.assert(
      fc.asyncProperty(fc.array(value, { maxLength: 30 }), value, async (list, other) => {
        const text = JSON.stringify({ before: other, list, after: [other] });
        const seen: unknown[] = [];
        const checkOf = (name: string) =>
          name === 'list'
            ? (elements: readonly unknown[], from: number) => {
                expect(from).toBe(seen.length);
                seen.push(...(JSON.parse(JSON.stringify(elements)) as unknown[]));
                return elements.map((element) => ({ element }));
              }
            : undefined;
        const read = (await parseInSlices(Buffer.from(text), { pieceBytes: PIECE, checkOf })) as { list: unknown[] };
        const isSplit = seen.length > 0;
        expect(JSON.stringify(isSplit ? seen : list)).toBe(JSON.stringify(list));
        expect(JSON.stringify(read.list)).toBe(JSON.stringify(isSplit ? list.map((element) => ({ element })) : list));
        expect(JSON.stringify({ ...read, list })).toBe(text);
      }),
    );
  });

  it('parsing in slices ends when the client is gone', async () => {
    const text = Buffer.from(`[${'"some text",'.repeat(150_000)}1]`);
    await expect(parseInSlices(text, { isGone: () => true })).rejects.toThrow('the connection ended');
  });
});
