import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder, until } from '../../tests/support/programs.ts';
import { runHelper, startCompanion } from './exec.ts';
import { HelperFailed } from './helper-failed.ts';

/** A bash script as a program. `$1` is a folder that it may write into. */
function programOf(script: string): { program: string; folder: string } {
  const folder = temporaryFolder();
  const program = join(folder, 'helper');
  writeFileSync(program, `#!/bin/bash\n${script}\n`);
  chmodSync(program, 0o755);
  return { program, folder };
}

/** Less than the sixty seconds of what the programs leave behind, and enough for a machine that is busy with other tests. */
const LONG_SECONDS = 20;
const pidIn = (folder: string) => Number(readFileSync(join(folder, 'pid'), 'utf8'));
const kill = (folder: string) => {
  try {
    process.kill(pidIn(folder), 'SIGKILL');
  } catch {
    // `yes` ends when its output is closed.
  }
};
const isAlive = (pid: number) => readdirSync('/proc').includes(String(pid));
const gone = (pid: number) =>
  until(
    () => isAlive(pid),
    (alive) => !alive,
    `process ${pid} to end`,
  );
const secondsOf = async (call: () => Promise<unknown>) => {
  const startedMs = performance.now();
  await call();
  return (performance.now() - startedMs) / 1000;
};

/** A helper that is ended at its limit when it has written `pid`: on a busy machine it has a longer one until it has. */
async function endedAtLimit(program: string, folder: string) {
  for (let atMostMs = 500; ; atMostMs *= 4) {
    const startedMs = performance.now();
    const failed = await runHelper(program, [folder], { atMostMs }).then(
      () => undefined,
      (error: unknown) => error as HelperFailed,
    );
    const seconds = (performance.now() - startedMs) / 1000;
    if (existsSync(join(folder, 'pid')) || failed === undefined) return { atMostMs, failed, seconds };
  }
}

