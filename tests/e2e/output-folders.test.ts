import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { temporaryFolder, torc } from '../support/programs.ts';

/** Folders of declared output files, under the umask that most machines have. */

let before: number;
beforeAll(() => {
  before = process.umask(0o022);
});
afterAll(() => void process.umask(before));

const writer = (path: string, more: object = {}) => ({
  jobs: [{ name: 'write', command: `echo text > ${path}`, output_files: ['made'], ...more }],
  files: [{ name: 'made', path }],
});

async function run(folder: string, spec: object, environment: Record<string, string> = {}) {
  writeFileSync(join(folder, 'flow.json'), JSON.stringify({ name: 'flow', ...spec }));
  return torc(['-s', 'run', 'flow.json'], { cwd: folder, environment });
}

/** What the results of all runs say, and what the job wrote to standard error. */
async function reported(folder: string) {
  const { stdout } = await torc(['-s', '-f', 'json', 'results', 'list', '1', '--all-runs'], { cwd: folder });
  const { items } = JSON.parse(stdout) as { items: { return_code: number; status: string; attempt_id: number }[] };
  const stderr = (attempt: number) =>
    readFileSync(join(folder, `torc_output/job_stdio/job_wf1_j1_r1_a${attempt}.e`), 'utf8');
  return {
    ends: items.map(({ attempt_id: attempt, status }) => [attempt, status]),
    codes: items.map((item) => item.return_code),
    stderr,
  };
}

it.each(['posix_spawn', 'child_process'])(
  'the runner creates the folders of declared output files before a job starts, with the permissions of the user (%s)',
  async (launcher) => {
    const folder = temporaryFolder();
    const { code, stderr } = await run(folder, writer('out/deep/made.txt'), { TORC_LAUNCHER: launcher });
    expect([code, stderr]).toEqual([0, expect.stringContaining('1 job completed')]);
    expect(readFileSync(join(folder, 'out/deep/made.txt'), 'utf8')).toBe('text\n');
    for (const each of ['out', 'out/deep']) expect((statSync(join(folder, each)).mode & 0o777).toString(8)).toBe('755');
  },
);

it('folders of input files, and of files that a command names without declaring them, are not created', async () => {
  const folder = temporaryFolder();
  const spec = {
    jobs: [{ name: 'write', command: 'mkdir -p own && test ! -e in && echo text > elsewhere/made.txt' }],
    files: [{ name: 'undeclared', path: 'in/made.txt' }],
  };
  await run(folder, spec);
  expect((await reported(folder)).ends).toEqual([[1, 'failed']]);
  expect(existsSync(join(folder, 'elsewhere'))).toBe(false);
});

it('a retried job finds its folders again, also when they were removed', async () => {
  const folder = temporaryFolder();
  const spec = {
    ...writer('out/made.txt', {
      command: 'test "$TORC_ATTEMPT_ID" = 2 || { rm -r out; exit 7; }; echo text > ${files.output.made}',
      output_files: undefined,
      failure_handler: 'again',
    }),
    failure_handlers: [{ name: 'again', rules: [{ exit_codes: [7], max_retries: 3 }] }],
  };
  expect((await run(folder, spec)).code).toBe(0);
  expect(existsSync(join(folder, 'out/made.txt'))).toBe(true);
  expect((await reported(folder)).ends).toEqual([
    [1, 'failed'],
    [2, 'completed'],
  ]);
});

it('a job fails without being started when a folder cannot be created, and says which and why; the others run', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), 'precious');
  const { jobs, files } = writer('file/deep/made.txt');
  const { stderr } = await run(folder, { jobs: [...jobs, { name: 'other', command: 'touch other' }], files });
  const { ends, codes, stderr: ofJob } = await reported(folder);
  expect(ends).toEqual([
    [1, 'failed'],
    [1, 'completed'],
  ]);
  expect(codes[0]).toBe(126);
  const reason =
    'torc: the folder file/deep of the output file file/deep/made.txt cannot be created: a part of its path is a file, not a folder';
  expect(ofJob(1)).toBe(`${reason}\n`);
  expect(stderr).toContain('1 job completed, 1 failed');
  expect([readFileSync(join(folder, 'file'), 'utf8'), existsSync(join(folder, 'other'))]).toEqual(['precious', true]);
});

it('a failure handler repairs what kept a folder from being created', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'out'), 'in the way');
  const spec = {
    ...writer('out/made.txt', { failure_handler: 'repair' }),
    failure_handlers: [{ name: 'repair', rules: [{ exit_codes: [126], recovery_script: 'rm out', max_retries: 2 }] }],
  };
  expect((await run(folder, spec)).code).toBe(0);
  expect(readFileSync(join(folder, 'out/made.txt'), 'utf8')).toBe('text\n');
});

it('a second run keeps the folders and the files that are in them', async () => {
  const folder = temporaryFolder();
  await run(folder, writer('out/made.txt'));
  mkdirSync(join(folder, 'out/more'));
  rmSync(join(folder, 'out/made.txt'));
  await torc(['-s', 'workflows', 'init', '1', '--no-prompts', '--force'], { cwd: folder });
  expect((await torc(['-s', 'run', '1'], { cwd: folder })).code).toBe(0);
  expect([existsSync(join(folder, 'out/more')), existsSync(join(folder, 'out/made.txt'))]).toEqual([true, true]);
});
