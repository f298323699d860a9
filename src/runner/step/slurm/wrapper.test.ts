import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder, until } from '../../../../tests/support/programs.ts';
import { NO_MARK, parseMark } from '../../../core/attempt/step-mark.ts';
import { CATCHABLE_SIGNALS, ENDING_SIGNALS } from '../../../core/attempt/signal.ts';
import { wrapper } from './wrapper.ts';

const markOf = (path: string) => {
  try {
    return parseMark(readFileSync(path, 'utf8'));
  } catch {
    return NO_MARK;
  }
};

/** A new folder with the files that a runner makes for a step, and the words of the wrapper for a command that writes them. */
function stepOf(command: string, ...words: string[]) {
  const folder = temporaryFolder();
  const [mark, out, err] = ['mark', 'out', 'err'].map((name) => join(folder, name)) as [string, string, string];
  for (const path of [out, err]) writeFileSync(path, '');
  const text = (path: string) => readFileSync(path, 'utf8');
  return {
    folder,
    mark,
    out,
    err,
    words: [mark, out, err, command, ...words],
    stdout: () => text(out),
    stderr: () => text(err),
  };
}

/** For Slurm with `proctrack/cgroup`, and with `proctrack/linuxproc`. */
const PASSES_ON = wrapper({ reachesAll: false });
const REACHES_ALL = wrapper({ reachesAll: true });

