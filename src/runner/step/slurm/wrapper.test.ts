import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder, until } from '../../../../tests/support/programs.ts';
import { NO_MARK, parseMark } from '../../../core/contract/files/step-mark.ts';
import { WRAPPER } from './wrapper.ts';

const markOf = (path: string) => {
  try {
    return parseMark(readFileSync(path, 'utf8'));
  } catch {
    return NO_MARK;
  }
};

describe('the wrapper around a command', () => {
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

/** A wrapped command that prints a line when it is ready, is signaled in this order, and ends. */
async function signaled(command: string, signals: readonly (readonly ['leaf' | 'job' | 'shell', NodeJS.Signals])[]) {
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

describe('a signal to a step', () => {
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
