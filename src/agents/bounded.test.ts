import * as fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { boundedJson } from './bounded.ts';

const MORE = 'ask for less';

it('a value that fits is printed as it is, and says nothing about cuts', () => {
  expect(boundedJson({ jobs: [1, 2] }, MORE)).toBe('{"jobs":[1,2]}');
});

it('the largest list is cut, the beginning stays, and the reply says how much is missing', () => {
  const jobs = Array.from({ length: 100 }, (_, id) => ({ id }));
  const { jobs: shown, ...about } = JSON.parse(boundedJson({ name: 'a', jobs }, MORE, 500)) as { jobs: object[] };
  expect(shown).toEqual(jobs.slice(0, 25));
  expect(about).toEqual({ name: 'a', cut: [{ at: 'jobs', shown: 25, of: 100 }], more: MORE });
});

it('one list that is the whole value, and a long text, are cut too', () => {
  expect(JSON.parse(boundedJson(Array.from({ length: 400 }, String), MORE, 400))).toMatchObject({
    cut: [{ at: '', of: 400 }],
  });
  expect(JSON.parse(boundedJson({ page: { text: 'x'.repeat(5000) } }, MORE, 1000))).toMatchObject({
    cut: [{ at: 'page.text', shown: 625, of: 5000 }],
  });
});

test('a reply is JSON, never longer than allowed, and what was cut is always said', () => {
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.string({ maxLength: 900 }),
      fc.integer(),
      fc.array(tie('tree'), { maxLength: 30 }),
      fc.dictionary(fc.string({ maxLength: 8 }), tie('tree'), { maxKeys: 6 }),
    ),
  }));
  fc.assert(
    fc.property(tree, fc.integer({ min: 200, max: 3000 }), (value, atMost) => {
      const text = boundedJson(value, MORE, atMost);
      expect(text.length).toBeLessThanOrEqual(atMost);
      const whole = JSON.stringify(value);
      if (whole.length <= atMost) expect(text).toBe(whole);
      else expect(JSON.parse(text)).toMatchObject({ more: MORE, cut: expect.anything() });
    }),
  );
});
