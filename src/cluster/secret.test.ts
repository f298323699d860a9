import { assert, property, string } from 'fast-check';
import { expect, it } from 'vitest';
import { isSecret } from './secret.ts';

it('a secret is the same text alone: none of its length, no part of it, none that begins or ends with it', () => {
  const secret = 'Zm9vYmFyYmF6-_0';
  expect(isSecret(secret, secret)).toBe(true);
  assert(
    property(string({ minLength: 1, maxLength: 3 }), (text) => {
      for (const other of [text, text + secret, secret + text, secret.slice(0, -text.length) + text])
        expect(isSecret(other, secret)).toBe(other === secret);
      for (const part of ['', secret.slice(text.length), secret.slice(0, -text.length)])
        expect(isSecret(part, secret)).toBe(false);
    }),
  );
});

it('an empty secret is the empty text, so a missing one is refused where it is read', () => {
  expect([isSecret('', ''), isSecret('a', '')]).toEqual([true, false]);
});
