import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Program, type RunningServer, start, startServer, temporaryFolder, until } from '../support/programs.ts';

/** Runners that have no room for another job: they are full, or they cannot start any. Both still obey. */

interface Case {
  readonly folder: string;
  readonly server: RunningServer;
  readonly runner: Program;
}

const LONG = 'echo $$ > pid-$TORC_JOB_ID; exec sleep 600';

async function runOf(jobs: string, args: readonly string[]): Promise<Case> {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  const lead = 'execution_config: {sigterm_lead_seconds: 1, sigkill_headroom_seconds: 2}';
  writeFileSync(join(folder, 'flow.yaml'), `name: stop\n${lead}\njobs:\n${jobs}`);
  const runner = start('torc', ['--url', server.url, 'run', 'flow.yaml', '-o', 'out', ...args], { cwd: folder });
  return { folder, server, runner };
}

const isThere = (path: string) =>
  until(
    () => existsSync(path) && readFileSync(path, 'utf8') !== '',
    (there) => there,
    path,
  );

/** A runner with one job that runs for long, and another job that it found it cannot start. */
async function drainingRunner(args: readonly string[]): Promise<Case> {
  const jobs = `
  - {name: long, command: '${LONG}'}
  - {name: vandal, command: 'until test -s pid-1; do sleep 0.01; done; rm -rf out; touch out'}
  - {name: after, command: 'true', depends_on: [vandal]}
`;
  const started = await runOf(jobs, ['--num-cpus', '2', ...args]);
  await started.runner.says('Jobs cannot be started here');
  return started;
}

const endsOf = async ({ server }: Case) => {
  const { items } = await server.client.listResults({ query: { workflow_id: 1 } });
  return Object.fromEntries(items.map(({ job_name: name, status, return_code: code }) => [name, [status, code]]));
};

const isAlive = (folder: string) => {
  const pid = Number(readFileSync(join(folder, 'pid-1'), 'utf8'));
  return readdirSync('/proc').includes(String(pid));
};

describe('a runner that cannot start jobs any more, while one runs', () => {
  it('a runner that cannot start jobs any more, while one runs ends the job when the workflow is canceled', async () => {
    const drained = await drainingRunner([]);
    await drained.server.client.cancelWorkflow({ params: { id: 1 } });
    const { stderr } = await drained.runner.ended;
    expect(stderr).toContain('the workflow was canceled');
    expect(isAlive(drained.folder)).toBe(false);
  });

  it('a runner that cannot start jobs any more, while one runs ends the job at the time limit, and still says that jobs could not be started', async () => {
    const drained = await drainingRunner(['--time-limit', 'PT9S']);
    const { code, stderr } = await drained.runner.ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/jobs cannot be started here/);
    expect(isAlive(drained.folder)).toBe(false);
    expect(await endsOf(drained)).toMatchObject({ long: ['terminated', 143] });
  });

  it('a runner that cannot start jobs any more, while one runs ends the job at Ctrl-C', async () => {
    const drained = await drainingRunner([]);
    drained.runner.child.kill('SIGINT');
    expect((await drained.runner.ended).stderr).toContain('Ending: running jobs are asked to end');
    expect(isAlive(drained.folder)).toBe(false);
  });

  it('a runner that cannot start jobs any more, while one runs waits for the job otherwise', async () => {
    const drained = await drainingRunner([]);
    process.kill(Number(readFileSync(join(drained.folder, 'pid-1'), 'utf8')), 'SIGUSR1');
    expect((await drained.runner.ended).code).toBe(1);
    expect(await endsOf(drained)).toMatchObject({ long: ['failed', 128 + 10] });
  });
});

describe('a runner whose slots are all busy', () => {
  it('a runner whose slots are all busy hears at once that the workflow was canceled', async () => {
    const full = await runOf(`  - {name: long, command: '${LONG}'}\n`, ['--num-cpus', '1', '-p', '100']);
    await isThere(join(full.folder, 'pid-1'));
    const canceledAt = performance.now();
    await full.server.client.cancelWorkflow({ params: { id: 1 } });
    const { stderr } = await full.runner.ended;
    expect(stderr).toContain('the workflow was canceled');
    expect(isAlive(full.folder)).toBe(false);
    // Without the event it would ask for the first time after 100 s.
    expect(performance.now() - canceledAt).toBeLessThan(90_000);
  });
});