describe.each([
  ['passes signals on', PASSES_ON],
  ['notes signals', REACHES_ALL],
])('the wrapper around a command that %s', (_, WRAPPER) => {
  const wrapped = (command: string, environment: Record<string, string> = {}, input = '') => {
    const { words, stdout, mark } = stepOf(command);
    const { status } = spawnSync('bash', ['-c', WRAPPER, ...words], { env: { ...process.env, ...environment }, input });
    return { status, stdout: stdout(), mark: markOf(mark) };
  };

  it.each([
    ['true', 0],
    ['exit 200', 200],
    ['kill -SEGV $$', 139],
    ['kill -KILL $$', 137],
    ['/no/such/program', 127],
  ])('the mark of "%s" has its exit code, and the step has the same', (command, code) => {
    expect(wrapped(command)).toMatchObject({ status: code, mark: { began: true, code, asked: undefined } });
  });

  it.each([
    ['printenv HOME', ['printenv', 'HOME']],
    ['false', ['false']],
    ['no-such-program a', ['no-such-program', 'a']],
    ['/dev/null a', ['/dev/null', 'a']],
    ['env', ['env']],
    ['cat /proc/self/cmdline', ['cat', '/proc/self/cmdline']],
  ])('"%s" whose words are known does and prints what bash makes of it', (command, words) => {
    const environment = { PATH: '/usr/bin:/bin', HOME: '/home/a', SHLVL: '3' };
    const run = (...more: string[]) => {
      const { words: given, stdout, stderr, mark } = stepOf(command, ...more);
      const { status } = spawnSync('bash', ['-c', WRAPPER, ...given], { env: environment });
      // The number of a line is that of the wrapper.
      return [status, stdout().split('\n').toSorted(), stderr().replace(/line \d+/, 'line'), markOf(mark).code];
    };
    expect(run(...words)).toEqual(run());
  });

  it('an exit code that arrives in two parts is one', () => {
    // On a busy machine the pause ended between two bytes.
    const slow = WRAPPER.replace('  echo "$__code"\n', '  printf 1; sleep 0.5; printf 2; sleep 0.5; echo 6\n');
    expect(slow).not.toBe(WRAPPER);
    const { status } = spawnSync('bash', ['-c', slow, ...stepOf('true').words]);
    expect(status).toBe(126);
  });

  it('variables of the job keep their values, whatever their names', () => {
    const own = { mark: '1', run: '2', signals: '3', seen: '4', each: '5', code: '6', key: '7', value: '8' };
    const { stdout } = wrapped('echo $mark $run $signals $seen $each $code $key $value', own);
    expect(stdout).toBe('1 2 3 4 5 6 7 8\n');
  });

  it('the step has the CPU time of its command, because its first process waited for it', () => {
    const { words, stdout: written } = stepOf('for ((i = 0; i < 300000; i++)); do :; done; times');
    const { stdout } = spawnSync('bash', ['-c', 'bash -c "$0" "$@"; times', WRAPPER, ...words], { encoding: 'utf8' });
    const [own = 0, , ...rest] = [...`${written()}${stdout}`.matchAll(/(\d+)m([\d.]+)s/g)].map(
      ([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds),
    );
    // The last line has the user time of the children of the shell around the step.
    expect(rest.at(-2)).toBeGreaterThanOrEqual(own);
    expect(own).toBeGreaterThan(0.05);
  });

  it('the command reads the standard input of the step', () => {
    expect(wrapped('cat', {}, 'words').stdout).toBe('words');
  });

  it('no signal is ignored in the command, also not those that shells ignore in background commands', () => {
    expect(wrapped('grep ^SigIgn /proc/self/status').stdout).toMatch(/^SigIgn:\s0+\n$/);
  });

  it('of several tasks the first alone runs the command', () => {
    expect(wrapped('echo run', { SLURM_PROCID: '1' })).toEqual({ status: 0, stdout: '', mark: NO_MARK });
  });
});

describe('the output of a step', () => {
  const ended = (words: readonly string[], environment: Record<string, string> = {}) =>
    spawnSync('bash', ['-c', PASSES_ON, ...words], { encoding: 'utf8', env: { ...process.env, ...environment } });

  it('the output of a step is written by its command, behind what stands there, and nothing of it goes through srun', () => {
    const { words, out, stdout, stderr } = stepOf('echo one; echo two >&2');
    writeFileSync(out, 'before\n');
    expect(ended(words)).toMatchObject({ status: 0, stdout: '', stderr: '' });
    expect([stdout(), stderr()]).toEqual(['before\none\n', 'two\n']);
  });

  it('stands in the order in which it was written where both streams have one file', () => {
    const { mark, out, stdout } = stepOf('');
    ended([mark, out, out, 'for i in 1 2 3; do echo $i; echo e$i >&2; done']);
    expect(stdout()).toBe('1\ne1\n2\ne2\n3\ne3\n');
  });

  it('the output of a step is discarded where it is not kept', () => {
    const { mark, err, stderr } = stepOf('');
    expect(ended([mark, '', err, 'echo one; echo two >&2'])).toMatchObject({ status: 0, stdout: '', stderr: '' });
    expect(stderr()).toBe('two\n');
    expect(ended([mark, '', '', 'echo one; echo two >&2'])).toMatchObject({ status: 0, stdout: '', stderr: '' });
  });

  it('the output of a step goes into a file of any name', () => {
    const { folder, mark } = stepOf('');
    const out = join(folder, ` a'b"c$(d)\n*é `);
    writeFileSync(out, '');
    ended([mark, out, out, 'echo one']);
    expect(readFileSync(out, 'utf8')).toBe('one\n');
  });

  it('the output of a step makes a command fail that finds no room for it and checks that, and no other', () => {
    const { mark } = stepOf('');
    const { folder, out } = stepOf('');
    // A limit of the size of files is an error of the same kind as a full disk, which the test of a real cluster has.
    const limited = (command: string) =>
      spawnSync(
        'bash',
        ['-c', 'ulimit -f 1; trap "" XFSZ; exec bash -c "$0" "$@"', PASSES_ON, mark, out, '', command],
        {
          cwd: folder,
        },
      ).status;
    expect(limited('head -c 1M /dev/zero')).toBe(1);
    expect(limited('head -c 1M /dev/zero; true')).toBe(0);
  });

  it.each<[string, (path: string, target: string) => void]>([
    ['a link', (path, target) => (rmSync(path), symlinkSync(target, path))],
    ['a link to nothing', (path, target) => (rmSync(path), symlinkSync(`${target}-none`, path))],
    ['a folder', (path) => (rmSync(path), mkdirSync(path))],
    ['a named pipe', (path) => (rmSync(path), spawnSync('mkfifo', [path]))],
    ['nothing', (path) => rmSync(path)],
    [
      'nothing, in a folder that the node does not have',
      (path) => renameSync(join(path, '..'), `${join(path, '..')}-x`),
    ],
  ])(
    'the output of a step is written by srun, with a line that says so, where %s stands in the place of its file',
    (_, replace) => {
      const mark = join(temporaryFolder(), 'mark');
      const { words, out } = stepOf('echo one');
      const target = join(temporaryFolder(), 'target');
      writeFileSync(target, '');
      replace(out, target);
      const found = ended([mark, out, '', ...words.slice(3)], { SLURMD_NODENAME: 'n7' });
      expect(found).toMatchObject({
        status: 0,
        stdout: 'one\n',
        stderr: expect.stringContaining(`n7 cannot open ${out}: `),
      });
      expect(readFileSync(target, 'utf8')).toBe('');
    },
  );

  it('the output of a step is written by srun also in the POSIX mode of bash, in which an exec that fails would end the shell', () => {
    const { mark, folder } = stepOf('');
    // The program of a process cannot be opened for writing, not even by the superuser.
    const out = join(folder, 'sleep');
    copyFileSync('/bin/sleep', out);
    const sleep = spawn(out, ['60']);
    const found = ended([mark, out, '', 'echo one'], { POSIXLY_CORRECT: '1' });
    sleep.kill();
    expect(found).toMatchObject({ status: 0, stdout: 'one\n' });
  });
});

type Sent = readonly ['leaf' | 'job' | 'shell', NodeJS.Signals];

/** A wrapped command that prints a line when it is ready, is signaled in this order, and ends. */
async function signaled(command: string, signals: readonly Sent[], WRAPPER = REACHES_ALL) {
  const { mark, words, stdout } = stepOf(command);
  const child = spawn('bash', ['-c', WRAPPER, ...words], { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = new Promise<number | null>((done) => child.once('exit', done));
  await until(stdout, (found) => found.includes('\n'), 'the command to be ready');
  const shell = child.pid as number;
  const job = childrenOf(childrenOf(shell)[0] as number)[0] as number;
  const [leaf] = await until(
    () => childrenOf(job),
    (found) => found.length > 0,
    'the child of the command',
  );
  const pids = { shell, job, leaf: leaf as number };
  for (const [whom, signal] of signals) {
    const before = readFileSync(mark, 'utf8');
    try {
      process.kill(pids[whom], signal);
    } catch {
      // It has ended.
    }
    if (whom === 'shell')
      await until(
        () => readFileSync(mark, 'utf8') !== before || child.exitCode !== null,
        (yes) => yes,
        'the shell to write its mark, or to end',
      );
  }
  return { status: await ended, mark: markOf(mark) };
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

describe('a signal to each process of a step', () => {
  it('a command that is ended by it has the code of the signal', async () => {
    const { status, mark } = await signaled('echo; sleep 60; echo end', [
      ['shell', 'SIGCONT'],
      ['shell', 'SIGTERM'],
      ['job', 'SIGTERM'],
      ['leaf', 'SIGTERM'],
    ]);
    expect([status, mark]).toMatchObject([143, { code: 143, asked: { isHandled: false, isCertain: true } }]);
  });

  it('a command that handles it decides its own exit code, and the mark says that it did', async () => {
    const { status, mark } = await signaled("trap 'kill $!; exit 0' TERM; sleep 60 & echo; wait", [
      ['shell', 'SIGTERM'],
      ['job', 'SIGTERM'],
    ]);
    expect([status, mark]).toMatchObject([0, { code: 0, asked: { isHandled: true, isCertain: true } }]);
  });

  it('a script that goes on because only its child got it ends with 0, and the mark says that it was asked to end', async () => {
    const { status, mark } = await signaled('echo; sleep 60; echo end', [
      ['shell', 'SIGCONT'],
      ['leaf', 'SIGTERM'],
    ]);
    expect([status, mark]).toMatchObject([0, { code: 0, asked: { isHandled: false, isCertain: false } }]);
  });

  it('a 0 of a script whose child was signaled first proves nothing, if the signal to all others follows', async () => {
    const patient = REACHES_ALL.replace('read -r -t 0.05 ', 'read -r -t 3 ');
    expect(patient).not.toBe(REACHES_ALL);
    const signals: readonly Sent[] = [
      ['leaf', 'SIGTERM'],
      ['shell', 'SIGTERM'],
    ];
    const { status, mark } = await signaled('echo; sleep 60; echo end', signals, patient);
    expect([status, mark]).toMatchObject([0, { code: 0, asked: { isHandled: false, isCertain: true } }]);
  });

  it('the exit code of a command that ends at the moment of the signal is never lost', async () => {
    for (let round = 0; round < 30; round += 1) {
      const { status, mark } = await signaled("trap 'kill $!; exit 6' TERM; sleep 60 & echo; wait", [
        ['job', 'SIGTERM'],
        ['shell', 'SIGTERM'],
      ]);
      expect([round, status, mark.code]).toEqual([round, 6, 6]);
    }
  });

  it('many signals change neither the exit code nor the wait for the command', async () => {
    const many = Array.from({ length: 20 }, () => ['shell', 'SIGCONT'] as const);
    const { status, mark } = await signaled('echo; sleep 1; exit 4', many);
    expect([status, mark.code]).toEqual([4, 4]);
  });
});

const trapped = (name: string) => `trap 'echo ${'$'}{BASHPID} got ${name}' ${name}`;

describe('a signal to the shell around a command alone', () => {
  it.each(CATCHABLE_SIGNALS.filter((name) => name !== 'CHLD' && name !== 'WINCH'))(
    'SIG%s reaches the command, once',
    async (name) => {
      const { stdout, status, mark } = await passedOn(`${trapped(name)}; echo $$`, `SIG${name}` as NodeJS.Signals);
      const [pid = '', ...lines] = stdout.split('\n').filter(Boolean);
      expect(lines).toEqual([`${pid} got ${name}`]);
      const asked = ENDING_SIGNALS.includes(name) ? { isHandled: true, isCertain: true } : undefined;
      expect([status, mark]).toMatchObject([7, { code: 7, asked }]);
    },
  );

  it('the children of the command do not get it: one that its parent does not wait for goes on', async () => {
    const { stdout } = await passedOn(
      "trap 'echo parent' TERM; (trap 'echo child' TERM; until [ -e go ]; do sleep 0.01; done; echo ended) & echo $!",
      'SIGTERM',
    );
    expect(stdout.split('\n').slice(1).filter(Boolean)).toEqual(['parent', 'ended']);
  });

  it('one that handles nothing ends by it, and its child does not keep it', async () => {
    const { status, mark } = await signaled('sleep 60 & echo; wait', [['shell', 'SIGTERM']], PASSES_ON);
    expect([status, mark]).toMatchObject([143, { code: 143, asked: { isHandled: false, isCertain: true } }]);
  });

  it('a signal that comes before the command has started is kept for it, whenever that is', async () => {
    for (let round = 0; round < 40; round += 1) {
      const { mark, words } = stepOf('sleep 60');
      const child = spawn('bash', ['-c', PASSES_ON, ...words], { stdio: 'ignore' });
      const ended = new Promise<number | null>((done) => child.once('exit', done));
      const shell = child.pid as number;
      // The shell handles SIGTERM from here on; `round` turns later it may have started the command, or not.
      while (!handles(shell, 15));
      for (let turn = 0; turn < round * 3; turn += 1) readFileSync('/proc/self/stat');
      process.kill(shell, 'SIGTERM');
      expect([round, await ended, markOf(mark).code]).toEqual([round, 143, 143]);
    }
  });

  it('a signal reaches the first process of a command also where the kernel does not list the children of a process', async () => {
    const { status, mark } = await signaled(
      "trap 'kill $!; exit 6' TERM; sleep 60 & echo; wait",
      [['shell', 'SIGTERM']],
      PASSES_ON.replaceAll('/children"', '/none"'),
    );
    expect([status, mark]).toMatchObject([6, { code: 6, asked: { isHandled: true, isCertain: true } }]);
  });

  it('one that comes when the command has ended is not said to have reached it', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { mark, words } = stepOf('exit 0');
      const child = spawn('bash', ['-c', PASSES_ON, ...words], { stdio: 'ignore' });
      const ended = new Promise<number | null>((done) => child.once('exit', done));
      while (markOf(mark).code === undefined);
      child.kill('SIGTERM');
      await ended;
      expect(markOf(mark)).toMatchObject({ code: 0, asked: undefined });
    }
  });
});

/** Signals the shell around a command that has printed a line; the command goes on until the file `go` is there, and exits with 7. */
async function passedOn(command: string, signal: NodeJS.Signals) {
  const script = `${command}; until [ -e go ]; do sleep 0.01; done; wait; exit 7`;
  const { folder, mark, words, stdout } = stepOf(script);
  const child = spawn('bash', ['-c', PASSES_ON, ...words], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  const lines = (count: number) =>
    until(
      () => stdout().split('\n').length > count,
      (yes) => yes,
      `line ${count} of the output`,
    );
  await lines(1);
  process.kill(child.pid as number, signal);
  await lines(2);
  writeFileSync(join(folder, 'go'), '');
  return { status: await ended, stdout: stdout(), mark: markOf(mark) };
}

const handles = (pid: number, signal: number): boolean => {
  const mask = /^SigCgt:\s*(\w+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
  return (BigInt(`0x${mask}`) >> BigInt(signal - 1)) % 2n === 1n;
};
