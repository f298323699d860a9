import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';
import * as fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { strengthOf } from './strength.ts';

const whole = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });

/** The verdict of the estimator with all of its words. */
function expected(password: string, known: string[]) {
  const { score, feedback } = whole.check(password, known);
  return { score, warning: feedback.warning ?? undefined };
}

test.each([
  'password1',
  'P4$$w0rd',
  'drowssap',
  'correct horse battery staple',
  'qwertyuiop123',
  'aaaaaaaaaaaa',
  'bobbobbob',
  '2026-11-22',
  'Tr0ub4dour&3',
  'ÄÖÜ straße',
  'İstanbul 1453',
  '|_|nb3|!3v4b|3',
  '💥💥💥💥',
])('"%s" gets the same verdict as with all words of the estimator', (password) => {
  expect(strengthOf(password, ['bob', 'torc'])).toEqual(expected(password, ['bob', 'torc']));
});

test('every password gets the same verdict as with all words of the estimator', () => {
  const words = Object.values(dictionary).flat() as string[];
  const word = fc.constantFrom(...words.filter((_, index) => index % 7 === 0));
  const munged = word.map((text) => text.replace('a', '@').replace('e', '3').replace('s', '$').replace('o', '0'));
  const reversed = word.map((text) => Array.from(text).reverse().join(''));
  const upper = word.map((text) => text.toUpperCase());
  const part = fc.oneof(word, munged, reversed, upper, fc.string({ maxLength: 6 }));
  const password = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(password, fc.string({ maxLength: 6 }), (given, user) => {
      expect(strengthOf(given, [user])).toEqual(expected(given, [user]));
    }),
    { numRuns: 150 },
  );
});

it('a word spelled with other characters is found', () => {
  expect(strengthOf('p@$$w0rd', []).score).toBe(0);
  expect(strengthOf('a8Fk2pQz!x7', []).score).toBeGreaterThanOrEqual(3);
});
