import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../../../../tests/support/programs.ts';
import { LATEST_SILENT_MS } from '../batch/heartbeat.ts';
import { farLauncher } from './far-launcher.ts';
import { connectByFile } from './keyed-socket.ts';

/** This process is the launcher; what would start it on another node waits. */
async function connected() {
  const keyFile = join(temporaryFolder(), 'key');
  const launcher = farLauncher({
    node: 'n2',
    ownNode: 'localhost',
    words: () => ['sleep', '600'],
    keyFile,
    environment: process.env,
  });
  const heard: string[] = [];
  const starter = await launcher.open({ onLine: (line) => heard.push(line), onErrorLine: () => {} });
  onTestFinished(() => starter.signal('SIGKILL'));
  const far = await connectByFile(keyFile);
  onTestFinished(() => void far.destroy());
  far.write('here\n');
  await vi.waitFor(() => expect(heard).toEqual(['here']), { timeout: 20_000 });
  let isOver = false;
  return {
    far,
    starter,
    /** The runner gives the jobs up. */
    giveUp: () => void launcher.nothingLeft('1.?').then(() => (isOver = true)),
    isOver: () => isOver,
  };
}

describe('the end of a launcher on another node', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  it('jobs of a launcher that keeps its connection count as running until it must have ended by itself, although what started it has ended', async () => {
    const { far, starter, giveUp, isOver } = await connected();
    // It hangs: with an order that it does not read it does not see the end of its input either.
    far.pause();
    starter.write('order\n');
    giveUp();
    starter.signal('SIGKILL');
    await starter.ended;
    await vi.advanceTimersByTimeAsync(LATEST_SILENT_MS);
    expect(isOver()).toBe(false);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(isOver()).toBe(true);
  });

  it('jobs of a launcher that was killed have ended when what guards them has killed them', async () => {
    const { far, starter, giveUp, isOver } = await connected();
    giveUp();
    far.destroy();
    await starter.ended;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(isOver()).toBe(false);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(isOver()).toBe(true);
  });
});
