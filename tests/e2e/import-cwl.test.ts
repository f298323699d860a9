import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder, torc } from '../support/programs.ts';

/** Conversions of CWL that are run: the how-to page has a workflow with files and a scattered step. */

const TOOL = {
  cwlVersion: 'v1.2',
  class: 'CommandLineTool',
  requirements: { ShellCommandRequirement: {}, EnvVarRequirement: { envDef: { GREETING: "it's $(inputs.who)" } } },
  arguments: [{ valueFrom: 'printf "%s|" "$GREETING" "$HOME" "$0"; echo wrong >&2; exit 3', shellQuote: false }],
  inputs: { who: 'string' },
  successCodes: [3],
  stdout: 'said.txt',
  stderr: 'wrong.txt',
  outputs: { said: { type: 'stdout' }, wrong: { type: 'stderr' } },
};

it('a converted tool runs in a folder of its own with its variables, its streams and its exit codes', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'say.cwl'), JSON.stringify(TOOL));
  writeFileSync(join(folder, 'in.json'), JSON.stringify({ who: 'a $PATH; "b"' }));
  const made = await torc(['import', 'cwl', 'say.cwl', 'in.json', '-o', 'say.yaml'], { cwd: folder });
  expect([made.code, made.stderr]).toEqual([0, expect.stringContaining('1 job, 2 files, 2 notes, 0 left out')]);
  const run = await torc(['-s', 'run', 'say.yaml', '--fail'], { cwd: folder });
  expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('1 job completed')]);
  const output = join(folder, 'say_output/say');
  expect(readFileSync(join(output, 'said.txt'), 'utf8')).toMatch(`it's a $PATH; "b"|${output}|`);
  expect(readFileSync(join(output, 'wrong.txt'), 'utf8')).toBe('wrong\n');
});

it('a file that is not there, and one that is no CWL, are named, and nothing is written', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'other.cwl'), 'name: flow\njobs: []\n');
  for (const [name, reason] of [
    ['none.cwl', 'none.cwl cannot be read'],
    ['other.cwl', 'other.cwl is no process of CWL'],
  ] as const) {
    const { code, stdout, stderr } = await torc(['import', 'cwl', name, '-o', 'out.yaml'], { cwd: folder });
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(reason)]);
  }
});
