import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DryRunReport } from '../../src/core/workflow-file/read/dry-run.ts';
import { temporaryFolder, torc } from '../support/programs.ts';

/** Runs torc on a workflow file; no server is needed, since nothing is created. */
async function create(text: string, ...words: string[]) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'flow.yaml'), text);
  return torc(['create', 'flow.yaml', ...words], { cwd: folder });
}

const COUNT = 1000;
const sweep = `name: w
jobs:
  - {name: "j_{i}", command: "cat \${files.input.f_{i}}", depends_on: ["gone_{i}"], parameters: {i: "1:${COUNT}"}}
`;

describe('the problems of a workflow file', () => {
  it('the problems of a workflow file are all in the JSON of a dry run, each instance of each mistake', async () => {
    const { code, stdout } = await create(sweep, '-f', 'json', '--dry-run');
    const { valid, errors, warnings, problems } = JSON.parse(stdout) as DryRunReport;
    expect([code, valid, errors.length, warnings.length, problems.length]).toEqual([1, false, 2 * COUNT, 0, 2 * COUNT]);
    expect(errors).toContain(`Job 'j_${COUNT}' depends_on non-existent job 'gone_${COUNT}'`);
    expect(problems.at(-1)).toMatchObject({ code: 'TOKEN_UNKNOWN', line: 3, column: 35 });
  });

  it.each([['in a dry run', '--dry-run'], ['when nothing is created']])(
    'the problems of a workflow file are printed a hundred times at most each, %s',
    async (_when, ...words) => {
      const { code, stderr } = await create(sweep, ...words);
      const lines = stderr.trimEnd().split('\n');
      expect(code).toBe(1);
      expect(lines.filter((line) => line.includes('warning:'))).toEqual([]);
      const errors = lines.filter((line) => line.startsWith('  flow.yaml:3:'));
      expect(errors).toHaveLength(202);
      expect(errors).toContain(
        "  flow.yaml:3:35: jobs[0].command: ${files.input.f_1} in the command of job 'j_1' names no file of this workflow",
      );
      expect(errors.filter((line) => line.endsWith('… and 900 more like it'))).toHaveLength(2);
    },
  );

  it('a warning of a workflow file is called one once', async () => {
    const text = 'name: w\nuser_data: [{name: u}]\njobs: [{name: a, command: "x ${user_data.input.u}"}]\n';
    const { stderr } = await create(text, '--dry-run');
    expect(stderr.split('warning:')).toHaveLength(2);
  });

  it.each([
    ['through names', 'depends_on: [b]', 'depends_on: [a]', 'Circular dependency detected: a → b → a'],
    [
      'through files',
      'input_files: [f], output_files: [g]',
      'input_files: [g], output_files: [f]',
      'Jobs wait for each other through their files or user data, for ever: a → b → a',
    ],
  ])('a circle of jobs %s is printed once, with its place', async (_how, first, second, message) => {
    const text = `name: w
files: [{name: f, path: f}, {name: g, path: g}]
jobs: [{name: a, command: x, ${first}}, {name: b, command: x, ${second}}]
`;
    const lines = (await create(text)).stderr.split('\n');
    expect(lines[0]).toBe('Error creating workflow from spec: Circular dependency detected in job graph');
    expect(lines.filter((line) => line.includes('→'))).toEqual([
      expect.stringMatching(/^ {2}flow\.yaml:3:\d+: jobs\[0\]/),
    ]);
    expect(lines[1]).toContain(`: ${message}`);
    const { stdout } = await create(text, '-f', 'json', '--dry-run');
    expect((JSON.parse(stdout) as DryRunReport).errors).toEqual([expect.stringContaining('a → b → a')]);
  });

  it('the problems of a workflow file have their place in the lines of Torc too, where the file has no syntax', async () => {
    const text = 'name: w\njobs:\n  - name: a\n   command: x\n';
    const { stdout } = await create(text, '-f', 'json', '--dry-run');
    expect((JSON.parse(stdout) as DryRunReport).errors).toEqual([
      'Failed to parse specification file: bad indentation of a sequence entry at line 4 column 4',
    ]);
    const { stderr } = await create(text);
    expect(stderr).toBe(
      'Error reading spec: bad indentation of a sequence entry at line 4 column 4\n' +
        '  flow.yaml:4:4: `command` begins in column 4 and `name`, above it, in column 5; ' +
        'the fields of one entry begin in the same column (bad indentation of a sequence entry)\nNothing was created.\n',
    );
  });
});
