import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { partOfSize, sizeText, sizeTexts } from './size-text.ts';

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1 KiB'],
  [1536, '1.5 KiB'],
  [2 ** 20 - 1, '1 MiB'],
  [394 * 2 ** 20, '394 MiB'],
  [1.5 * 2 ** 30, '1.5 GiB'],
  [2 ** 50, '1 PiB'],
  [2 ** 60, '1024 PiB'],
])('%d bytes are shown as %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});

test.each([
  [394 * 2 ** 20, 200 * 2 ** 20, '394 of 200 MiB'],
  [1.5 * 2 ** 30, 512 * 2 ** 20, '1.5 GiB of 512 MiB'],
  [2 ** 30 + 2 ** 20, 2 ** 30, '1025 of 1024 MiB'],
  [1, 2 ** 30, '1 B of 1 GiB'],
])('%d of %d bytes are shown as %s', (part, whole, text) => {
  expect(partOfSize(part, whole)).toBe(text);
});

it('two amounts that differ are shown as texts that differ', () => {
  const bytes = fc.oneof(fc.integer({ min: 0, max: 2 ** 45 }), fc.constantFrom(2 ** 30, 2 ** 30 + 1, 2 ** 30 - 1));
  fc.assert(
    fc.property(bytes, bytes, (a, b) => {
      const [first, second] = sizeTexts(a, b);
      expect(first === second).toBe(a === b);
    }),
  );
});
