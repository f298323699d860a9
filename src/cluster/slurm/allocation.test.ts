import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { withinAllocation } from '../batch/allocation.ts';
import { allocationOf, cpusPerNode, grantedDevices } from './allocation.ts';

describe('an allocation', () => {
  it('an allocation is what the environment says about this node', () => {
    const reported = {
      SLURM_JOB_ID: '42',
      SLURM_NODEID: '1',
      SLURM_TASK_PID: '77',
      SLURM_JOB_NUM_NODES: '2',
      SLURM_CPUS_ON_NODE: '4',
      SLURM_MEM_PER_NODE: '4000',
    };
    expect(allocationOf(reported)).toMatchObject({
      jobId: 42,
      nodeId: 1,
      taskPid: 77,
      nodes: 2,
      cpus: 4,
      memoryBytes: 4000 * 2 ** 20,
    });
  });

  it('an allocation has the array, the CPUs of each node, the devices and the restarts that Slurm gives, and otherwise none', () => {
    const reported = {
      SLURM_JOB_ID: '42',
      SLURM_ARRAY_JOB_ID: '40',
      SLURM_JOB_CPUS_PER_NODE: '8(x2),4',
      SLURM_CPUS_PER_TASK: '2',
      SLURM_MEM_PER_CPU: '500',
      SLURM_JOB_GPUS: '0-1',
      SLURM_RESTART_COUNT: '2',
    };
    expect(allocationOf(reported)).toMatchObject({
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

  it('the end of an allocation is read from the environment if it is there', () => {
    const end = (reported: Record<string, string>) => allocationOf({ SLURM_JOB_ID: '42', ...reported })?.endsAtMs;
    expect(end({ SLURM_JOB_END_TIME: '1795270481' })).toBe(1_795_270_481_000);
    expect(end({ SLURM_JOB_END_TIME: '' })).toBeUndefined();
    expect(allocationOf({ SLURM_JOB_ID: '42', SLURM_JOB_START_TIME: '1795270000' })?.beganAtMs).toBe(1_795_270_000_000);
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

it.each([
  ['5', ['5']],
  ['0-3', ['0', '1', '2', '3']],
  ['0-1,6, 4', ['0', '1', '6', '4']],
  ['0,0-1', ['0', '1']],
  ['gpu:0-1', ['0', '1']],
  ['gpu:a100:2', ['2']],
  ['3-1', []],
  ['(null)', []],
  ['N/A', []],
])('SLURM_JOB_GPUS "%s" names the devices %o', (text, devices) => {
  expect(grantedDevices({ SLURM_JOB_GPUS: text })).toEqual(devices);
});

it('a range longer than any node has does not become a list of billions', () => {
  expect(grantedDevices({ SLURM_JOB_GPUS: '0-4000000000' })).toHaveLength(1024);
});

it.each([
  ['the variable of a step precedes that of its job', { SLURM_STEP_GPUS: '0', SLURM_JOB_GPUS: '0,1' }, ['0']],
  ['an empty variable of Slurm is ignored', { SLURM_STEP_GPUS: ' ', SLURM_JOB_GPUS: '0,1' }, ['0', '1']],
  ['without a variable the devices are unknown', { SLURM_JOB_GPUS: '' }, undefined],
  ['an empty environment leaves the devices unknown', {}, undefined],
])('devices of an allocation: %s', (_, environment, devices) => {
  expect(grantedDevices(environment)).toEqual(devices);
});

test.each([
  ['4', [4]],
  ['72(x2),36', [72, 72, 36]],
  ['', undefined],
  ['4(x', undefined],
  ['4(x99999999999)', undefined],
  [undefined, undefined],
])('the CPUs of the nodes in %j are %j', (text, expected) => {
  expect(cpusPerNode(text)).toEqual(expected);
});
