import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { argumentLines, greetingCommand, scriptCommand } from './remote-script.ts';
import { openSsh, type Ssh } from './ssh.ts';

const HOST = { user: undefined, host: 'h1', port: undefined };
const SECRET = '{"password": "sesame", "name": "x$(touch run)"}\n';

let folder: string;
let ssh: Ssh;

/** Puts an `ssh` on PATH: a shell script, in which `$command` is what is to run on the host. */
function standIn(script: string, loginMs = 60_000): void {
  const text = `#!/bin/bash\ncd ${folder}\ncase $* in *" -O "*|"-O "*) exit;; esac\neval command=\\\${$#}\n${script}\n`;
  writeFileSync(join(folder, 'ssh'), text, { mode: 0o755 });
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
  ssh = openSsh({ loginMs });
}

const call = (script: string, args: readonly string[] = []) =>
  ssh.run(HOST, {
    script: `echo ready; ${script}`,
    args,
    request: { text: SECRET, after: 'ready\n', onSent: () => void 0 },
    atMostMs: 60_000,
  });

beforeEach(() => void (folder = temporaryFolder()));
afterEach(async () => {
  await ssh.close();
  vi.unstubAllEnvs();
});

describe('a request that is sent over ssh', () => {
  it('a request that is sent over ssh is read by the script that asked for it, behind its arguments', async () => {
    standIn('exec dash -c "$command"');
    const args = ['', 'a b', `it's ! "a" $(x) \\n`, 'two\nlines', '-n', 'end', '=', '✓'];
    const { hasBegun, code, stdout } = await call('printf "[%s]" "$@"; echo; cat', args);
    expect([hasBegun, code, stdout]).toEqual([true, 0, `ready\n${args.map((arg) => `[${arg}]`).join('')}\n${SECRET}`]);
  });

  it.each([
    ['exec dash'],
    ['exec bash --norc'],
    ['exec cat'],
    ['echo hello'],
    ['echo "$command"'],
    ['echo "$@"; exit 127'],
    ['eval "exec cat"'],
  ])('a request that is sent over ssh never reaches a host whose login shell becomes: %s', async (instead) => {
    standIn(`tee -a input | (${instead})`);
    const { hasBegun, stdout, stderr } = await call('cat');
    expect(hasBegun).toBe(false);
    expect([readFileSync(join(folder, 'input'), 'utf8'), existsSync(join(folder, 'run'))]).toEqual(['', false]);
    expect(stdout + stderr).not.toContain('sesame');
  });

  it('a request that is sent over ssh never reaches a shell that begins to run something else behind the first login', async () => {
    standIn('if [ -e again ]; then tee input | dash; else touch again; exec dash -c "$command"; fi', 2_000);
    const { hasBegun, isLate } = await call('cat');
    expect([hasBegun, isLate, readFileSync(join(folder, 'input'), 'utf8')]).toEqual([false, true, '']);
  });

  it('a request that is sent over ssh waits for the program that the script starts, and gets no further than that', async () => {
    standIn('exec dash -c "$command"');
    const { stdout } = await ssh.run(HOST, {
      script: 'cat',
      args: [],
      request: { text: SECRET, after: 'never said', onSent: () => void 0 },
      atMostMs: 1_000,
    });
    expect(stdout).toBe('');
  });

  it('a host on which the login shell waits for ever is given up', async () => {
    standIn('exec sleep 1000', 300);
    expect(await call('cat')).toMatchObject({ hasBegun: false, isLate: true });
  });
});

describe('what a script on a host prints', () => {
  const noise = 'printf "Welcome"; printf "\\nto h1 " >&2; ';

  it('what a script on a host prints is apart from what the login shell prints before it, on both outputs', async () => {
    standIn(`${noise} exec dash -c "$command"`);
    const { stdout, stderr } = await ssh.run(HOST, { script: 'echo out; echo err >&2', args: [], atMostMs: 60_000 });
    expect([stdout, stderr]).toEqual(['out\n', 'err\n']);
  });

  it('what a script on a host prints arrives byte by byte where it is no text', async () => {
    standIn(`${noise} exec dash -c "$command"`);
    const bytes: Buffer[] = [];
    const onBytes = (each: Buffer) => void bytes.push(each);
    await ssh.run(HOST, { script: 'printf %b "$1"', args: [String.raw`\0377\0000\0012`], atMostMs: 60_000, onBytes });
    expect(Buffer.concat(bytes)).toEqual(Buffer.from([255, 0, 10]));
  });

  it('what the login shell printed is returned where no script ran', async () => {
    standIn('echo "This account is not available."; exit 1');
    expect(await call('cat')).toMatchObject({ hasBegun: false, code: 1, stdout: 'This account is not available.\n' });
  });
});

