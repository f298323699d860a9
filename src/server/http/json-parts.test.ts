import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { isLongReply, jsonParts } from './json-parts.ts';

test('a reply written in parts equals the text of JSON.stringify', () => {
  const value = fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue(), { minLength: 150 }));
  fc.assert(
    fc.property(value, (reply) => {
      expect([...jsonParts(reply)].join('')).toBe(JSON.stringify(reply));
    }),
  );
});

it('undefined fields are left out, and are null in a list', () => {
  const reply = { a: undefined, b: [undefined, { c: undefined }], d: [], 'ü"': 1 };
  expect([...jsonParts(reply)].join('')).toBe(JSON.stringify(reply));
  expect([...jsonParts({ a: undefined })].join('')).toBe('{}');
});

it('only a reply with a long list is written in parts', () => {
  const list = Array.from({ length: 101 }, () => 0);
  expect([list, { items: list }, { items: [] }, {}, null, 'text'].map(isLongReply)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});
