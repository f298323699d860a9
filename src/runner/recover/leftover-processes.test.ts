import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { killLeft, searchTwice } from './leftover-processes.ts';

describe.skipIf(process.platform !== 'linux')('killing leftover processes of a runner', () => {
  const begin = async (environment: Record<string, string>) => {
    const child = spawn('sleep', ['600'], { env: { ...process.env, ...environment }, stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child, 'spawn');
    return child;
  };

  it('the processes of the runner end, including those of runners within its jobs, and no others', async () => {
    const mark = randomUUID();
    const own = await begin({ TORC_RUNNER_MARK: mark, SLURM_JOB_ID: '7' });
    const inner = await begin({ TORC_RUNNER_MARK: randomUUID(), TORC_RUNNER_OUTER_MARKS: mark, SLURM_JOB_ID: '7' });
    const elsewhere = await begin({ TORC_RUNNER_MARK: mark, SLURM_JOB_ID: '8' });
    const other = await begin({ TORC_RUNNER_MARK: randomUUID(), SLURM_JOB_ID: '7' });
    const { killed, left: still } = await killLeft({ mark, allocationId: '7' });
    expect(new Set(killed.map(({ pid }) => pid))).toEqual(new Set([own.pid, inner.pid]));
    expect(still).toEqual([]);
    expect([elsewhere.exitCode, elsewhere.signalCode, other.exitCode, other.signalCode]).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  it('without a free file descriptor the runner does not claim that no process is left', () => {
    const program = `
      import { openSync } from 'node:fs';
      import { killLeft } from ${JSON.stringify(new URL('leftover-processes.ts', import.meta.url).href)};
      try { for (;;) openSync('/dev/null'); } catch {}
      await killLeft({ mark: 'a', allocationId: '' }).then(console.log, ({ code }) => console.log(code));`;
    const words = ['-c', 'ulimit -n 64; exec "$0" "$@"', process.execPath, '--input-type=module', '-e', program];
    expect(execFileSync('bash', words, { encoding: 'utf8' })).toBe('EMFILE\n');
  });

  it('the searching process never ends itself', async () => {
    const program = `
      import { killLeft } from ${JSON.stringify(new URL('leftover-processes.ts', import.meta.url).href)};
      const { killed } = await killLeft({ mark: process.env.TORC_RUNNER_MARK, allocationId: '' });
      console.log(JSON.stringify(killed));`;
    const { SLURM_JOB_ID: _, ...environment } = process.env;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      env: { ...environment, TORC_RUNNER_MARK: randomUUID() },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [text] = (await once(child.stdout, 'data')) as [Buffer];
    expect(JSON.parse(text.toString())).toEqual([]);
  });
});

describe('a search for leftover processes when the runner ends', () => {
  const searchOf = (...answers: string[][]) => {
    const asked: string[] = [];
    return {
      asked,
      found: searchTwice(
        () => {
          asked.push('search');
          return answers.shift() ?? [];
        },
        async () => void asked.push('pause'),
      ),
    };
  };

  it('a process that shows no environment yet is found by the second search', async () => {
    const { asked, found } = searchOf([], ['late']);
    expect(await found).toEqual(['late']);
    expect(asked).toEqual(['search', 'pause', 'search']);
  });

  it('a process that is found by the first search is not kept waiting', async () => {
    const { asked, found } = searchOf(['soon'], []);
    expect(await found).toEqual(['soon']);
    expect(asked).toEqual(['search']);
  });
});
