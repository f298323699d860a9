import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { programFolder } from '../support/packed.ts';
import { leftJobs } from '../support/standalone.ts';
import { temporaryFolder, torc } from '../support/programs.ts';

const program = `'${process.execPath}' '${join(programFolder(), 'torc.mjs')}'`;

it('a job of torc -s has a token in its environment that does what jobs do and no more, and not the credential of the server', async () => {
  const folder = temporaryFolder();
  const say = (words: string) => `echo "${words.split(' ')[0]}: $(${program} ${words} 2>&1 | tr '\\n' ' ')" >> said`;
  const script = `
env > seen; cp torc_output/torc.db-server kept
${say('user-data update 1 --data \'{"n": 7}\'')}
echo '[{"name": "later", "command": "true"}]' | ${program} jobs spawn -
${say('cancel $TORC_WORKFLOW_ID --no-prompts')}
${say('delete $TORC_WORKFLOW_ID --no-prompts')}
`;
  writeFileSync(join(folder, 'job.sh'), script);
  writeFileSync(
    join(folder, 'flow.yaml'),
    'name: f\njobs: [{name: asks, command: bash job.sh, output_user_data: [v]}]\nuser_data: [{name: v}]\n',
  );
  const { code, stderr } = await torc(['-s', 'run', 'flow.yaml'], { cwd: folder });
  expect([code, stderr]).toEqual([0, expect.stringContaining('2 jobs completed')]);
  const { credential } = JSON.parse(readFileSync(join(folder, 'kept'), 'utf8')) as { credential: string };
  const seen = readFileSync(join(folder, 'seen'), 'utf8');
  expect(seen).toMatch(/^TORC_PASSWORD=job-1-/m);
  expect(seen).not.toContain(credential);
  const said = readFileSync(join(folder, 'said'), 'utf8');
  expect(said.match(/the login of the jobs of workflow 1 is not for (PUT|DELETE)/g)).toHaveLength(2);
  expect(await leftJobs(folder)).toMatchObject([
    { name: 'asks', status: 'completed' },
    { name: 'later', status: 'completed' },
  ]);
});
