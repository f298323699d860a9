import { expect, it } from 'vitest';
import { randomBytes } from './random-bytes.ts';

it('random bytes are as many as were asked for, and no two are alike', () => {
  const found = Array.from({ length: 100 }, () => randomBytes(32).toString('hex'));
  expect(new Set(found.map((text) => text.length))).toEqual(new Set([64]));
  expect(new Set(found).size).toBe(100);
  expect(randomBytes(0)).toHaveLength(0);
});
