import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { programFolder } from '../support/packed.ts';
import { type RunningServer, start, startServer, temporaryFolder, torc, until } from '../support/programs.ts';
import { processesWith } from '../support/processes.ts';

/** What jobs leave running is ended: by their runner at its end, or by the next one on the host when it was killed. */

async function begun(server: RunningServer, folder: string, command: string, environment: Record<string, string> = {}) {
  const path = join(folder, 'flow.yaml');
  writeFileSync(
    path,
    `name: strays\njobs:\n  - name: a\n    command: |\n      ${command.replaceAll('\n', '\n      ')}\n`,
  );
  return start('torc', ['--url', server.url, 'run', path], { cwd: folder, environment });
}

const markOf = async ({ client }: RunningServer) => {
  const { items } = await client.listComputeNodes({ query: { workflow_id: 1 } });
  return items[0]?.process?.mark as string;
};

/** The process whose id stands in the file, while it is there. */
const pidIn = (folder: string, name: string) =>
  until(
    () => (existsSync(join(folder, name)) ? Number(readFileSync(join(folder, name), 'utf8')) : 0),
    (pid) => pid > 0,
    `a process to say its id in ${name}`,
  );

const isThere = (pid: number) =>
  existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

const logOf = (folder: string) => {
  const name = readdirSync(join(folder, 'torc_output')).find((each) => each.endsWith('.log')) as string;
  return readFileSync(join(folder, 'torc_output', name), 'utf8');
};

/** A daemon as they are made: of a new session, without a parent, its files closed. */
const DAEMON =
  "setsid bash -c 'echo $$ > pid; exec sleep 600 >/dev/null 2>&1 </dev/null' &\nwhile [ ! -s pid ]; do sleep 0.01; done";

describe('a job that leaves a daemon behind', () => {
  it('a job that leaves a daemon behind is done when its shell is; the daemon ends with the runner, which says what it was', async () => {
    const folder = temporaryFolder();
    const server = await startServer(folder);
    const run = await begun(server, folder, DAEMON);
    const { code, stderr } = await run.ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining('1 job completed')]);
    const pid = await pidIn(folder, 'pid');
    expect(isThere(pid)).toBe(false);
    expect(stderr).toMatch(new RegExp(`Jobs left processes behind.*processes_ended=1.*pid ${pid}: sleep 600`));
    expect(logOf(folder)).toContain('WARN Jobs left processes behind');
  });

  it('a job that leaves a daemon behind that does not end when it is asked is killed', async () => {
    const folder = temporaryFolder();
    const server = await startServer(folder);
    const stubborn = DAEMON.replace('exec sleep 600', 'trap "" TERM; while true; do sleep 0.1; done');
    const { stderr } = await (await begun(server, folder, stubborn)).ended;
    expect(stderr).toMatch(/processes_ended=\d+ killed=[1-9]/);
    expect(isThere(await pidIn(folder, 'pid'))).toBe(false);
  });

  it('a job that leaves a daemon behind may keep one that takes the mark off', async () => {
    const folder = temporaryFolder();
    const server = await startServer(folder);
    const { stderr } = await (
      await begun(server, folder, DAEMON.replace('setsid', 'env -u TORC_RUNNER_MARK setsid'))
    ).ended;
    const pid = await pidIn(folder, 'pid');
    onTestFinished(() => void process.kill(pid, 'SIGKILL'));
    expect(isThere(pid)).toBe(true);
    expect(stderr).not.toContain('left processes behind');
  });

  it('a job that leaves a daemon behind and what it submitted to another allocation is left alone', async () => {
    const folder = temporaryFolder();
    const server = await startServer(folder);
    const other = DAEMON.replace('setsid', 'SLURM_JOB_ID=43 setsid');
    await (
      await begun(server, folder, other, { SLURM_JOB_ID: '42' })
    ).ended;
    const pid = await pidIn(folder, 'pid');
    onTestFinished(() => void process.kill(pid, 'SIGKILL'));
    expect(isThere(pid)).toBe(true);
  });
});

