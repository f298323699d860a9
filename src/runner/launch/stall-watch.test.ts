import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deadDisk, noDeadDisk } from '../../../tests/support/dead-disk.ts';
import { temporaryFolder, until } from '../../../tests/support/programs.ts';

/** A runner that beats often, and then does this. */
function runnerThat(then: string) {
  const folder = join(temporaryFolder(), 'out');
  mkdirSync(folder);
  const program = `
    import { readFileSync, statSync } from 'node:fs';
    import { watchForStall } from ${JSON.stringify(new URL('stall-watch.ts', import.meta.url).href)};
    const watch = watchForStall(${JSON.stringify(folder)}, { beatMs: 100, silentSeconds: 1, graceSeconds: 2 });
    const folder = ${JSON.stringify(folder)};
    process.on('SIGINT', () => { console.log('asked'); watch.close(); process.exit(3); });
    process.stdin.once('data', () => { ${then} });
    console.log('ready');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'pipe', detached: true });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (text += part));
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const says = (words: string) =>
    until(
      () => text,
      (found) => found.includes(words),
      `the words ${words}`,
    );
  return { folder, child, ended, says, text: () => text };
}

const WAITS = 'the runner waits for a file system that does not answer';

describe('a runner whose file system does not answer', () => {
  it.skipIf(noDeadDisk)('a runner that waits for a file system says so, and Ctrl-C ends it', async () => {
    const { folder, child, ended, says } = runnerThat('statSync(`${folder}/a`)');
    await says('ready');
    await deadDisk(folder);
    child.stdin.write('go\n');
    await says(`${WAITS}, probably that of ${folder}.`);
    // Ctrl-C signals the whole group.
    process.kill(-(child.pid as number), 'SIGINT');
    await says('the runner and its jobs are killed');
    expect(await ended).toEqual([null, 'SIGKILL']);
  });

  it('a runner that only has much to do is not said to wait, and answers Ctrl-C itself', async () => {
    const { child, ended, says, text } = runnerThat(
      "const until = performance.now() + 3000; while (performance.now() < until) readFileSync('/proc/self/stat'); console.log('done');",
    );
    await says('ready');
    child.stdin.write('go\n');
    await says('done');
    process.kill(-(child.pid as number), 'SIGINT');
    expect([await ended, text()]).toEqual([[3, null], 'ready\ndone\nasked\n']);
  });

  it('the process that watches a runner outlives signals that are messages to jobs', async () => {
    const { child, ended, says } = runnerThat('');
    await says('ready');
    const watcher = Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ')[0]);
    const field = (name: string) =>
      new RegExp(`^${name}:\\s+(\\w+)`, 'm').exec(readFileSync(`/proc/${watcher}/status`, 'utf8'))?.[1] ?? '';
    const ignores = () => (BigInt(`0x${field('SigIgn')}`) >> 9n) & 1n;
    await until(ignores, (found) => found === 1n, 'the watch to ignore SIGUSR1');
    for (const signal of ['SIGUSR1', 'SIGUSR2', 'SIGALRM', 'SIGSTOP'] as const) process.kill(watcher, signal);
    // One that has ended does not stop.
    await until(
      () => field('State'),
      (state) => state === 'T',
      'the watch to stop',
    );
    process.kill(watcher, 'SIGCONT');
    process.kill(-(child.pid as number), 'SIGINT');
    await says('asked');
    expect(await ended).toEqual([3, null]);
  });

  it('the process that watches a runner ends with it, also when the runner is killed', async () => {
    // It has the standard error of the runner, which is closed when both have ended.
    const { child, ended, says } = runnerThat('');
    await says('ready');
    child.kill('SIGKILL');
    expect(await ended).toEqual([null, 'SIGKILL']);
  });
});
