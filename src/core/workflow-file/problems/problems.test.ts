import { describe, expect, it, test } from 'vitest';
import { readText } from '../../../../tests/spec/reading.ts';
import { Complaints } from '../read/complaints.ts';
import { fewAlike } from './few-alike.ts';
import { creationLine, dryRunLines, formatAmongOthers, formatProblem, pathText, type Problem } from './problems.ts';
import { sequence } from '../../lists/sequence.ts';

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

  it('a problem is one line: the place, the field, the sentence, the suggestion', () => {
    expect(formatProblem(first(text))).toBe(
      'flow.yaml:5:5: jobs[0].dependson: unknown field `dependson`; did you mean "depends_on"?',
    );
  });

  it('a problem contains the whole sentence of Torc, for tools that search for it', () => {
    const [line] = dryRunLines(first(text));
    expect(line).toMatch(
      /^Failed to parse specification file: unknown field `dependson`, expected one of `name`, `command`, /,
    );
    expect(creationLine(first(text))).toMatch(/^Error reading spec: unknown field `dependson`, expected one of /);
  });

  it('a warning is marked in a list of both kinds, and not under a heading', () => {
    const problem = first('name: w\nname: w\njobs: []\n');
    const line = 'key `name` stands twice; the last one counts';
    expect(formatAmongOthers(problem)).toBe(`flow.yaml:2:1: warning: ${line}`);
    expect(formatProblem(problem)).toBe(`flow.yaml:2:1: ${line}`);
  });

  it('a problem of the file as a whole has no place in it', () => {
    expect(formatProblem(first(''))).toBe('flow.yaml: workflow spec flow.yaml is empty');
  });
});

describe('the same error of many instances', () => {
  const job = 'name: "j_{i}", command: x, depends_on: ["gone_{i}"], parameters: {i: "1:1000"}';
  const { problems } = readText(`name: w\njobs:\n  - {${job}}\n`);

  it('the same error is reported for each instance', () => {
    expect(problems.map(({ message }) => message)).toEqual(
      Array.from({ length: 1000 }, (_, at) => `Job 'j_${at + 1}' depends_on non-existent job 'gone_${at + 1}'`),
    );
    expect(problems.every(({ line, path }) => line === 3 && path === 'jobs[0].depends_on[0]')).toBe(true);
  });

  it('the same error is shown to a user a hundred times, with the number of the others', () => {
    const shown = fewAlike([...problems, ...readText('').problems]);
    expect(shown).toHaveLength(102);
    expect(shown[99]?.message).toBe("Job 'j_100' depends_on non-existent job 'gone_100'");
    expect(shown[100]?.code).toBe('EMPTY');
    expect(formatProblem(shown[101]!)).toBe('flow.yaml:3:46: jobs[0].depends_on[0]: … and 900 more like it');
    expect(fewAlike(problems.slice(0, 100))).toEqual(problems.slice(0, 100));
  });

  it('the same error is reported up to the lines of a report, and the others are counted', () => {
    const complaints = new Complaints(10);
    const path = ['jobs', 0, 'env'];
    complaints.add({ code: 'CYCLE', message: 'c' });
    for (let at = 0; at < 8; at += 1) complaints.add({ code: 'ENV_NAME_MALFORMED', message: `e${at}`, path });
    complaints.add({ code: 'LABEL_MALFORMED', message: 'l0', echoes: sequence(7, (at) => `l${at + 1}`), path });
    complaints.add({ code: 'LABEL_MALFORMED', message: 'other', path: ['jobs', 1, 'labels'] });
    complaints.add({ code: 'ENV_NAME_MALFORMED', message: 'first to be left out', path });
    complaints.add({ code: 'ENV_NAME_MALFORMED', message: 'second', path });
    complaints.add({ code: 'SYNTAX', message: 'the first of its kind' });
    const reported = complaints.problems('f', '', () => ({ at: 0 }), false);
    expect(reported.slice(0, 9).map(({ message }) => message)).toEqual([
      'c',
      'e0',
      'e1',
      'e2',
      'e3',
      'e4',
      'e5',
      'e6',
      'e7',
    ]);
    expect(reported.slice(9)).toMatchObject([
      { code: 'LABEL_MALFORMED', message: 'l0', path: 'jobs[0].env' },
      { code: 'SYNTAX', message: 'the first of its kind' },
      { code: 'LABEL_MALFORMED', message: '… and 8 more like it', path: '', more: 8 },
      { code: 'ENV_NAME_MALFORMED', message: '… and 2 more like it', path: 'jobs[0].env', more: 2 },
    ]);
    expect(reported[9]?.echoes).toBeUndefined();
    expect(complaints.hasReadErrors).toBe(true);
  });
});

