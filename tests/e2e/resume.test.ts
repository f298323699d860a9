import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type Program,
  type RunningServer,
  start,
  startServer,
  temporaryFolder,
  torc,
  until,
} from '../support/programs.ts';

/** What a person types after a run that was stopped, canceled or killed. */

const FLOW = `
name: flow
execution_config: {sigterm_lead_seconds: 2}
jobs:
  - {name: done, command: 'echo done >> history'}
  - {name: bad, command: 'echo bad >> history; test -e repaired'}
  - {name: after_bad, command: 'echo after_bad >> history', depends_on: [bad]}
  - {name: long, command: 'echo long >> history; test -e go || exec sleep 600', depends_on: [done]}
  - {name: after_long, command: 'echo after_long >> history', depends_on: [long]}
`;

const history = (folder: string) =>
  existsSync(join(folder, 'history')) ? readFileSync(join(folder, 'history'), 'utf8').trimEnd().split('\n').sort() : [];

/** A workflow of which one job completed, one failed, and one runs. */
async function running(): Promise<{ folder: string; server: RunningServer; run: Program; url: string[] }> {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  const url = ['--url', server.url];
  writeFileSync(join(folder, 'flow.yaml'), FLOW);
  const run = start('torc', [...url, 'run', 'flow.yaml', '-o', 'my out', '-j', '4'], { cwd: folder });
  await until(
    async () => (await server.client.getWorkflowStatus({ params: { id: 1 } }).catch(() => undefined))?.jobs_by_status,
    (counts) => counts?.completed === 1 && counts.failed === 1 && counts.running === 1,
    'one job to run',
  );
  return { folder, server, run, url };
}

const lastLine = (text: string) => text.trimEnd().split('\n').at(-1) ?? '';

const resumed = async (folder: string, url: readonly string[]) => {
  writeFileSync(join(folder, 'go'), '');
  return torc([...url, 'run', '1', '--resume', '-o', 'my out'], { cwd: folder });
};