it('a job that leaves nothing behind costs its runner no word', async () => {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  const { stderr } = await (await begun(server, folder, 'sleep 0.01 & wait')).ended;
  expect(stderr).not.toContain('left processes behind');
});

it('what a killed runner left running, also in sessions of their own, is ended and reported by the next one', async () => {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  const run = await begun(server, folder, `if [ $TORC_ATTEMPT_ID = 1 ]; then\n${DAEMON}\necho $$ > own\nsleep 600\nfi`);
  const daemon = await pidIn(folder, 'pid');
  const own = await pidIn(folder, 'own');
  const mark = await markOf(server);
  run.child.kill('SIGKILL');
  await run.ended;
  expect([isThere(daemon), isThere(own)]).toEqual([true, true]);

  const { code, stderr } = await torc(['--url', server.url, 'run', '1'], { cwd: folder });
  expect([code, stderr]).toEqual([0, expect.stringContaining('1 job completed')]);
  expect([isThere(daemon), isThere(own), processesWith('TORC_RUNNER_MARK', mark)]).toEqual([false, false, []]);
  expect(stderr).toMatch(
    new RegExp(`A runner of this workflow is lost.*run_again=1.*processes_ended=[3-9].*pid ${daemon}: sleep 600`),
  );
});

describe('a job that itself runs torc', () => {
  const torcProgram = `${process.execPath} ${join(programFolder(), 'torc.mjs')}`;
  /** The inner job's process leaves the session, so that neither its parents nor its group lead to it. */
  const INNER = `-s exec -o inner_output -c 'setsid --wait bash -c "echo \\$\\$ > inner; exec sleep 600"'`;
  const UNLESS_AGAIN = (command: string) => `if [ $TORC_ATTEMPT_ID = 1 ]; then\n${command}\nfi`;

  it('a job that itself runs torc leaves no job of the inner run behind when the outer runner is killed and recovered', async () => {
    const folder = temporaryFolder();
    const server = await startServer(folder);
    const run = await begun(server, folder, UNLESS_AGAIN(`${torcProgram} ${INNER}`));
    const inner = await pidIn(folder, 'inner');
    run.child.kill('SIGKILL');
    await run.ended;
    expect(isThere(inner)).toBe(true);
    const { code, stderr } = await torc(['--url', server.url, 'run', '1'], { cwd: folder });
    expect([code, stderr]).toEqual([0, expect.stringContaining('1 job completed')]);
    expect(isThere(inner)).toBe(false);
  });

  it('a job that itself runs torc may start an inner run that outlives the outer one, by taking the mark off', async () => {
    const folder = temporaryFolder();
    const server = await startServer(folder);
    const detached = `env -u TORC_RUNNER_MARK setsid ${torcProgram} ${INNER} > said 2>&1 < /dev/null &\nwhile [ ! -s inner ]; do sleep 0.01; done`;
    const { stderr } = await (await begun(server, folder, detached)).ended;
    const inner = await pidIn(folder, 'inner');
    onTestFinished(() => void process.kill(inner, 'SIGKILL'));
    expect(stderr).not.toContain('left processes behind');
    expect(isThere(inner)).toBe(true);
  });

  it('a job that itself runs torc ends only what its own inner jobs left behind, and nothing of the other jobs of the outer runner', async () => {
    const folder = temporaryFolder();
    const server = await startServer(folder);
    const left = `-s exec -o inner_output -c 'setsid bash -c "echo \\$\\$ > inner; exec sleep 600" > /dev/null 2>&1 & while [ ! -s inner ]; do sleep 0.01; done'`;
    const waits = 'touch over; while [ ! -e go ]; do sleep 0.01; done';
    const run = await begun(server, folder, `sleep 600 & echo $! > sibling\n${torcProgram} ${left}\n${waits}`);
    await until(
      () => existsSync(join(folder, 'over')),
      (there) => there,
      'the inner run to end',
    );
    const sibling = await pidIn(folder, 'sibling');
    expect([isThere(await pidIn(folder, 'inner')), isThere(sibling)]).toEqual([false, true]);
    writeFileSync(join(folder, 'go'), '');
    expect((await run.ended).code).toBe(0);
    expect(isThere(sibling)).toBe(false);
  });
});