describe('a helper program', () => {
  it('a helper program returns its standard output', async () => {
    const { program } = programOf('echo "$1 $2"; echo words >&2');
    expect(await runHelper(program, ['one', 'two words'], { atMostMs: 10_000 })).toBe('one two words\n');
  });

  it('a failing helper program reports its exit code and its error output', async () => {
    const { program } = programOf('echo no such job >&2; exit 3');
    await expect(runHelper(program, ['7'], { atMostMs: 10_000 })).rejects.toThrow(
      new HelperFailed(`${program} 7: it ended with exit code 3: no such job`, { stderr: 'no such job' }),
    );
  });

  it.each(['echo line', 'echo line >&2'])(
    'a helper program that prints for ever is killed, and what it wrote is bounded in memory and in words: %s',
    async (line) => {
      const { program, folder } = programOf(`echo $$ > "$1/pid"; while :; do ${line}; done`);
      const failed = await runHelper(program, [folder], { atMostMs: 600_000, atMostBytes: 2 ** 20 }).catch(
        (error: unknown) => error as HelperFailed,
      );
      expect(failed).toMatchObject({ isLate: true, signal: 'SIGKILL' });
      const { message } = failed as HelperFailed;
      expect(message).toContain('printed more than 1 MiB: ask for fewer jobs, or a shorter time');
      expect(message.length).toBeLessThan(5000);
      await gone(pidIn(folder));
    },
  );

  it('the message of a failure has the end of what a program said, and decisions read all of it', async () => {
    const { program } = programOf('echo first; head -c 10000 /dev/zero | tr "\\0" x; echo; echo the reason; exit 3');
    const failed = await runHelper('bash', ['-c', '"$0" >&2', program], { atMostMs: 600_000 }).catch(
      (error: unknown) => error as HelperFailed,
    );
    const { message, stderr } = failed as HelperFailed;
    expect(message).toMatch(/exit code 3: …x+\nthe reason$/);
    expect([stderr.startsWith('first\n'), stderr.endsWith('the reason')]).toEqual([true, true]);
  });

  it('a helper program that prints as much as is read is no failure', async () => {
    const { program } = programOf('head -c 1048576 /dev/zero | tr "\\0" x');
    expect(await runHelper(program, [], { atMostMs: 600_000, atMostBytes: 2 ** 20 })).toHaveLength(2 ** 20);
  });

  it('a missing helper program is reported as missing', async () => {
    const { folder } = programOf('');
    const path = join(folder, 'missing');
    await expect(runHelper(path, ['7'], { atMostMs: 10_000 })).rejects.toThrow(
      new HelperFailed(`${path} 7: there is no program ${path}`, { isMissing: true }),
    );
  });

  it('a helper program that is on no folder of PATH is missing, also where a folder on it cannot be read', async () => {
    const { program, folder } = programOf('');
    // Root may read it all the same.
    const closed = temporaryFolder();
    chmodSync(closed, 0);
    onTestFinished(() => chmodSync(closed, 0o700));
    const call = (name: string, path: string) => runHelper(name, [], { atMostMs: 10_000, environment: { PATH: path } });
    await expect(call('nothing', `${closed}:${folder}`)).rejects.toThrow(
      new HelperFailed('nothing: there is no nothing on PATH', { isMissing: true }),
    );
    chmodSync(program, 0o644);
    await expect(call('helper', folder)).rejects.toThrow(new HelperFailed(`helper: spawn ${program} EACCES`));
  });

  it('a helper program starts a process only where a folder of PATH has a file of its name', async () => {
    const { folder } = programOf('exit 0');
    let started = 0;
    const count = () => (started += 1);
    subscribe('child_process', count);
    onTestFinished(() => void unsubscribe('child_process', count));
    const call = (name: string) =>
      runHelper(name, [], { atMostMs: 10_000, environment: { PATH: `/usr/bin:${folder}` } });
    await expect(call('nothing')).rejects.toThrow(HelperFailed);
    expect(started).toBe(0);
    await call('helper');
    expect(started).toBe(1);
  });

  it('a helper program ends with its whole process group at its time limit', async () => {
    const { program, folder } = programOf('echo begun >&2; sleep 60 & echo $! > $1/pid; wait');
    const { atMostMs, failed, seconds } = await endedAtLimit(program, folder);
    expect(failed?.message).toContain(`it was killed after ${atMostMs / 1000} s, its time limit: begun`);
    expect(seconds).toBeLessThan(LONG_SECONDS + atMostMs / 1000);
    await gone(pidIn(folder));
  });

  it('a helper program blocks no caller after its time limit, even when a process outside its group holds its output', async () => {
    const { program, folder } = programOf('setsid sleep 60 & echo $! > $1/pid; wait');
    onTestFinished(() => kill(folder));
    const { atMostMs, failed, seconds } = await endedAtLimit(program, folder);
    expect(failed?.message).toContain('its time limit');
    expect(seconds).toBeLessThan(LONG_SECONDS + atMostMs / 1000);
    expect(isAlive(pidIn(folder))).toBe(true);
  });

  it('a successful helper program returns its output, although a process that it left holds the output', async () => {
    const { program, folder } = programOf('sleep 60 & echo $! > $1/pid; echo answer');
    onTestFinished(() => kill(folder));
    const seconds = await secondsOf(async () =>
      expect(await runHelper(program, [folder], { atMostMs: 30_000 })).toBe('answer\n'),
    );
    expect(seconds).toBeLessThan(LONG_SECONDS);
  });

  it('a successful helper program returns its output at its time limit, although a process that it left writes endlessly', async () => {
    const { program, folder } = programOf('(sleep 0.2; exec yes) & echo $! > $1/pid; echo answer');
    onTestFinished(() => kill(folder));
    // Beside other work it takes a second until a program begins.
    expect(await runHelper(program, [folder], { atMostMs: 3_000 })).toMatch(/^answer\n/);
  });

  it('a helper program returns a large output completely', async () => {
    const { program } = programOf('head -c 5000000 /dev/zero | tr "\\0" x');
    expect(await runHelper(program, [], { atMostMs: 30_000 })).toHaveLength(5_000_000);
  });
});

describe('a companion program', () => {
  it('a companion has ended when its process ended, although a process that it left holds its output', async () => {
    const { program, folder } = programOf('sleep 60 & echo $! > $1/pid; exit 4');
    const companion = await startCompanion(program, [folder], {
      environment: process.env,
      onLine: () => {},
      onErrorLine: () => {},
    });
    const seconds = await secondsOf(async () => expect(await companion.ended).toEqual({ code: 4, signal: null }));
    expect(seconds).toBeLessThan(LONG_SECONDS);
    expect(existsSync(join(folder, 'pid'))).toBe(true);
    kill(folder);
  });
});
