import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createPacker, PART_LENGTH, type Part, piecesOf, PLAIN_BYTES, unpacked } from './packed.ts';

const partsOf = (text: string): Part[] => Array.from(piecesOf(text), createPacker());
const textOf = (parts: readonly Part[]) => Buffer.concat(parts.map(unpacked)).toString();

it('a text in parts is the same text, wherever its characters are divided', () => {
  const long = fc
    .tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 5 }), fc.integer({ min: 0, max: 3 }))
    .map(([some, before]) => 'x'.repeat(before) + some.repeat(Math.ceil((6 * PART_LENGTH) / some.length)));
  fc.assert(
    fc.property(long, (text) => {
      const parts = partsOf(text);
      expect(textOf(parts) === Buffer.from(text).toString()).toBe(true);
      expect(parts.reduce((sum, { length }) => sum + length, 0)).toBe(Buffer.byteLength(text));
    }),
    { numRuns: 20 },
  );
});

it('a list of jobs is kept in a tenth of its size, its beginning as it is', () => {
  const jobs = Array.from({ length: 20_000 }, (_, id) => ({
    id,
    name: `job_${id}`,
    command: `work ${id} --out r${id}`,
  }));
  const parts = partsOf(JSON.stringify(jobs));
  const kept = (some: readonly Part[]) => some.reduce((sum, { bytes }) => sum + bytes.buffer.byteLength, 0);
  const plain = parts.filter(({ isPacked }) => !isPacked);
  expect([kept(plain), parts.indexOf(plain.at(-1) as Part)]).toEqual([PLAIN_BYTES, plain.length - 1]);
  expect(kept(parts) - PLAIN_BYTES).toBeLessThan(parts.slice(plain.length).length * (PART_LENGTH / 5));
});

it('a part that would become larger is kept as it is', () => {
  const text = `${'x'.repeat(5 * PART_LENGTH)}y`;
  const parts = partsOf(text);
  expect(parts.map(({ isPacked }) => isPacked)).toEqual([false, false, false, false, true, false]);
  expect(textOf(parts) === text).toBe(true);
});
