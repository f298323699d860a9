import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { covers, labelsOfQuery, refuseBadLabels, sortedLabels } from './labels.ts';

const label = fc.stringMatching(/^[a-z0-9][a-z0-9_.-]{0,5}$/);
const labels = fc.array(label, { maxLength: 5 });

describe('a label', () => {
  it.each(['', ' ', 'a,b', ',', ' gpu', 'gpu ', 'gpu\n'])('is refused when it is %j', (text) => {
    expect(() => refuseBadLabels(['fine', text])).toThrow(
      expect.objectContaining({ code: 'BODY_REFUSED', facts: { field: 'labels', found: text } }),
    );
  });

  it('is any other text, and none at all is fine', () => {
    expect(() => refuseBadLabels(['gpu', 'two words', 'größe', 'a=b'])).not.toThrow();
    expect(() => refuseBadLabels(null)).not.toThrow();
    expect(() => refuseBadLabels(undefined)).not.toThrow();
  });

  it('that is refused is named, with its owner', () => {
    expect(() => refuseBadLabels(['a,b'], " for job 'sum'")).toThrow(
      'label must be non-empty with no comma and no leading or trailing whitespace, got "a,b" for job \'sum\'',
    );
  });
});

describe('a set of labels', () => {
  it('has an order of its own, and each label once', () => {
    expect(sortedLabels(['b', 'a', 'b'])).toEqual(['a', 'b']);
    expect(sortedLabels(undefined)).toEqual([]);
  });

  it('comes back from a query as it was sent', () => {
    fc.assert(
      fc.property(labels, (sent) => {
        expect(labelsOfQuery(sent.join(','))).toEqual(sortedLabels(sent));
      }),
    );
  });

  it('of a query that is absent or has nothing between its commas is empty', () => {
    expect(labelsOfQuery(undefined)).toEqual([]);
    expect(labelsOfQuery('')).toEqual([]);
    expect(labelsOfQuery(',,')).toEqual([]);
  });
});

describe('a runner takes a job', () => {
  test.each([
    [[], [], true],
    [['gpu'], ['gpu'], true],
    [['gpu', 'large'], ['gpu'], true],
    [['gpu'], ['gpu', 'large'], false],
    [['gpu'], ['large'], false],
    [['gpu'], [], false],
    [[], ['gpu'], false],
  ])('with labels %j, that has %j: %s', (runner, job, taken) => {
    expect(covers(runner, job)).toBe(taken);
  });

  it('also with more labels than it had, when it took it and both have some', () => {
    fc.assert(
      fc.property(labels, labels, label, (runner, job, more) => {
        if (covers(runner, job) && runner.length > 0) expect(covers([...runner, more], job)).toBe(true);
        if (!covers(runner, job) && job.length > 0) expect(covers(runner, [...job, more])).toBe(false);
      }),
    );
  });
});
