import { describe, expect, it, test } from 'vitest';
import { readSpec, type SpecReading } from '../read/read.ts';
import { formatOfName } from './read-text.ts';

const read = (name: string, text: string): SpecReading => readSpec({ name, text }, { readFile: () => '' });
const messages = (name: string, text: string): string[] => read(name, text).problems.map(({ message }) => message);

const same = {
  json: '{"name": "w", "jobs": [{"name": "a", "command": "x"}]}',
  json5: "{name: 'w', /* */ jobs: [{name: 'a', command: 'x',},]}",
  yaml: 'name: w\njobs:\n  - name: a\n    command: x\n',
  kdl: 'name "w"\njob "a" { command "x" }\n',
};

test.each([
  ['a.json', 'json'],
  ['a.JSON5', 'json5'],
  ['dir.kdl/a.yml', 'yaml'],
  ['a.yaml', 'yaml'],
  ['a.b.kdl', 'kdl'],
  ['a.txt', undefined],
  ['kdl', undefined],
  ['a.kdl/b', undefined],
])('%s is %s', (name, format) => expect(formatOfName(name)).toBe(format));

describe.each(Object.entries(same))('a workflow in %s', (format, text) => {
  test.each([`w.${format}`, `W.${format.toUpperCase()}`, 'w', 'w.txt', '-'])('the file is read as "%s"', (name) => {
    const { plan, problems } = read(name, text);
    expect(problems).toEqual([]);
    expect(plan?.jobs.at(0)).toMatchObject({ name: 'a', command: 'x' });
  });
});

describe('a wrong extension', () => {
  it('the extension decides: YAML is not read as JSON, and JSON is valid YAML', () => {
    expect(read('w.json', same.yaml).problems).toMatchObject([{ code: 'SYNTAX', line: 1, column: 1 }]);
    expect(read('w.json', same.json5).problems).toMatchObject([{ code: 'SYNTAX', line: 1, column: 2 }]);
    expect(read('w.yaml', same.json).problems).toEqual([]);
  });

  it('YAML lines with the extension of KDL are read as KDL nodes', () => {
    expect(messages('w.kdl', 'name: x\njobs: y\n')).toContain('missing field `name`');
  });
});

describe('standard input', () => {
  test.each(['', '  \n'])('empty standard input (%j) is refused with its own message', (text) => {
    expect(messages('-', text)).toEqual(['workflow spec read from stdin is empty']);
  });

  it('standard input without an object is refused', () => {
    expect(messages('-', '[1]')[0]).toContain('unable to detect the format');
  });

  it('standard input of bare words is KDL without known nodes', () => {
    expect(messages('-', 'hello world')).toContain('missing field `name`');
  });
});

describe('a file without a known extension', () => {
  it('errors are those of the most likely format', () => {
    expect(messages('w', 'name: x\njobs: [')[0]).toContain('flow collection');
    expect(messages('w', '{name: 1')[0]).toContain('expected `,` or `}`');
    expect(messages('w', 'name "x\n')[0]).toMatch(/string|quot/i);
  });

  it('a value that is not an object is reported as a value of the wrong kind', () => {
    expect(messages('w', '[1]')).toEqual(['invalid type: sequence, expected struct WorkflowSpec']);
  });
});

it('a byte order mark is refused in JSON, and skipped in YAML', () => {
  expect(read('w.json', `\ufeff${same.json}`).problems).toMatchObject([{ code: 'SYNTAX' }]);
  expect(read('w.yaml', `\ufeff${same.yaml}`).problems).toEqual([]);
});

test.each([
  ['w.yaml', 'name: a\nname: w\njobs: []\n', 2],
  ['w.json', '{"name": "a",\n"jobs": [], "name": "w"}', 2],
  ['w.json5', "{name: 'a',\nname: 'w', jobs: []}", 2],
])('in %s a duplicate key is a warning, and the last value counts', (name, text, line) => {
  const { plan, problems } = read(name, text);
  expect(problems).toMatchObject([{ code: 'KEY_DUPLICATE', severity: 'warning', found: 'name', line }]);
  expect(plan?.workflow.name).toBe('w');
});
