import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { start, startServer, temporaryFolder, torc, until } from '../support/programs.ts';

const FLOW = `
name: flow
resource_requirements: [{name: small, num_cpus: 1, memory: 200m, runtime: PT10M}]
jobs:
  - {name: long, command: 'until [ -e go ]; do sleep 0.1; done', resource_requirements: small}
  - {name: after, command: 'true', depends_on: [long], resource_requirements: small}
`;

const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

it('torc top follows the newest workflow of its user to its end: what runs with its use, why others wait, and exit code 0', async () => {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  const url = ['--url', server.url];
  writeFileSync(join(folder, 'flow.yaml'), FLOW);
  await torc([...url, 'create', 'flow.yaml'], { cwd: folder });
  await torc([...url, 'create', 'flow.yaml'], { cwd: folder });
  const once = await torc([...url, 'top', '--once'], { cwd: folder });
  expect([once.code, once.stdout]).toEqual([
    0,
    expect.stringContaining(`2 jobs are not initialized: torc --url ${server.url} workflows init 2`),
  ]);

  const run = start('torc', [...url, 'run', '2'], { cwd: folder });
  const top = start('torc', [...url, '-f', 'json', 'top', '--interval', '0.25'], { cwd: folder });
  await top.says('"job_name":"long"');
  await until(
    async () => (await torc([...url, 'top', '--once'], { cwd: folder })).stdout,
    (picture) => /│ long +│ \S+ +│ .* of 10m 00s │ .* of 1 │ .* of 200 MiB │/.test(picture),
    'the use of the job',
  );
  writeFileSync(join(folder, 'go'), '');
  const { code, stdout } = await top.ended;
  await run.ended;
  const pictures = linesOf(stdout);
  expect(pictures.find(({ running_jobs: running }) => (running as object[]).length > 0)).toMatchObject({
    workflow_id: 2,
    jobs_by_status: { running: 1, blocked: 1 },
    running_jobs: [{ job_name: 'long', hostname: hostname(), num_cpus: 1, memory_limit_bytes: 200 * 1024 * 1024 }],
    waiting: ['1 job waits for other jobs'],
  });
  expect([code, pictures.at(-1)]).toEqual([
    0,
    expect.objectContaining({ is_complete: true, jobs_by_status: expect.objectContaining({ completed: 2 }) }),
  ]);
});

it('torc top and torc status --watch end with 1 after a failure, and with 130 by Ctrl-C', async () => {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  const url = ['--url', server.url];
  writeFileSync(join(folder, 'fails.yaml'), "name: flow\njobs: [{name: only, command: 'exit 3'}]\n");
  const none = await torc([...url, 'top'], { cwd: folder });
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('no workflows of user tester')]);
  await torc([...url, 'create', 'fails.yaml'], { cwd: folder });
  const waiting = start('torc', [...url, 'top', '1'], { cwd: folder });
  await waiting.says('0% · 0 completed');
  waiting.child.kill('SIGINT');
  expect((await waiting.ended).code).toBe(130);
  await torc([...url, 'run', '1'], { cwd: folder });
  for (const words of [
    ['top', '1'],
    ['status', '--watch', '1'],
  ]) {
    const { code, stdout } = await torc([...url, ...words], { cwd: folder });
    expect([code, stdout]).toEqual([1, expect.stringContaining('Workflow complete with failures (1 failed')]);
  }
});

it('torc top names the jobs that failed with their cause, and has a row for each family', async () => {
  const folder = temporaryFolder();
  const { url } = await startServer(folder);
  const flow =
    "name: flow\njobs: [{name: fit_1, command: 'exit 3'}, {name: fit_2, command: 'true'}, {name: other, command: 'true'}]\n";
  writeFileSync(join(folder, 'flow.yaml'), flow);
  await torc(['--url', url, 'run', 'flow.yaml'], { cwd: folder });
  const { stdout } = await torc(['--url', url, 'top', '1', '--once'], { cwd: folder });
  expect(stdout).toContain('1 job failed: the command itself ended with 3: fit_1\n');
  const families = stdout.split('\n').map((line) => line.split('│').map((cell) => cell.trim()));
  expect(families).toContainEqual(['', 'fit_#', '2', '1', '0', '1', '0', '0', '']);
  expect(families).toContainEqual(['', 'other', '1', '1', '0', '0', '0', '0', '']);
});

it('torc top goes on when its server is away and returns', async () => {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  writeFileSync(join(folder, 'flow.yaml'), "name: flow\njobs: [{name: only, command: 'true'}]\n");
  await torc(['--url', server.url, 'create', 'flow.yaml'], { cwd: folder });
  const top = start('torc', ['--url', server.url, 'top', '1', '--interval', '0.25'], { cwd: folder });
  await top.says('0% · 0 completed');
  server.program.child.kill('SIGKILL');
  await top.says('trying again');
  const again = await startServer(folder, { port: server.port });
  await top.says('the server answers again');
  await torc(['--url', again.url, 'run', '1'], { cwd: folder });
  expect((await top.ended).code).toBe(0);
});
