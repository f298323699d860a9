import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { processesWith } from '../../../tests/support/processes.ts';

/** A folder with the layout of /proc, with these processes and their environments. */
function procWith(processes: Readonly<Record<string, string[] | undefined>>): string {
  const root = temporaryFolder();
  for (const [name, environment] of Object.entries(processes)) {
    mkdirSync(join(root, name));
    if (environment !== undefined) writeFileSync(join(root, name, 'environ'), `${environment.join('\0')}\0`);
  }
  return root;
}

describe('the processes that carry a mark', () => {
  it('marked processes are those with the variable and exactly this value', () => {
    const root = procWith({
      10: ['PATH=/bin', 'MARK=abc'],
      11: ['MARK=abc', 'HOME=/'],
      12: ['MARK=abcd'],
      13: ['MARK=ab'],
      14: ['OTHER_MARK=abc'],
      15: ['TEXT=MARK=abc'],
      16: [],
    });
    expect(processesWith('MARK', 'abc', root).sort((a, b) => a - b)).toEqual([10, 11]);
  });

  it('marked processes are found beside unreadable or just ended processes and other entries', () => {
    const root = procWith({ 10: ['MARK=abc'], 11: undefined, self: ['MARK=abc'], sys: undefined });
    expect(processesWith('MARK', 'abc', root)).toEqual([10]);
  });

  it('there may be no marked process', () => {
    expect(processesWith('MARK', 'abc', procWith({}))).toEqual([]);
  });

  it.skipIf(process.platform !== 'linux')('marked processes are found on this machine while they run', async () => {
    const value = `${process.pid}-${performance.now()}`;
    const child = spawn('sleep', ['600'], { env: { ...process.env, TORC_TEST_MARK: value }, stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child, 'spawn');
    expect(processesWith('TORC_TEST_MARK', value)).toEqual([child.pid]);
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(processesWith('TORC_TEST_MARK', value)).toEqual([]);
  });
});
