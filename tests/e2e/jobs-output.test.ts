import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, start, startServer, temporaryFolder, torc } from '../support/programs.ts';

/** What jobs printed: `torc jobs output`. */

let folder: string;
let server: RunningServer;
const output = (words: readonly string[], cwd = folder) =>
  torc(['--url', server.url, 'jobs', 'output', ...words], { cwd });

beforeAll(async () => {
  folder = temporaryFolder();
  server = await startServer(folder);
  writeFileSync(
    join(folder, 'flow.yaml'),
    `
name: printed
failure_handlers: [{name: again, rules: [{exit_codes: [3], max_retries: 2}]}]
jobs:
  - {name: bytes, command: "printf 'a\\\\033[31m\\\\0\\\\377'; echo problem >&2"}
  - {name: twice, command: "echo attempt $TORC_ATTEMPT_ID; test $TORC_ATTEMPT_ID = 2 || exit 3", failure_handler: again}
  - {name: never, command: "exit 1"}
  - {name: after, command: "true", depends_on: [never]}
`,
  );
  await torc(['--url', server.url, 'run', 'flow.yaml'], { cwd: folder });
});

describe('torc jobs output', () => {
  it('torc jobs output prints what a job wrote, unchanged and nothing else, also from another folder', async () => {
    const { code, stdout, stderr } = await output(['bytes', '-w', '1'], temporaryFolder());
    expect([code, stdout, stderr]).toEqual([0, Buffer.from('a\u001b[31m\0\xff', 'latin1').toString('utf8'), '']);
    expect((await output(['1', '--stderr'])).stdout).toBe('problem\n');
  });

  it('torc jobs output prints the newest attempt, and an earlier one by its number', async () => {
    expect((await output(['twice', '-w', '1'])).stdout).toBe('attempt 2\n');
    expect((await output(['2', '--attempt', '1'])).stdout).toBe('attempt 1\n');
    const { code, stdout, stderr } = await output(['2', '--attempt', '3']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('job 2 (twice) has no attempt 3; it has attempt 1 of run 1, attempt 2 of run 1');
  });

  it('torc jobs output is the same as JSON, with where it lies', async () => {
    const { stdout } = await output(['2', '-f', 'json']);
    expect(JSON.parse(stdout)).toEqual({
      workflow_id: 1,
      job_id: 2,
      job_name: 'twice',
      run_id: 1,
      attempt_id: 2,
      status: 'completed',
      stream: 'stdout',
      path: join(folder, 'torc_output/job_stdio/job_wf1_j2_r1_a2.o'),
      text: 'attempt 2\n',
    });
  });

  it('torc jobs output says of a job that never ran that it did not, also when it would follow it', async () => {
    for (const words of [['after'], ['after', '--follow']]) {
      const { code, stderr } = await output([...words, '-w', '1']);
      expect([code, stderr]).toEqual([1, expect.stringContaining('(after) has not started: it is canceled')]);
    }
  });

  it('torc jobs output says of a file that was deleted where it looked', async () => {
    const path = join(folder, 'torc_output/job_stdio/job_wf1_j3_r1_a1.o');
    rmSync(path);
    const { code, stderr } = await output(['never', '-w', '1']);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`in run 1 is not there; looked for ${path}`)]);
  });

  it('torc jobs output follows a job from before its start until it ends', async () => {
    const flow = `
name: followed
jobs:
  - {name: first, command: "until [ -e go ]; do sleep 0.1; done"}
  - {name: long, command: "echo one; until [ -e on ]; do sleep 0.1; done; echo two; exit 5", depends_on: [first]}
`;
    writeFileSync(join(folder, 'followed.yaml'), flow);
    const run = start('torc', ['--url', server.url, 'run', 'followed.yaml'], { cwd: folder });
    await run.says('Created workflow 2');
    const follow = start('torc', ['--url', server.url, 'jobs', 'output', 'long', '-w', '2', '-F'], { cwd: folder });
    await follow.says(/Job \d+ \(long\) is \w+; waiting for it to start/);
    writeFileSync(join(folder, 'go'), '');
    await follow.says('one\n');
    writeFileSync(join(folder, 'on'), '');
    const { code, stdout } = await follow.ended;
    expect([code, stdout]).toEqual([0, 'one\ntwo\n']);
    await run.ended;
  });
});
