import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderWith } from '../support/folder-with.ts';
import { torc } from '../support/programs.ts';

/** Jobs whose pipe fails before its end, and the lines in which bash says so. */
const JOBS = String.raw`
jobs:
  - { name: first, command: 'cat nowhere.txt | cat' }
  - { name: script, invocation_script: "A=1\n", command: "exit 3 | cat > $A.txt" }
  - { name: nested, command: 'x=$(exit 4 | cat); echo "$x" | cat' }
  - { name: right, command: 'echo a | cat' }
  - { name: line, command: "true\n(exit 5) | cat\nnowhere" }
`;

async function codesOf(setting: string) {
  const folder = folderWith({ 'flow.yaml': `name: pipes\n${setting}${JOBS}` });
  const { stderr } = await torc(['-s', 'run', 'flow.yaml'], { cwd: folder });
  expect(stderr).toContain('workflow 1');
  const { stdout } = await torc(['-s', '-f', 'json', 'results', 'list', '1'], { cwd: folder });
  const { items } = JSON.parse(stdout) as { items: readonly { job_name: string; return_code: number }[] };
  const errors = readFileSync(join(folder, 'torc_output/job_stdio/job_wf1_j5_r1_a1.e'), 'utf8');
  return [Object.fromEntries(items.map(({ job_name: name, return_code: code }) => [name, code])), errors];
}

it('a job with pipefail fails with any command of its pipe, and bash counts the lines of its command as before', async () => {
  const line = expect.stringContaining('line 3: nowhere');
  expect(await codesOf('execution_config: { pipefail: true }\n')).toEqual([
    { first: 1, script: 3, nested: 0, right: 0, line: 127 },
    line,
  ]);
  expect(await codesOf('')).toEqual([{ first: 0, script: 0, nested: 0, right: 0, line: 127 }, line]);
});
