import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { start, startServer, temporaryFolder, torc, until } from '../support/programs.ts';

/** Every attempt of a job in every run, as the commands show it. */

const FLOW = `
name: sweep
execution_config: {sigterm_lead_seconds: 2}
failure_handlers:
  - {name: again, rules: [{exit_codes: [75], max_retries: 5}]}
jobs:
  - {name: fourth, command: 'test "$TORC_ATTEMPT_ID" -ge 4 || exit 75', failure_handler: again}
  - {name: train, command: 'test "$TORC_ATTEMPT_ID" -ge 2 || exit 75; test -e go || exec sleep 600', failure_handler: again}
`;

interface Explained {
  readonly reasons: readonly { readonly code: string; readonly message: string }[];
  readonly attempts: readonly Record<string, unknown>[];
}

it('explain lists every attempt of every run with its cause, the end of the run counts those that it repeated, and each failed result has a cause', async () => {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  const call = (...words: string[]) => torc(['--url', server.url, ...words], { cwd: folder });
  const explained = async (name: string) =>
    JSON.parse((await call('-f', 'json', 'jobs', 'explain', name, '-w', '1')).stdout) as Explained;
  const counts = async () =>
    (await server.client.getWorkflowStatus({ params: { id: 1 } }).catch(() => undefined))?.jobs_by_status;
  writeFileSync(join(folder, 'flow.yaml'), FLOW);
  const run = start('torc', ['--url', server.url, 'run', 'flow.yaml', '-j', '2'], { cwd: folder });
  const secondOfTrain = async () => (await server.client.getJob({ params: { id: 2 } }).catch(() => undefined)) ?? {};
  await until(
    async () => [await counts(), await secondOfTrain()] as const,
    ([by, job]) => by?.completed === 1 && by.running === 1 && 'attempt_id' in job && job.attempt_id === 2,
    'one job to complete and the second attempt of the other to run',
  );
  expect((await call('jobs', 'explain', 'train', '-w', '1')).stdout).toMatch(
    /\nAttempts:\n {2}attempt 1 failed with exit code 75 .*\n {4}the command itself ended with 75\n {2}attempt 2 runs on /,
  );
  run.child.kill('SIGINT');
  const { stderr } = await run.ended;
  expect(stderr).toContain('\n4 attempts were repeated: exit code 75\n');

  writeFileSync(join(folder, 'go'), '');
  const resumed = await call('run', '1', '--resume');
  expect(resumed.stderr).toContain('2 jobs completed');
  expect(resumed.stderr).not.toContain('repeated');

  const train = await explained('train');
  expect(
    train.attempts.map(({ run_id, attempt_id, status, cause_code }) => [run_id, attempt_id, status, cause_code]),
  ).toEqual([
    [1, 1, 'failed', 'exit'],
    [1, 2, 'terminated', 'stopped'],
    [2, 2, 'completed', undefined],
  ]);
  expect(train.reasons.map(({ code }) => code)).not.toContain('attempt_without_result');
  const { stdout } = await call('jobs', 'explain', 'train', '-w', '1');
  const [host] = (await server.client.listComputeNodes({ query: { workflow_id: 1 } })).items;
  const lines = /\nAttempts:\n((?: {2}.*\n?)+)/.exec(stdout)?.[1]?.trimEnd().split('\n');
  expect(lines).toEqual([
    expect.stringMatching(/^ {2}run 1, attempt 1 failed with exit code 75 after /),
    '    the command itself ended with 75',
    expect.stringMatching(/^ {2}run 1, attempt 2 was terminated with exit code 143 after /),
    '    its runner was stopped',
    expect.stringMatching(new RegExp(`^ {2}run 2, attempt 2 completed after .* on ${host?.hostname}, \\d{4}-.*Z$`)),
  ]);

  const fourth = await explained('fourth');
  expect(fourth.attempts.map(({ attempt_id, return_code, why }) => [attempt_id, return_code, why])).toEqual([
    ...[1, 2, 3].map((attempt) => [attempt, 75, 'the command itself ended with 75']),
    [4, 0, undefined],
  ]);
  expect(fourth.reasons.filter(({ code }) => code === 'earlier_attempt')).toHaveLength(3);

  const { items } = JSON.parse((await call('-f', 'json', 'results', 'list', '1', '--all-runs')).stdout) as {
    items: readonly { readonly status: string; readonly causes?: readonly { readonly message: string }[] }[];
  };
  const failed = items.filter(({ status }) => status !== 'completed').map(({ causes }) => causes?.[0]?.message);
  expect(failed).toHaveLength(5);
  expect(new Set(failed)).toEqual(new Set(['the command itself ended with 75', 'its runner was stopped']));
});

it('a job that ran once has no list of attempts for a person, and one attempt for a program', async () => {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  writeFileSync(join(folder, 'flow.yaml'), 'name: once\njobs: [{name: once, command: "exit 3"}]\n');
  const call = (...words: string[]) => torc(['--url', server.url, ...words], { cwd: folder });
  expect((await call('run', 'flow.yaml')).stderr).not.toContain('repeated');
  expect((await call('jobs', 'explain', 'once', '-w', '1')).stdout).not.toContain('Attempts:');
  const { attempts } = JSON.parse((await call('-f', 'json', 'jobs', 'explain', 'once', '-w', '1')).stdout) as Explained;
  expect(attempts).toEqual([
    expect.objectContaining({ kind: 'ended', run_id: 1, attempt_id: 1, return_code: 3, cause_code: 'exit' }),
  ]);
});
