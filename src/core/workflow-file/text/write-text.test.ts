import { expect, it, test } from 'vitest';
import { readText } from './read-text.ts';
import { writeText } from './write-text.ts';

const text =
  'name: x\njobs:\n  - name: a\n    command: "echo \'1: 2\' # no"\n    priority: 3\nratio: 1.0\nbig: 90071992547409931\nempty: ""\n';
const valueOf = (source: string, name: string) => readText({ text: source, name }, () => {})?.value;

test.each(['yaml', 'json'] as const)(
  'a workflow file that is written as %s is read back as the same values',
  (format) => {
    const value = valueOf(text, 'a.yaml') as never;
    expect(valueOf(writeText(value, format), `b.${format}`)).toEqual(value);
  },
);

it('numbers keep their digits', () => {
  expect(writeText(valueOf(text, 'a.yaml') as never, 'yaml')).toMatch(/ratio: 1\.0\nbig: 90071992547409931\n/);
});