it('a sentence that quotes a long text is reported a few times, so that a report fits into memory', () => {
  const description = '{a} '.repeat(20_000);
  const { problems } = readText(JSON.stringify({ name: 'w', variables: { v: '1' }, jobs: [], description }), 'json');
  const reported = problems.filter(({ more }) => more === undefined);
  expect(reported.length).toBeGreaterThan(100);
  expect(reported.length).toBeLessThan(1000);
  expect(problems.at(-1)).toMatchObject({ path: 'description', more: 20_000 - reported.length });
  // The hundredth is the last with its own place.
  expect(reported[99]?.column).toBe((reported[0]?.column ?? 0) + 99 * 4);
  expect(reported[100]?.column).toBe((reported[0]?.column ?? 0) - 1);
});

describe('a syntax error', () => {
  test.each([
    ['yaml', 'name: w\njobs:\n  - name: a\n   command: x\n', 'bad indentation of a sequence entry at line 4 column 4'],
    ['json', '{"name": "w",\n "jobs": [}', 'expected a value, found `}` at line 2 column 11'],
    ['json5', "{name: 'w'\n", 'expected `,` or `}`, found the end at line 2 column 1'],
    ['kdl', 'name "w"\njob "a" {\n command "x\n}\n', 'Unexpected EOF inside string at line 5 column 1'],
  ] as const)("a syntax error of %s has its place in Torc's lines too, once", (format, text, words) => {
    const [problem] = readText(text, format).problems;
    expect(dryRunLines(problem!)).toEqual([`Failed to parse specification file: ${words}`]);
    expect(creationLine(problem!)).toBe(`Error reading spec: ${words}`);
    expect(words.endsWith(` at line ${problem?.line} column ${problem?.column}`)).toBe(true);
  });
});

test.each([
  ['a NUL', String.raw`{"name":"a","jobs":[{"name":"j\u0000x","command":"true"}]}`, 'it contains a NUL character'],
  ['half a pair', String.raw`{"name":"a\ud800","jobs":[]}`, 'it contains half of a surrogate pair'],
])('a text that the server would refuse is a problem of the file: %s', (_, text, words) => {
  const [problem] = readText(text, 'json').problems;
  expect(problem).toMatchObject({ code: 'TEXT_REFUSED', message: `Invalid text: ${words}` });
});

it('a KDL file is nested as deep as the others, and no deeper', () => {
  const nested = (depth: number) => `name "w"\n${'a {\n'.repeat(depth)}${'}\n'.repeat(depth)}`;
  const codes = (depth: number) => readText(nested(depth), 'kdl').problems.map(({ message }) => message);
  expect(codes(500)).not.toContain('nested more than 500 deep');
  expect(codes(5_000)).toEqual([expect.stringContaining('nested more than 500 deep')]);
});

it('of a name of a million characters a person sees the first, and their number', () => {
  const name = 'n'.repeat(1_000_000);
  const text = JSON.stringify({ name: 'w', jobs: [{ name, command: 'true', depends_on: ['zz'] }] });
  const line = formatProblem(first(text));
  expect(line.length).toBeLessThan(2_000);
  expect(line).toContain('… (1,000,00');
  const short = formatProblem(first(text.replace(name, 'n'.repeat(900))));
  expect(short).toContain('n'.repeat(900));
});
