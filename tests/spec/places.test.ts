import { describe, expect, it, test } from 'vitest';
import type { SpecFormat } from '../../src/core/workflow-file/text/read-text.ts';
import { readText } from './reading.ts';

/** The text from the place of each problem on, as an editor would jump there. */
function places(text: string, format: SpecFormat = 'yaml'): string[] {
  const lines = text.split('\n');
  return readText(text, format).problems.map(
    ({ code, line = 0, column = 0 }) => `${code} ${line}:${column} ${lines[line - 1]?.slice(column - 1) ?? ''}`,
  );
}

const inYaml = (command: string): string => `name: w\njobs:\n  - name: a\n    command: ${command}\n`;

describe('a warning about a token of a command has the place of the token', () => {
  test.each<[string, SpecFormat, string, string[]]>([
    ['a plain text', 'yaml', inYaml('cat ${files.input.f} > x'), ['TOKEN_UNKNOWN 4:18 ${files.input.f} > x']],
    ['a quoted text', 'yaml', inYaml('"cat ${files.input.f}"'), ['TOKEN_UNKNOWN 4:19 ${files.input.f}"']],
    [
      'a block of lines',
      'yaml',
      inYaml('|\n      echo\n      cat ${files.input.f}\n      rm ${user_data.input.u}'),
      ['TOKEN_UNKNOWN 6:11 ${files.input.f}', 'TOKEN_UNKNOWN 7:10 ${user_data.input.u}'],
    ],
    ['a folded block', 'yaml', inYaml('>-\n      cat\n      ${files.input.f}'), ['TOKEN_UNKNOWN 6:7 ${files.input.f}']],
    [
      'the same token twice',
      'yaml',
      inYaml('${files.input.f} ${files.input.f}'),
      ['TOKEN_UNKNOWN 4:14 ${files.input.f} ${files.input.f}', 'TOKEN_UNKNOWN 4:31 ${files.input.f}'],
    ],
    [
      'a script',
      'yaml',
      'name: w\njobs:\n  - {name: a, command: x, invocation_script: "run ${files.input.f}"}\n',
      ['TOKEN_UNKNOWN 3:51 ${files.input.f}"}'],
    ],
    [
      'a job of a sweep, with its parameter',
      'yaml',
      'name: w\njobs:\n  - name: "a_{i}"\n    command: cat ${files.input.f_{i}}\n    parameters: {i: "1:2"}\n',
      ['TOKEN_UNKNOWN 4:18 ${files.input.f_{i}}', 'TOKEN_UNKNOWN 4:18 ${files.input.f_{i}}'],
    ],
    [
      'JSON',
      'json',
      '{"name": "w", "jobs": [\n {"name": "a", "command": "\\"cat\\" ${files.input.f}"}]}',
      ['TOKEN_UNKNOWN 2:36 ${files.input.f}"}]}'],
    ],
    [
      'JSON5',
      'json5',
      "{name: 'w', jobs: [{name: 'a', command: 'cat \\\n ${files.input.f}'}]}",
      ["TOKEN_UNKNOWN 2:2 ${files.input.f}'}]}"],
    ],
    [
      'KDL',
      'kdl',
      'name "w"\njob "a" {\n  command "cat ${files.input.f}"\n}\n',
      ['TOKEN_UNKNOWN 3:16 ${files.input.f}"'],
    ],
    [
      'lines of KDL',
      'kdl',
      'name "w"\njob "a" {\n  command """\n    echo\n    cat ${files.input.f}\n    """\n}\n',
      ['TOKEN_UNKNOWN 5:9 ${files.input.f}'],
    ],
  ])('a warning about a token of a command has the place of the token in %s', (_what, format, text, expected) =>
    expect(places(text, format)).toEqual(expected),
  );

  test.each<[string, SpecFormat, string, string[]]>([
    [
      'an escape is in it',
      'json',
      '{"name": "w", "jobs": [{"name": "a", "command": "x ${files.input.\\u0066}"},\n{"name": "${files.input.f}", "command": "true"}]}',
      ['TOKEN_UNKNOWN 1:49 "x ${files.input.\\u0066}"},'],
    ],
    [
      'the text is elsewhere and an alias stands here',
      'yaml',
      'name: w\ndescription: &c "cat ${files.input.f}"\njobs:\n  - {name: a, command: *c}\n',
      ['TOKEN_UNKNOWN 4:24 *c}'],
    ],
    [
      'a variable was put into it',
      'yaml',
      'name: w\nvariables: {v: f}\njobs:\n  - {name: a, command: "cat ${files.input.{v}}"}\n',
      ['TOKEN_UNKNOWN 4:24 "cat ${files.input.{v}}"}'],
    ],
  ])(
    'a warning about a token of a command has the place of the token or that of the text, where %s',
    (_what, format, text, expected) => expect(places(text, format)).toEqual(expected),
  );
});

describe('an error about a name in braces has the place of the name', () => {
  it('an error about a name in braces has the place of the name in a text', () => {
    expect(
      places('name: w\nvariables: {v: "1"}\njobs: []\ndescription: |\n  ${x} {v}\n  ${x}{x:03d} {x} {x}\n'),
    ).toEqual([
      'TEMPLATE_UNDEFINED 6:7 {x:03d} {x} {x}',
      'TEMPLATE_UNDEFINED 6:15 {x} {x}',
      'TEMPLATE_UNDEFINED 6:19 {x}',
    ]);
  });

  it('an error about a name in braces has the place of the name in a variable', () => {
    expect(places('name: w\nvariables:\n  a: "x {b} ${c} {c}"\njobs: []\n')).toEqual([
      'VARIABLE_MALFORMED 3:9 {b} ${c} {c}"',
      'VARIABLE_MALFORMED 3:18 {c}"',
    ]);
  });
});

it('a circle of dependencies has the place where a job names the next one', () => {
  const text =
    'name: w\njobs:\n  - {name: a, command: x, depends_on: [z, b]}\n  - {name: b, command: x, depends_on: [a]}\n  - {name: z, command: x}\n';
  expect(places(text)).toEqual(['CYCLE 3:43 b]}']);
});

describe('a place is the same', () => {
  const texts = {
    yaml: inYaml('|\n      echo\n      cat ${files.input.f}'),
    json: '{"name": "w",\n"jobs": [{"name": "a",\n "command": "cat ${files.input.f}"}]}',
    json5: "{name: 'w',\n jobs: [{name: 'a',\n command: 'cat ${files.input.f}'}]}",
    kdl: 'name "w"\njob "a" {\n  command "cat ${files.input.f}"\n}\n',
  };
  const placeIn = (text: string, format: SpecFormat) =>
    readText(text, format).problems.map(({ code, line, column }) => ({ code, line, column }));
  const formats = Object.entries(texts) as [SpecFormat, string][];

  test.each(formats)('a place is the same with any line break, in %s', (format, text) => {
    const expected = placeIn(text, format);
    expect(expected).toMatchObject([{ code: 'TOKEN_UNKNOWN' }]);
    for (const lineBreak of ['\r\n', '\r']) expect(placeIn(text.replaceAll('\n', lineBreak), format)).toEqual(expected);
  });

  test.each(formats.filter(([format]) => format !== 'json'))('behind a byte order mark, in %s', (format, text) => {
    expect(placeIn(`\ufeff${text}`, format)).toEqual(placeIn(text, format));
    const oneLine = "{name: 'w', jobs: [], foo: 1}";
    expect(placeIn(`\ufeff${oneLine}`, 'json5')).toEqual(placeIn(oneLine, 'json5'));
  });
});
