import { chmodSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import type { Allocation } from '../batch/allocation.ts';
import { allocationOf, endOfAllocation, parseTime, parseTimeOf, withinAllocation } from './allocation.ts';

describe('an allocation', () => {
  it('an allocation is what the environment says about this node', () => {
    const told = {
      SLURM_JOB_ID: '42',
      SLURM_NODEID: '1',
      SLURM_TASK_PID: '77',
      SLURM_JOB_NUM_NODES: '2',
      SLURM_CPUS_ON_NODE: '4',
      SLURM_MEM_PER_NODE: '4000',
    };
    expect(allocationOf(told)).toMatchObject({
      jobId: 42,
      nodeId: 1,
      taskPid: 77,
      nodes: 2,
      cpus: 4,
      memoryBytes: 4000 * 2 ** 20,
    });
  });

  it('an allocation has the array, the CPUs of each node, the devices and the restarts that Slurm gives, and otherwise none', () => {
    const told = {
      SLURM_JOB_ID: '42',
      SLURM_ARRAY_JOB_ID: '40',
      SLURM_JOB_CPUS_PER_NODE: '8(x2),4',
      SLURM_CPUS_PER_TASK: '2',
      SLURM_MEM_PER_CPU: '500',
      SLURM_JOB_GPUS: '0-1',
      SLURM_RESTART_COUNT: '2',
    };
    expect(allocationOf(told)).toMatchObject({
      arrayJobId: 40,
      cpusPerNode: [8, 8, 4],
      cpusPerTask: 2,
      isMemoryPerCpu: true,
      gpus: ['0', '1'],
      hasGpus: true,
      restarts: 2,
    });
    expect(allocationOf({ SLURM_JOB_ID: '42' })).toMatchObject({
      arrayJobId: undefined,
      cpusPerNode: undefined,
      cpusPerTask: undefined,
      isMemoryPerCpu: false,
      gpus: undefined,
      hasGpus: false,
      restarts: 0,
    });
  });

  it.each([
    ['0', '0', true],
    ['4294967290', 'interactive', false],
    [undefined, '', false],
  ])('a process with the step id %s is in step "%s", which holds resources: %s', (id, step, isInStep) => {
    expect(allocationOf({ SLURM_JOB_ID: '42', SLURM_STEP_ID: id })).toMatchObject({ step, isInStep });
  });

  it('steps can be started where srun, or a program that stands in for it, is found, and nowhere else', () => {
    const folder = mkdtempSync(join(tmpdir(), 'torc-srun-'));
    const canStart = (environment: Record<string, string>) =>
      allocationOf({ SLURM_JOB_ID: '42', ...environment })?.canStartSteps;
    expect(canStart({ PATH: folder })).toBe(false);
    expect(canStart({ PATH: folder, TORC_FAKE_SRUN: '/fake/srun' })).toBe(true);
    writeFileSync(join(folder, 'srun'), '');
    chmodSync(join(folder, 'srun'), 0o755);
    expect(canStart({ PATH: folder })).toBe(true);
  });

  it('an allocation has memory for each of its CPUs, if memory is given per CPU', () => {
    expect(allocationOf({ SLURM_JOB_ID: '1', SLURM_CPUS_ON_NODE: '4', SLURM_MEM_PER_CPU: '500' })?.memoryBytes).toBe(
      2000 * 2 ** 20,
    );
  });

  it('the memory of an allocation is unknown if Slurm does not give it, or gives the whole node', () => {
    expect(allocationOf({ SLURM_JOB_ID: '1' })?.memoryBytes).toBeUndefined();
    expect(allocationOf({ SLURM_JOB_ID: '1', SLURM_MEM_PER_NODE: '0' })?.memoryBytes).toBeUndefined();
  });

  it('there is no allocation outside Slurm', () => {
    expect(allocationOf({})).toBeUndefined();
  });
});

describe('a machine of which an allocation has a part', () => {
  const GIBIBYTE = 2 ** 30;
  const machine = { hostname: 'n1', cpus: 64, memoryBytes: 256 * GIBIBYTE, gpus: 4, limitedBy: [] };
  const part = { SLURM_JOB_ID: '42', SLURM_CPUS_ON_NODE: '8', SLURM_MEM_PER_NODE: '16384' };

  it('a runner has at most the part of the allocation, whether or not Slurm enforces it', () => {
    expect(withinAllocation(machine, allocationOf(part))).toEqual({
      ...machine,
      cpus: 8,
      memoryBytes: 16 * GIBIBYTE,
      limitedBy: ['allocation 42'],
    });
  });

  it('a runner has at most the machine, and all of it outside Slurm or if Slurm gives no figures', () => {
    const large = { SLURM_JOB_ID: '42', SLURM_CPUS_ON_NODE: '128', SLURM_MEM_PER_NODE: '999999999' };
    for (const environment of [large, {}, { SLURM_JOB_ID: '42' }, { ...part, SLURM_JOB_ID: undefined }])
      expect(withinAllocation(machine, allocationOf(environment))).toEqual(machine);
  });
});

test.each([
  ['2026-11-21T16:30:00\n', Date.parse('2026-11-21T16:30:00')],
  ['NONE', undefined],
  ['N/A', undefined],
  ['', undefined],
])('the end time %j of squeue is parsed', (text, expected) => {
  expect(parseTime(text)).toBe(expected);
});

test.each([
  ['42|2026-11-21T16:30:00\n', '2026-11-21T16:30:00'],
  // The task whose id is that of its array.
  ['44|2026-11-21T16:30:09\n42|2026-11-21T16:30:00\n43|NONE', '2026-11-21T16:30:00'],
  ['2026-11-21T16:30:00', '2026-11-21T16:30:00'],
])('the time of job 42 is read from the lines %j of squeue', (text, expected) => {
  expect(parseTimeOf(42, text)).toBe(Date.parse(expected));
});

describe('the end of an allocation', () => {
  const NOW = Date.parse('2026-11-20T12:00:00Z');
  const allocation = { jobId: 42 };

  it('the end of an allocation is read from the environment if it is there', async () => {
    const told = allocationOf({ SLURM_JOB_ID: '42', SLURM_JOB_END_TIME: '1795270481' });
    expect(told?.endsAtMs).toBe(1_795_270_481_000);
    expect(await endOfAllocation(told as Allocation, { TORC_FAKE_SBATCH: 'x' }, NOW)).toBe(1_795_270_481_000);
  });

  it('otherwise squeue is called for the end of an allocation', async () => {
    const squeue = join(mkdtempSync(join(tmpdir(), 'torc-squeue-')), 'squeue');
    writeFileSync(squeue, '#!/bin/sh\ntest "$3" = 42 && echo 2026-11-21T16:30:00\n');
    chmodSync(squeue, 0o755);
    expect(await endOfAllocation(allocation, { TORC_FAKE_SQUEUE: squeue }, NOW)).toBe(
      Date.parse('2026-11-21T16:30:00'),
    );
  });

  it('with a simulated sbatch the end is ten days away, and squeue is not called', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'torc-squeue-'));
    const squeue = join(folder, 'squeue');
    writeFileSync(squeue, `#!/bin/sh\ntouch ${folder}/asked; echo 2026-11-21T16:30:00\n`);
    chmodSync(squeue, 0o755);
    const played = { TORC_FAKE_SBATCH: '/bin/true', TORC_FAKE_SQUEUE: squeue };
    expect(await endOfAllocation(allocation, played, NOW)).toBe(Date.parse('2026-11-30T12:00:00Z'));
    expect(existsSync(join(folder, 'asked'))).toBe(false);
  });

  it('an error of squeue is reported, and no end is assumed', async () => {
    const squeue = join(mkdtempSync(join(tmpdir(), 'torc-squeue-')), 'squeue');
    writeFileSync(squeue, '#!/bin/sh\necho "slurm_load_jobs error: Invalid job id specified" >&2; exit 1\n');
    chmodSync(squeue, 0o755);
    await expect(endOfAllocation(allocation, { TORC_FAKE_SQUEUE: squeue }, NOW)).rejects.toThrow(
      'Invalid job id specified',
    );
  });
});
