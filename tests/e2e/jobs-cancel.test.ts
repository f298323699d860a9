import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Program, type RunningServer, start, startServer, temporaryFolder, until } from '../support/programs.ts';
import { said } from '../support/words.ts';

const flow = `name: cancel
execution_config: {sigterm_lead_seconds: 1}
jobs:
  - {name: clean, priority: 9, command: "trap 'echo asked; exit 9' TERM; touch clean; while :; do sleep 0.05; done"}
  - {name: deaf, priority: 9, command: "trap '' TERM; touch deaf; while :; do sleep 0.05; done"}
  - {name: queued_1, priority: 5, command: "echo one >> ran"}
  - {name: queued_2, command: "echo two >> ran"}
  - {name: after, command: "echo after >> ran", depends_on: [clean]}
  - {name: stays, command: "echo stays >> ran", depends_on: [deaf], cancel_on_blocking_job_failure: false}
`;

interface Case {
  readonly folder: string;
  readonly server: RunningServer;
  readonly runner: Program;
}

/** A runner with two CPUs, on which two jobs run that do not end by themselves. */
async function begun(): Promise<Case> {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  writeFileSync(join(folder, 'flow.yaml'), flow);
  const runner = start('torc', ['--url', server.url, 'run', 'flow.yaml', '-o', 'out', '--num-cpus', '2'], {
    cwd: folder,
  });
  await until(
    () => ['clean', 'deaf'].every((name) => existsSync(join(folder, name))),
    (there) => there,
    'both jobs to run',
  );
  return { folder, server, runner };
}

const cancel = ({ server }: Case, ...args: string[]) => said(['jobs', 'cancel', ...args], { TORC_API_URL: server.url });
const statusesOf = async ({ server }: Case) => {
  const { items } = await server.client.listJobs({ query: { workflow_id: 1 } });
  return Object.fromEntries(items.map(({ name, status }) => [name, status]));
};
const ran = ({ folder }: Case) => readFileSync(join(folder, 'ran'), 'utf8').trim().split('\n').toSorted();

describe('jobs cancel', () => {
  it('jobs cancel ends the jobs that run, with the signal of the workflow and then SIGKILL, and the others run in their places', async () => {
    const given = await begun();
    const { code, stdout, stderr } = await cancel(given, 'clean', 'deaf', 'queued_1', '-w', '1');
    expect([code, stdout]).toEqual([
      0,
      [
        'Canceled 3 jobs of workflow 1',
        'and 1 job that depends on them',
        '2 jobs are being ended by the runner, with the termination signal of the workflow',
        '',
      ].join('\n'),
    ]);
    expect(stderr).toMatch(/To start again: torc .*jobs reset-status \d+ \d+ \d+ --reinit/);
    await given.runner.ended;
    expect(await statusesOf(given)).toEqual({
      clean: 'canceled',
      deaf: 'canceled',
      queued_1: 'canceled',
      after: 'canceled',
      queued_2: 'completed',
      stays: 'completed',
    });
    expect(ran(given)).toEqual(['stays', 'two']);
    const { items } = await given.server.client.listResults({ query: { workflow_id: 1 } });
    const codes = Object.fromEntries(items.map(({ job_name: name, return_code: each }) => [name, each]));
    expect(codes).toEqual({ clean: 9, deaf: 137, queued_2: 0, stays: 0 });
    expect(readFileSync(join(given.folder, 'out/job_stdio/job_wf1_j1_r1_a1.o'), 'utf8')).toBe('asked\n');
    const { stdout: why } = await said(['jobs', 'explain', '1'], { TORC_API_URL: given.server.url });
    expect(why).toContain('was canceled by a user while it ran');
  });

  it('jobs cancel selects by name and status, shows the selection with --dry-run, and refuses what has ended', async () => {
    const given = await begun();
    const plan = await cancel(given, '--match', '^queued', '-w', '1', '--dry-run');
    expect(plan.stdout).toMatch(/^Would cancel 2 jobs of workflow 1:\n {2}\d+ queued_1 \(\w+\)\n {2}\d+ queued_2/);
    expect((await cancel(given, '--match', '^queued', '--status', 'blocked', '-w', '1')).code).toBe(1);
    expect((await cancel(given, '--match', '^queued', '-w', '1', '--no-prompts')).code).toBe(0);
    const again = await cancel(given, 'queued_1', '-w', '1');
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('it has ended already (canceled)')]);
    expect((await cancel(given, '--match', '(', '-w', '1')).stderr).toContain('--match: Invalid regular expression');
    expect((await cancel(given)).stderr).toContain('name the jobs by their ids or names, or by --status and --match');
    expect((await cancel(given, 'clean', 'deaf', '-w', '1')).code).toBe(0);
    await given.runner.ended;
    expect(ran(given)).toEqual(['stays']);
  });

  it('without an answer to its question jobs cancel cancels nothing and exits with 1', async () => {
    const given = await begun();
    const { code, stderr } = await cancel(given, '--match', 'a', '-w', '1');
    expect([code, stderr]).toEqual([1, expect.stringContaining('Nothing was canceled.')]);
    expect(await statusesOf(given)).toMatchObject({ clean: 'running', deaf: 'running' });
    await cancel(given, '--match', '.', '-w', '1', '--no-prompts');
    await given.runner.ended;
    expect(existsSync(join(given.folder, 'ran'))).toBe(false);
  });
});
