import { chmodSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { allocationOf, endOfAllocation, parseEnd, withinAllocation } from './allocation.ts';

describe('an allocation', () => {
  it('is what the environment tells of this node', () => {
    const told = {
      SLURM_JOB_ID: '42',
      SLURM_NODEID: '1',
      SLURM_TASK_PID: '77',
      SLURM_JOB_NUM_NODES: '2',
      SLURM_CPUS_ON_NODE: '4',
      SLURM_MEM_PER_NODE: '4000',
    };
    expect(allocationOf(told)).toEqual({
      jobId: 42,
      nodeId: 1,
      taskPid: 77,
      nodes: 2,
      cpus: 4,
      memoryBytes: 4000 * 2 ** 20,
    });
  });

  it('has as much memory as its CPUs, where memory is given by CPU', () => {
    expect(allocationOf({ SLURM_JOB_ID: '1', SLURM_CPUS_ON_NODE: '4', SLURM_MEM_PER_CPU: '500' })?.memoryBytes).toBe(
      2000 * 2 ** 20,
    );
  });

  it('says nothing of memory where Slurm does not, or gives all of the node', () => {
    expect(allocationOf({ SLURM_JOB_ID: '1' })?.memoryBytes).toBeUndefined();
    expect(allocationOf({ SLURM_JOB_ID: '1', SLURM_MEM_PER_NODE: '0' })?.memoryBytes).toBeUndefined();
  });

  it('is not there outside of Slurm', () => {
    expect(allocationOf({})).toBeUndefined();
  });
});

describe('a machine of which an allocation has a part', () => {
  const GIBIBYTE = 2 ** 30;
  const machine = { hostname: 'n1', cpus: 64, memoryBytes: 256 * GIBIBYTE, gpus: 4, limitedBy: [] };
  const part = { SLURM_JOB_ID: '42', SLURM_CPUS_ON_NODE: '8', SLURM_MEM_PER_NODE: '16384' };

  it('has no more than the part, whether or not Slurm confines those who run there', () => {
    expect(withinAllocation(machine, part)).toEqual({
      ...machine,
      cpus: 8,
      memoryBytes: 16 * GIBIBYTE,
      limitedBy: ['allocation 42'],
    });
  });

  it('has no more than the machine, and all of it outside of Slurm or where Slurm says nothing', () => {
    const large = { SLURM_JOB_ID: '42', SLURM_CPUS_ON_NODE: '128', SLURM_MEM_PER_NODE: '999999999' };
    for (const environment of [large, {}, { SLURM_JOB_ID: '42' }, { ...part, SLURM_JOB_ID: undefined }])
      expect(withinAllocation(machine, environment)).toEqual(machine);
  });
});

test.each([
  ['2026-11-21T16:30:00\n', Date.parse('2026-11-21T16:30:00')],
  ['NONE', undefined],
  ['N/A', undefined],
  ['', undefined],
])('the end %j', (text, expected) => {
  expect(parseEnd(text)).toBe(expected);
});

describe('the end of an allocation', () => {
  const NOW = Date.parse('2026-11-20T12:00:00Z');
  const allocation = { jobId: 42, nodeId: 0, taskPid: 1, nodes: 1, cpus: 1, memoryBytes: 1 };

  it('is taken from the environment where it stands there', async () => {
    expect(await endOfAllocation(allocation, { SLURM_JOB_END_TIME: '1795270481', TORC_FAKE_SBATCH: 'x' }, NOW)).toBe(
      1_795_270_481_000,
    );
  });

  it('is asked of squeue otherwise', async () => {
    const squeue = join(mkdtempSync(join(tmpdir(), 'torc-squeue-')), 'squeue');
    writeFileSync(squeue, '#!/bin/sh\ntest "$3" = 42 && echo 2026-11-21T16:30:00\n');
    chmodSync(squeue, 0o755);
    expect(await endOfAllocation(allocation, { TORC_FAKE_SQUEUE: squeue }, NOW)).toBe(
      Date.parse('2026-11-21T16:30:00'),
    );
  });

  it('is ten days away where sbatch is played, and squeue is not asked', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'torc-squeue-'));
    const squeue = join(folder, 'squeue');
    writeFileSync(squeue, `#!/bin/sh\ntouch ${folder}/asked; echo 2026-11-21T16:30:00\n`);
    chmodSync(squeue, 0o755);
    const played = { TORC_FAKE_SBATCH: '/bin/true', TORC_FAKE_SQUEUE: squeue };
    expect(await endOfAllocation(allocation, played, NOW)).toBe(Date.parse('2026-11-30T12:00:00Z'));
    expect(existsSync(join(folder, 'asked'))).toBe(false);
  });

  it('is not guessed when squeue fails: its words are passed on', async () => {
    const squeue = join(mkdtempSync(join(tmpdir(), 'torc-squeue-')), 'squeue');
    writeFileSync(squeue, '#!/bin/sh\necho "slurm_load_jobs error: Invalid job id specified" >&2; exit 1\n');
    chmodSync(squeue, 0o755);
    await expect(endOfAllocation(allocation, { TORC_FAKE_SQUEUE: squeue }, NOW)).rejects.toThrow(
      'Invalid job id specified',
    );
  });
});