describe('a login that an ssh server refuses', () => {
  const refuse = (times: number, words: string) =>
    `n=$(cat tries 2>/dev/null || echo 0); echo $((n+1)) >tries; [ $n -lt ${times} ] && echo "${words}" >&2 && exit 255`;
  const RESET = 'kex_exchange_identification: read: Connection reset by peer';

  it('a login that an ssh server refuses for the number of logins is tried again', async () => {
    standIn(`${refuse(2, RESET)}\nexec dash -c "$command"`);
    expect(await call('cat')).toMatchObject({ hasBegun: true, code: 0 });
    // Two that were refused, one that was not, and the call.
    expect(readFileSync(join(folder, 'tries'), 'utf8')).toBe('4\n');
  });

  it('a login that an ssh server refuses for the key is not tried again', async () => {
    standIn(refuse(9, 'me@h1: Permission denied (publickey).'));
    expect(await call('cat')).toMatchObject({ hasBegun: false, code: 255, logins: 1 });
    expect(readFileSync(join(folder, 'tries'), 'utf8')).toBe('1\n');
  });

  it('a call that ended with the code of a lost connection is not tried again once its script began', async () => {
    standIn(`exec dash -c "$command"`);
    const { code, hasBegun } = await ssh.run(HOST, {
      script: `echo x >>began; echo "${RESET}" >&2; exit 255`,
      args: [],
      atMostMs: 60_000,
    });
    expect([code, hasBegun, readFileSync(join(folder, 'began'), 'utf8')]).toEqual([255, true, 'x\n']);
  });
});

it.for(['bash', 'dash', 'zsh', 'csh', 'tcsh', 'fish', 'mksh'])(
  '%s as login shell runs what ssh passes to it, with arguments of any characters',
  (shell, { skip }) => {
    const greeting = { nonce: 'aa', factors: [200, 300] } as const;
    const run = (command: string, input: string) => {
      const { error, stdout } = spawnSync(shell, ['-c', command], { input, encoding: 'utf8' });
      if (error !== undefined) skip(`not installed: ${shell}`);
      return stdout;
    };
    expect(run(greetingCommand(greeting), '')).toBe('torc-aa-60000\n');
    const args = [`it's ! a "b" \\`, '~'];
    const text = run(scriptCommand(greeting, 'printf "%s|" "$@"; cat'), `${argumentLines(args)}rest`);
    expect(text).toBe(`torc-aa-60000\n${args.join('|')}|rest`);
  },
);

it('arguments that do not arrive whole start nothing', () => {
  const command = scriptCommand({ nonce: 'aa', factors: [2, 3] }, 'echo started');
  const run = () => execFileSync('sh', ['-c', command], { input: '=a\n=b\n', encoding: 'utf8', stdio: 'pipe' });
  expect(run).toThrow(expect.objectContaining({ status: 90, stdout: 'torc-aa-6\n' }));
});

it('the connections have their sockets in a folder whose path is short enough in bytes', async () => {
  standIn('for word; do case $word in ControlPath=*) echo "$word" >path;; esac; done; exec dash -c "$command"');
  // 20 letters of 60 bytes.
  const long = join(folder, '語'.repeat(20));
  mkdirSync(long);
  vi.stubEnv('TMPDIR', long);
  ssh = openSsh({ loginMs: 60_000 });
  await call('cat');
  const path = readFileSync(join(folder, 'path'), 'utf8').trim().replace('ControlPath=', '');
  // %C is 40 letters, and ssh appends 17 while it makes the socket.
  expect(Buffer.byteLength(path.replace('%C', '')) + 40 + 17).toBeLessThanOrEqual(103);
});
