import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder, until } from '../../../../tests/support/programs.ts';
import { NO_MARK, parseMark } from '../../../core/attempt/step-mark.ts';
import { CATCHABLE_SIGNALS, ENDING_SIGNALS } from '../../../core/contract/signal.ts';
import { wrapper } from './wrapper.ts';

const markOf = (path: string) => {
  try {
    return parseMark(readFileSync(path, 'utf8'));
  } catch {
    return NO_MARK;
  }
};

/** For Slurm with `proctrack/cgroup`, and with `proctrack/linuxproc`. */
const PASSES_ON = wrapper({ reachesAll: false });
const REACHES_ALL = wrapper({ reachesAll: true });

describe.each([
  ['passes signals on', PASSES_ON],
  ['notes signals', REACHES_ALL],
])('the wrapper around a command that %s', (_, WRAPPER) => {
  const wrapped = (command: string, environment: Record<string, string> = {}, input = '') => {
    const mark = join(temporaryFolder(), 'mark');
    const { status, stdout } = spawnSync('bash', ['-c', WRAPPER, mark, command], {
      encoding: 'utf8',
      env: { ...process.env, ...environment },
      input,
    });
    return { status, stdout, mark: markOf(mark) };
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
      const mark = join(temporaryFolder(), 'mark');
      const { status, stdout, stderr } = spawnSync('bash', ['-c', WRAPPER, mark, command, ...more], {
        encoding: 'utf8',
        env: environment,
      });
      // The number of a line is that of the wrapper.
      return [status, stdout.split('\n').toSorted(), stderr.replace(/line \d+/, 'line'), markOf(mark).code];
    };
    expect(run(...words)).toEqual(run());
  });

  it('variables of the job keep their values, whatever their names', () => {
    const own = { mark: '1', run: '2', signals: '3', seen: '4', each: '5', code: '6', key: '7', value: '8' };
    const { stdout } = wrapped('echo $mark $run $signals $seen $each $code $key $value', own);
    expect(stdout).toBe('1 2 3 4 5 6 7 8\n');
  });

  it('the step has the CPU time of its command, because its first process waited for it', () => {
    const mark = join(temporaryFolder(), 'mark');
    const burn = 'for ((i = 0; i < 300000; i++)); do :; done; times';
    const { stdout } = spawnSync('bash', ['-c', 'bash -c "$0" "$1" "$2"; times', WRAPPER, mark, burn], {
      encoding: 'utf8',
    });
    const [own = 0, , ...rest] = [...stdout.matchAll(/(\d+)m([\d.]+)s/g)].map(
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

type Sent = readonly ['leaf' | 'job' | 'shell', NodeJS.Signals];

/** A wrapped command that prints a line when it is ready, is signaled in this order, and ends. */
async function signaled(command: string, signals: readonly Sent[], WRAPPER = REACHES_ALL) {
  const folder = temporaryFolder();
  const mark = join(folder, 'mark');
  const child = spawn('bash', ['-c', WRAPPER, mark, command], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  const ended = new Promise<number | null>((done) => child.once('exit', done));
  await until(
    () => text,
    (found) => found.includes('\n'),
    'the command to be ready',
  );
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
      const mark = join(temporaryFolder(), 'mark');
      const child = spawn('bash', ['-c', PASSES_ON, mark, 'sleep 60'], { stdio: 'ignore' });
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
      const mark = join(temporaryFolder(), 'mark');
      const child = spawn('bash', ['-c', PASSES_ON, mark, 'exit 0'], { stdio: 'ignore' });
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
  const folder = temporaryFolder();
  const mark = join(folder, 'mark');
  const script = `${command}; until [ -e go ]; do sleep 0.01; done; wait; exit 7`;
  const child = spawn('bash', ['-c', PASSES_ON, mark, script], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (stdout += part));
  const ended = new Promise<number | null>((done) => child.once('close', done));
  const lines = (count: number) =>
    until(
      () => stdout.split('\n').length > count,
      (yes) => yes,
      `line ${count} of ${stdout}`,
    );
  await lines(1);
  process.kill(child.pid as number, signal);
  await lines(2);
  writeFileSync(join(folder, 'go'), '');
  return { status: await ended, stdout, mark: markOf(mark) };
}

const handles = (pid: number, signal: number): boolean => {
  const mask = /^SigCgt:\s*(\w+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
  return (BigInt(`0x${mask}`) >> BigInt(signal - 1)) % 2n === 1n;
};
