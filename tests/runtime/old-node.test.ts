import { type ChildProcess, fork, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { oldNode } from '../support/old-node.ts';
import { startServer, temporaryFolder, until } from '../support/programs.ts';

/**
 * A Node that is too old for the programs starts a newer one and stays as a small process around it. Signals and ends are
 * those of one process all the same.
 */

const bin = resolve(import.meta.dirname, '../../bin');
const old = await oldNode();
const compiled = join(tmpdir(), 'torc-test-compiled');

interface Around {
  readonly outer: ChildProcess;
  /** Process id of the newer Node. */
  inner(): number;
  readonly said: () => string;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

/** Starts a program with the old Node, in a process group of its own. */
function startOld(program: string, args: readonly string[], cwd: string): Around {
  const outer = spawn(old?.path as string, [join(bin, program), ...args], {
    cwd,
    env: { ...process.env, USER: 'tester', NODE_COMPILE_CACHE: compiled },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let said = '';
  for (const stream of [outer.stdout, outer.stderr]) stream?.setEncoding('utf8').on('data', (text) => (said += text));
  onTestFinished(() => {
    try {
      process.kill(-(outer.pid as number), 'SIGKILL');
    } catch {
      // Both have ended.
    }
  });
  return {
    outer,
    inner: () => Number(readFileSync(`/proc/${outer.pid}/task/${outer.pid}/children`, 'utf8').trim()),
    said: () => said,
    ended: new Promise((done) => void outer.once('close', (code, signal) => done({ code, signal }))),
  };
}

const isAlive = (pid: number) => readdirSync('/proc').includes(String(pid));
const gone = (pid: number) =>
  until(
    () => isAlive(pid),
    (alive) => !alive,
    `process ${pid} to end`,
  );
const there = (path: string) =>
  until(
    () => existsSync(path),
    (is) => is,
    path,
  );

/** A runner with one job that ends when it is asked to, and says so. */
async function runner() {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  const command = `trap 'touch asked; exit 3' TERM; echo $$ > pid; touch began; while :; do sleep 0.05; done`;
  writeFileSync(join(folder, 'flow.yaml'), `name: flow\njobs:\n  - {name: only, command: "${command}"}\n`);
  const around = startOld('torc.mjs', ['--url', server.url, 'run', 'flow.yaml'], folder);
  await there(join(folder, 'began'));
  return { folder, server, ...around };
}

describe.skipIf(old === undefined || process.platform !== 'linux')('a runner inside of an old Node', () => {
  it('a runner inside of an old Node ends its jobs and itself when the outer process is killed', async () => {
    const { folder, outer, inner, server } = await runner();
    const pid = inner();
    process.kill(outer.pid as number, 'SIGKILL');
    await gone(pid);
    expect(existsSync(join(folder, 'asked'))).toBe(true);
    const { items } = await server.client.listResults({ query: { workflow_id: 1 } });
    expect(items.map(({ status }) => status)).toEqual(['terminated']);
  });

  it.each<[string, (pids: { outer: number; inner: number }) => number]>([
    ['the process group, as a terminal does', ({ outer }) => -outer],
    ['the outer process alone', ({ outer }) => outer],
    ['the inner process alone', ({ inner }) => inner],
  ])('a runner inside of an old Node counts one SIGINT to %s once', async (_, targetOf) => {
    const { folder, outer, inner, said, ended } = await runner();
    process.kill(targetOf({ outer: outer.pid as number, inner: inner() }), 'SIGINT');
    expect(await ended).toEqual({ code: 130, signal: null });
    expect(existsSync(join(folder, 'asked'))).toBe(true);
    expect(said()).toContain('Ending: running jobs are asked to end');
    expect(said()).not.toContain('Killing the jobs');
  });

  it('a runner inside of an old Node counts two SIGINTs to the process group twice', async () => {
    const { folder, outer, said, ended } = await runner();
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    process.kill(pid, 'SIGSTOP'); // The job does not answer.
    process.kill(-(outer.pid as number), 'SIGINT');
    await until(said, (text) => text.includes('Ending:'), 'the first to be heard');
    process.kill(-(outer.pid as number), 'SIGINT');
    await ended;
    expect(said()).toContain('Killing the jobs');
    expect(isAlive(pid)).toBe(false);
  });
});

describe.skipIf(old === undefined || process.platform !== 'linux')('a server inside of an old Node', () => {
  it('a server inside of an old Node ends when the outer process is killed', async () => {
    const folder = temporaryFolder();
    const { outer, inner, said } = startOld('torc-server.mjs', ['run', '--port', '0', '--database', 's.db'], folder);
    await until(said, (text) => text.includes('TORC_SERVER_PORT='), 'the server to start');
    const pid = inner();
    process.kill(outer.pid as number, 'SIGKILL');
    await gone(pid);
  });
});

describe('signals that arrive directly and are passed on', () => {
  /** A process that prints each SIGINT that its program gets, and ends on request. */
  async function innerProcess(listens: boolean) {
    const folder = temporaryFolder();
    const script = join(folder, 'inner.mjs');
    const listen = listens ? "process.on('SIGINT', () => process.stdout.write('SIGINT '));" : '';
    writeFileSync(
      script,
      `import { followOuter } from '${bin}/outer.mjs';
       followOuter(); ${listen} setInterval(() => {}, 1000); process.stdout.write('ready ');`,
    );
    const env = { ...process.env, TORC_OUTER: String(process.pid) };
    const child = fork(script, { env, execArgv: [], stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    child.stdout?.setEncoding('utf8').on('data', (text) => (said += text));
    const ended = new Promise<NodeJS.Signals | null>((done) => void child.once('exit', (_, signal) => done(signal)));
    const hears = (text: string) =>
      until(
        () => said,
        (all) => all === text,
        text,
      );
    await hears('ready ');
    return { child, ended, hears, said: () => said };
  }

  it.each([
    ['the direct one first', ['direct', 'passed on']],
    ['the passed one first', ['passed on', 'direct']],
  ])('signals that arrive directly and are passed on are delivered once: %s', async (_, order) => {
    const { child, hears } = await innerProcess(true);
    let heard = 'ready ';
    for (const [index, way] of [...order, ...order].entries()) {
      if (way === 'direct') child.kill('SIGINT');
      else child.send({ signal: 'SIGINT' });
      if (index % 2 === 0) heard += 'SIGINT ';
      await hears(heard);
    }
    // Were one of them delivered late, it would come before this.
    child.send({ signal: 'SIGINT' });
    await hears(`${heard}SIGINT `);
  });

  it('end a program that does not listen, as they would without an outer process', async () => {
    const { child, ended } = await innerProcess(false);
    child.send({ signal: 'SIGINT' });
    expect(await ended).toBe('SIGINT');
  });

  it('the end of the outer process ends the inner one', async () => {
    const { child, ended } = await innerProcess(true);
    child.disconnect();
    expect(await ended).toBe('SIGTERM');
  });
});
