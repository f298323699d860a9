import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatMemory, parseMemory, parseSlurmMemory } from './bytes.ts';

test.each([
  ['1024', 1024],
  ['0', 0],
  ['1k', 1024],
  ['1K', 1024],
  ['2M', 2 * 2 ** 20],
  ['512M', 2 ** 29],
  ['1g', 2 ** 30],
  ['1T', 2 ** 40],
  ['  1k  ', 1024],
  ['8191t', 8191 * 2 ** 40],
  ['8192t', Number.MAX_SAFE_INTEGER],
  ['9223372036854775807', Number.MAX_SAFE_INTEGER],
])('"%s" is %d bytes', (text, bytes) => expect(parseMemory(text)).toBe(bytes));

test.each([
  ['', 'cannot be empty'],
  ['   ', 'cannot be empty'],
  ['1x', 'Invalid memory unit: x'],
  ['-1k', 'cannot be negative'],
  ['4gb', 'Invalid memory unit: b'],
  ['1.5g', 'Invalid number in memory string: 1.5'],
  ['4 g', 'Invalid number in memory string: 4 '],
  ['g', 'Invalid number in memory string: '],
  ['9999999t', 'too large'],
  ['9223372036854775808', 'too large'],
])('"%s" is refused as a memory size', (text, words) => {
  expect(() => parseMemory(text)).toThrow(expect.objectContaining({ code: 'MEMORY_MALFORMED' }));
  expect(() => parseMemory(text)).toThrow(words);
});

test.each([
  [3.5e9, '4g'],
  [1.5e6, '2m'],
  [2 ** 20, '1m'],
  [512 * 1024, '512k'],
  [12 * 2 ** 30, '12g'],
  [2 ** 40, '1t'],
  [512, '512'],
  [0, '0'],
])('%d bytes are requested as %s', (bytes, text) => expect(formatMemory(bytes)).toBe(text));

test('a printed memory size parses to at least as much, and prints the same again', () => {
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 50 }), (bytes) => {
      const read = parseMemory(formatMemory(bytes));
      expect(read).toBeGreaterThanOrEqual(bytes);
      expect(parseMemory(formatMemory(read))).toBe(read);
    }),
  );
});

test('a memory size of whole units parses back from its printed form', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1023 }), fc.constantFrom('k', 'm', 'g'), (count, unit) => {
      expect(formatMemory(parseMemory(`${count}${unit}`))).toBe(`${count}${unit}`);
    }),
  );
});

test.each([
  ['512K', 512 * 1024],
  ['2M', 2 * 2 ** 20],
  ['1G', 2 ** 30],
  ['1T', 2 ** 40],
  ['1.50M', 1_572_864],
  ['4096', 4096],
  ['0', 0],
  ['', undefined],
  ['  ', undefined],
])('Slurm\'s "%s" is %s bytes', (text, bytes) => expect(parseSlurmMemory(text)).toBe(bytes));

test.each(['1.5x', 'lots', '-1K'])('Slurm\'s "%s" is refused', (text) => {
  expect(() => parseSlurmMemory(text)).toThrow(expect.objectContaining({ code: 'MEMORY_MALFORMED' }));
});
