import { expect, it } from 'vitest';
import { planOfSpec } from '../read/read.ts';

const files = [
  { name: 'blank', path: 'my data/a.txt' },
  { name: 'plain', path: 'data/a.txt' },
  { name: 'scratch', path: '$SCRATCH/$(date +%F) a' },
  { name: 'of_{s}', path: 'raw/{s}.txt', parameters: { s: ['one', 'and two'] } },
];
const reported = (command: string, more: object = {}) =>
  planOfSpec({ name: 'w', jobs: [{ name: 'a', command, ...more }], files }, 'flow', {
    readFile: () => '',
    fileExists: () => true,
  }).problems.map(({ code, severity, path, message }) => `${severity} ${code} ${path}: ${message}`);

it.each(['cat ${files.input.blank}', "echo 'x'; cat ${files.input.blank}", 'sort -o ${files.output.blank} x'])(
  'a path with a blank is warned about where no quotes enclose it: %s',
  (command) => {
    const token = /\$\{.*?\}/.exec(command)?.[0];
    expect(reported(command)).toEqual([
      `warning PATH_UNQUOTED jobs[0].command: Job 'a': the shell reads the path 'my data/a.txt' as several words; put ${token} in double quotes`,
    ]);
  },
);

it.each([
  'cat "${files.input.blank}"',
  "cat '${files.input.blank}'",
  'cat ${files.input.plain}',
  'cat ${files.input.scratch}',
  'true # ${files.input.blank}',
  'echo "$(cat "${files.input.blank}")"',
])('a path in quotes, without a blank, or that the shell is to read gets no warning: %s', (command) => {
  expect(reported(command)).toEqual([]);
});

it('in a sweep the first job whose path has a blank is named, once', () => {
  const sweep = { name: 'sum_{s}', parameters: { s: ['one', 'and two'] } };
  expect(reported('cat ${files.input.of_{s}}', sweep)).toEqual([
    expect.stringContaining("Job 'sum_and two': the shell reads the path 'raw/and two.txt' as several words"),
  ]);
  expect(reported('cat "${files.input.of_{s}}"', sweep)).toEqual([]);
});
