import { chmodSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { openSlurm } from './slurm.ts';

describe('the end of an allocation', () => {
  const endOf = (environment: Record<string, string>) => openSlurm({ environment }).endOf(allocation);
  const allocation = { jobId: 42 };

  it('squeue is called for the end of an allocation', async () => {
    const squeue = join(mkdtempSync(join(tmpdir(), 'torc-squeue-')), 'squeue');
    writeFileSync(squeue, '#!/bin/sh\ntest "$3" = 42 && echo 2026-11-21T16:30:00\n');
    chmodSync(squeue, 0o755);
    expect(await endOf({ TORC_FAKE_SQUEUE: squeue })).toBe(Date.parse('2026-11-21T16:30:00'));
  });

  it('with a simulated sbatch the end is ten days away, and squeue is not called', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'torc-squeue-'));
    const squeue = join(folder, 'squeue');
    writeFileSync(squeue, `#!/bin/sh\ntouch ${folder}/asked; echo 2026-11-21T16:30:00\n`);
    chmodSync(squeue, 0o755);
    const played = { TORC_FAKE_SBATCH: '/bin/true', TORC_FAKE_SQUEUE: squeue };
    const days = (((await endOf(played)) ?? 0) - Date.now()) / 86_400_000;
    expect(days).toBeCloseTo(10, 2);
    expect(existsSync(join(folder, 'asked'))).toBe(false);
  });

  it('an error of squeue is reported, and no end is assumed', async () => {
    const squeue = join(mkdtempSync(join(tmpdir(), 'torc-squeue-')), 'squeue');
    writeFileSync(squeue, '#!/bin/sh\necho "slurm_load_jobs error: Invalid job id specified" >&2; exit 1\n');
    chmodSync(squeue, 0o755);
    await expect(endOf({ TORC_FAKE_SQUEUE: squeue })).rejects.toThrow('Invalid job id specified');
  });
});

const mostTasks = (environment: Record<string, string | undefined>) => openSlurm({ environment }).mostTasks();

test('there are no job arrays where Slurm does not answer, or another program plays sbatch alone', async () => {
  expect(await mostTasks({ TORC_FAKE_SCONTROL: '/bin/false', PATH: process.env['PATH'] })).toBe(1);
  expect(await mostTasks({ TORC_FAKE_SBATCH: '/bin/true', PATH: process.env['PATH'] })).toBe(1);
});
