import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { openLiveUses } from './live-use.ts';

it('the use of a job is that of all processes with its mark and its id, and of no other', async () => {
  const mark = crypto.randomUUID();
  const child = spawn('sh', ['-c', 'echo begun; sleep 600 & wait'], {
    env: { PATH: '/usr/bin:/bin', TORC_RUNNER_MARK: mark, TORC_JOB_ID: '7' },
    detached: true,
  });
  onTestFinished(() => void process.kill(-(child.pid as number), 'SIGKILL'));
  await once(child.stdout, 'data');
  const uses = openLiveUses();
  onTestFinished(() => uses.close());
  const nowMs = Date.now();
  const job = (id: number, of: string = mark) => ({ id, mark: of, startMs: nowMs - 10_000 });
  const found = uses.look([job(7), job(8), job(9, 'other')], nowMs);
  expect([...found.keys()]).toEqual([7]);
  expect(found.get(7)?.memoryBytes).toBeGreaterThan(100_000);
  expect(found.get(7)?.cpuPercent).toBeLessThan(100);
});
