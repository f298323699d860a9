import { describe, expect, it, test } from 'vitest';
import { readText } from '../../../tests/spec/reading.ts';
import { creationLine, dryRunLines, formatProblem, pathText, type Problem } from './problems.ts';

const first = (text: string): Problem => {
  const [problem] = readText(text).problems;
  if (problem === undefined) throw new Error('nothing is wrong');
  return problem;
};

test.each([
  [['jobs', 3, 'depends_on', 0], 'jobs[3].depends_on[0]'],
  [['env', 'MY-VAR'], 'env.MY-VAR'],
  [['metadata', 'a b'], 'metadata["a b"]'],
  [[], ''],
])('the path %j is written %s', (path, text) => expect(pathText(path)).toBe(text));

describe('a problem', () => {
  const text = 'name: w\njobs:\n  - name: a\n    command: x\n    dependson: [b]\n';

  it('is one line: the place, the field, the sentence, what was meant', () => {
    expect(formatProblem(first(text))).toBe(
      'flow.yaml:5:5: jobs[0].dependson: unknown field `dependson`; did you mean "depends_on"?',
    );
  });

  it("keeps the whole of Torc's sentence for those who look for it", () => {
    const [line] = dryRunLines(first(text));
    expect(line).toMatch(
      /^Failed to parse specification file: unknown field `dependson`, expected one of `name`, `command`, /,
    );
    expect(creationLine(first(text))).toMatch(/^Error reading spec: unknown field `dependson`, expected one of /);
  });

  it('says that it is a warning', () => {
    expect(formatProblem(first('name: w\nname: w\njobs: []\n'))).toBe(
      'flow.yaml:2:1: warning: key `name` stands twice; the last one counts',
    );
  });

  it('of the file as a whole has no place in it', () => {
    expect(formatProblem(first(''))).toBe('flow.yaml: workflow spec flow.yaml is empty');
  });
});

it('tells the same mistake of a million instances a hundred times, and how many more there are', () => {
  const job = 'name: "j_{i}", command: x, depends_on: ["gone_{i}"], parameters: {i: "1:1000"}';
  const { problems } = readText(`name: w\njobs:\n  - {${job}}\n`);
  expect(problems).toHaveLength(101);
  expect(problems[0]?.message).toBe("Job 'j_1' depends_on non-existent job 'gone_1'");
  expect(problems[100]?.message).toBe('… and 900 more like it');
  expect(problems.every(({ line, path }) => line === 3 && path === 'jobs[0].depends_on[0]')).toBe(true);
});