describe('a run that was interrupted', () => {
  it('a run that was interrupted by Ctrl-C as soon as its workflow exists ends with the command that resumes it, as a later one does', async () => {
    const folder = temporaryFolder();
    const server = await startServer(folder);
    writeFileSync(join(folder, 'flow.yaml'), FLOW);
    const run = start('torc', ['--url', server.url, 'run', 'flow.yaml'], { cwd: folder });
    await run.says('Created workflow 1');
    run.child.kill('SIGINT');
    const { code, stderr } = await run.ended;
    expect([code, lastLine(stderr)]).toEqual([130, `To resume: torc --url ${server.url} run 1 --resume`]);
  });

  it('a job that was asked to end and ended with 0 is named at the stop, in its explanation and at the resume, with what runs it again, and others are not', async () => {
    const folder = temporaryFolder();
    const server = await startServer(folder);
    const saves = "trap 'echo saved > state; exit 0' TERM; echo ready > ready; while :; do sleep 0.05; done";
    writeFileSync(
      join(folder, 'flow.yaml'),
      `name: flow\njobs:\n  - {name: saves, command: ${JSON.stringify(saves)}}\n  - {name: done, command: 'true'}\n`,
    );
    const url = ['--url', server.url];
    const run = start('torc', [...url, 'run', 'flow.yaml', '-j', '4'], { cwd: folder });
    await until(
      () => existsSync(join(folder, 'ready')),
      (is) => is,
      'the job to handle the signal',
    );
    // A job that runs still would end with 0 after the request, too.
    await until(
      () => server.client.getWorkflowStatus({ params: { id: 1 } }),
      ({ jobs_by_status: jobs }) => jobs.completed === 1,
      'the other job to have ended',
    );
    run.child.kill('SIGINT');
    const { stderr } = await run.ended;
    expect(readFileSync(join(folder, 'state'), 'utf8')).toBe('saved\n');
    const said = '1 job ended with 0 after the request to end, and counts as completed: saves (job 1).';
    const again = `If the work is not complete: torc --url ${server.url} jobs reset-status 1 --reinit`;
    expect(stderr).toContain(`${said}\n${again}\n`);
    // Where its output is says a first run that ended, not one that was stopped.
    expect(stderr).not.toContain('The jobs wrote their output');
    const resumes = await torc([...url, 'run', '1', '--resume'], { cwd: folder });
    expect(resumes.stderr).toContain(`${said}\n${again}\n`);
    const { stdout } = await torc([...url, 'jobs', 'explain', 'saves'], { cwd: folder });
    expect(stdout).toContain('it was asked to end and ended with 0: it handles that, and its work may be incomplete');
    expect(stdout).toContain('run it again: torc');
    const { items } = await server.client.listResults({ query: { workflow_id: 1 } });
    expect(Object.fromEntries(items.map(({ job_name: name, cause_code: cause }) => [name, cause ?? 'none']))).toEqual({
      done: 'none',
      saves: 'asked',
    });
  });

  it('a run that was interrupted by Ctrl-C ends with the command that resumes it, with the options that were given, and that runs only what was interrupted', async () => {
    const { folder, server, run, url } = await running();
    run.child.kill('SIGINT');
    const { code, stderr } = await run.ended;
    expect([code, lastLine(stderr)]).toEqual([
      130,
      `To resume: torc --url ${server.url} run 1 --resume -j 4 -o 'my out'`,
    ]);
    const again = await resumed(folder, url);
    expect(again.stderr).toContain(
      'Resumed workflow 1 as run 2: 2 jobs to run again, 1 completed, 1 failed, 1 stopped (canceled)',
    );
    expect(again.stderr).toContain('this run: 2 ran, 1 completed earlier, 1 failed earlier, 1 stopped earlier');
    expect(history(folder)).toEqual(['after_long', 'bad', 'done', 'long', 'long']);

    const nothing = await resumed(folder, url);
    expect(nothing.stderr).toContain('No job was interrupted; 1 job failed: --retry-failed runs it again.');
    expect(nothing.stderr).toContain('nothing to run: 3 completed earlier, 1 failed earlier, 1 stopped earlier');
    expect(nothing.stderr).toContain(`To run the failed jobs again: torc --url ${server.url} run 1 --retry-failed`);
    expect([nothing.code, lastLine(nothing.stderr)]).toEqual([
      0,
      'Exit code 0; with --fail it would be 1: 1 failed, 1 stopped',
    ]);

    writeFileSync(join(folder, 'repaired'), '');
    const retried = await torc([...url, 'run', '1', '--retry-failed', '--fail'], { cwd: folder });
    expect([retried.code, retried.stderr]).toEqual([
      0,
      expect.stringContaining('this run: 2 ran, 3 completed earlier'),
    ]);
    expect(history(folder)).toEqual(['after_bad', 'after_long', 'bad', 'bad', 'done', 'long', 'long']);
  });

  it('a run that was interrupted by a cancel waits for the processes to end and runs them again, and jobs that waited run', async () => {
    const { folder, url, run } = await running();
    expect((await torc([...url, 'cancel', '1', '--no-prompts'], { cwd: folder })).code).toBe(0);
    const again = await resumed(folder, url);
    expect([again.code, again.stderr]).toEqual([
      0,
      expect.stringContaining('3 jobs completed, 1 failed, 1 stopped (canceled)'),
    ]);
    const { stderr } = await run.ended;
    expect(stderr).toContain('run 1 --resume');
    expect(history(folder)).toEqual(['after_long', 'bad', 'done', 'long', 'long']);
  });

  it('a run that was interrupted by a kill of the runner takes back what it held, ends what it left running, and runs that again', async () => {
    const { folder, url, run } = await running();
    run.child.kill('SIGKILL');
    await run.ended;
    const again = await resumed(folder, url);
    expect([again.code, again.stderr]).toEqual([
      0,
      expect.stringContaining('3 jobs completed, 1 failed, 1 stopped (canceled)'),
    ]);
    expect(again.stderr).not.toContain('No job was interrupted');
    expect(history(folder)).toEqual(['after_long', 'bad', 'done', 'long', 'long']);
  });

  it('a run that was interrupted is not resumed while another runner works on it, and its jobs go on', async () => {
    const { folder, url, server, run } = await running();
    const second = await torc([...url, 'run', '1', '--retry-failed'], { cwd: folder });
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('jobs are currently running')]);
    expect((await server.client.getWorkflow({ params: { id: 1 } })).run_id).toBe(1);
    run.child.kill('SIGINT');
    await run.ended;
    expect(history(folder)).toEqual(['bad', 'done', 'long']);
  });
});

it('a file cannot be resumed, and the refusal says where ids are found', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'flow.yaml'), FLOW);
  const { code, stderr } = await torc(['-s', '--db', 'a b.db', 'run', 'flow.yaml', '--resume'], { cwd: folder });
  expect([code, stderr]).toEqual([2, expect.stringContaining("ids: torc -s --db 'a b.db' workflows list")]);
});
