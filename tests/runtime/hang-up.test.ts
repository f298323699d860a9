import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { programFolder } from '../support/packed.ts';
import { temporaryFolder, until } from '../support/programs.ts';

/**
 * SIGHUP that was ignored when a program started, as under nohup. Node gives ignored signals their default action at its start, so
 * the shell scripts that users run report what they found.
 */

/** Starts `torc create - --dry-run` after `prepare` in a shell: it is Node when this resolves, and waits for its input. */
async function begin(prepare: string, environment: NodeJS.ProcessEnv = process.env): Promise<ChildProcess> {
  const torc = join(programFolder(), 'torc');
  const child = spawn('/bin/sh', ['-c', `${prepare} exec "$0" "$@"`, torc, 'create', '-', '--dry-run'], {
    cwd: temporaryFolder(),
    env: environment,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const program = () => basename(readlinkSync(`/proc/${child.pid}/exe`));
  await until(program, (name) => name === 'node', 'Node to start');
  return child;
}

/** Source: proc(5), SigCgt in hexadecimal digits; SIGHUP is the lowest bit. */
const handlesHangUp = ({ pid }: ChildProcess): boolean =>
  /^SigCgt:\s+\w+[13579bdf]$/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

const endOf = (child: ChildProcess) =>
  new Promise<readonly unknown[]>((done) => child.once('close', (...end) => done(end)));

it('SIGHUP that was ignored when a program started does not end it while it reads its input', async () => {
  const child = await begin("trap '' HUP;");
  const [ended, printed] = [endOf(child), text(child.stdout as NodeJS.ReadableStream)];
  await until(() => handlesHangUp(child), Boolean, 'the program to handle SIGHUP');
  child.kill('SIGHUP');
  child.stdin?.end('name: flow\njobs: [{ name: a, command: "true" }]\n');
  expect([await ended, await printed]).toEqual([[0, null], expect.stringContaining('Validation: PASSED')]);
});

it('SIGHUP ends a program that was started without that, whatever its environment says', async () => {
  const child = await begin('', { ...process.env, TORC_HANG_UP: 'ignored' });
  const ended = endOf(child);
  child.kill('SIGHUP');
  expect(await ended).toEqual([null, 'SIGHUP']);
});

it('no listener of a program gets a SIGHUP that was ignored, and its environment does not show that', () => {
  const program = `
    import { keepHangUpIgnored } from ${JSON.stringify(join(import.meta.dirname, '../../bin/start.mjs'))};
    keepHangUpIgnored();
    for (const name of ['SIGHUP', 'SIGUSR2']) process.on(name, () => console.log('heard', name));
    console.log(process.env.TORC_HANG_UP);
    process.kill(process.pid, 'SIGHUP');
    process.kill(process.pid, 'SIGUSR2');
    setImmediate(() => setImmediate(() => {}));`;
  const heard = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...process.env, TORC_HANG_UP: 'ignored' },
    encoding: 'utf8',
  });
  expect(heard).toBe('undefined\nheard SIGUSR2\n');
});
