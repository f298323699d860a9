import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { covers, labelsOfQuery, refuseBadLabels, sortedLabels } from './labels.ts';

const label = fc.stringMatching(/^[a-z0-9][a-z0-9_.-]{0,5}$/);
const labels = fc.array(label, { maxLength: 5 });

describe('a label', () => {
  it.each(['', ' ', 'a,b', ',', ' gpu', 'gpu ', 'gpu\n'])('the label %j is refused', (text) => {
    expect(() => refuseBadLabels(['fine', text])).toThrow(
      expect.objectContaining({ code: 'BODY_REFUSED', facts: { field: 'labels', found: text } }),
    );
  });

  it('any other text is a valid label, and a job needs no label', () => {
    expect(() => refuseBadLabels(['gpu', 'two words', 'größe', 'a=b'])).not.toThrow();
    expect(() => refuseBadLabels(null)).not.toThrow();
    expect(() => refuseBadLabels(undefined)).not.toThrow();
  });

  it('a refused label is named in the message together with its owner', () => {
    expect(() => refuseBadLabels(['a,b'], " for job 'sum'")).toThrow(
      'label must be non-empty with no comma and no leading or trailing whitespace, got "a,b" for job \'sum\'',
    );
  });
});

describe('a set of labels', () => {
  it('labels are sorted and each occurs once', () => {
    expect(sortedLabels(['b', 'a', 'b'])).toEqual(['a', 'b']);
    expect(sortedLabels(undefined)).toEqual([]);
  });

  it('labels in a query are parsed to the labels that were sent', () => {
    fc.assert(
      fc.property(labels, (sent) => {
        expect(labelsOfQuery(sent.join(','))).toEqual(sortedLabels(sent));
      }),
    );
  });

  it('a query without labels, or with only commas, means no labels', () => {
    expect(labelsOfQuery(undefined)).toEqual([]);
    expect(labelsOfQuery('')).toEqual([]);
    expect(labelsOfQuery(',,')).toEqual([]);
  });
});

describe('the labels of a runner and a job', () => {
  test.each([
    [[], [], true],
    [['gpu'], ['gpu'], true],
    [['gpu', 'large'], ['gpu'], true],
    [['gpu'], ['gpu', 'large'], false],
    [['gpu'], ['large'], false],
    [['gpu'], [], false],
    [[], ['gpu'], false],
  ])('a runner with labels %j and a job with labels %j match: %s', (runner, job, taken) => {
    expect(covers(runner, job)).toBe(taken);
  });

  it('a runner that covers a job still covers it with additional labels, when both have labels', () => {
    fc.assert(
      fc.property(labels, labels, label, (runner, job, more) => {
        if (covers(runner, job) && runner.length > 0) expect(covers([...runner, more], job)).toBe(true);
        if (!covers(runner, job) && job.length > 0) expect(covers(runner, [...job, more])).toBe(false);
      }),
    );
  });
});
