import { expect, it } from 'vitest';
import { devicesOf } from './devices.ts';

it.each([
  ['0', ['0']],
  ['2, 3', ['2', '3']],
  ['GPU-8932f937-d72c-4106-c12f-20bd9faed9f6,GPU-8f2c', ['GPU-8932f937-d72c-4106-c12f-20bd9faed9f6', 'GPU-8f2c']],
  ['MIG-11c29e81-e611-50b5-b5ef-609c0a0fe58b', ['MIG-11c29e81-e611-50b5-b5ef-609c0a0fe58b']],
  ['MIG-GPU-8932f937/1/0', ['MIG-GPU-8932f937/1/0']],
  ['1,1,0', ['1', '0']],
  ['1,-1,0', ['1']],
  ['0,1,', ['0', '1']],
  ['-1', []],
  ['', []],
  ['  ', []],
  ['none', []],
  ['NoDevFiles', []],
  ['all', []],
  ['0-3', []],
])('CUDA_VISIBLE_DEVICES "%s" names the devices that a CUDA program sees: %o', (text, devices) => {
  expect(devicesOf({ CUDA_VISIBLE_DEVICES: text })).toEqual(devices);
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
  expect(devicesOf({ SLURM_JOB_GPUS: text })).toEqual(devices);
});

it('a range longer than any node has does not become a list of billions', () => {
  expect(devicesOf({ SLURM_JOB_GPUS: '0-4000000000' })).toHaveLength(1024);
});

it.each([
  ['CUDA counts before Slurm', { CUDA_VISIBLE_DEVICES: '2', SLURM_STEP_GPUS: '0', SLURM_JOB_GPUS: '1' }, ['2']],
  [
    'CUDA_VISIBLE_DEVICES precedes Slurm also when it hides all devices',
    { CUDA_VISIBLE_DEVICES: '-1', SLURM_JOB_GPUS: '0,1' },
    [],
  ],
  ['the variable of a step precedes that of its job', { SLURM_STEP_GPUS: '0', SLURM_JOB_GPUS: '0,1' }, ['0']],
  ['an empty variable of Slurm is ignored', { SLURM_STEP_GPUS: ' ', SLURM_JOB_GPUS: '0,1' }, ['0', '1']],
  ['without a variable the devices are unknown', { SLURM_JOB_GPUS: '' }, undefined],
  ['an empty environment leaves the devices unknown', {}, undefined],
])('devices of a runner: %s', (_, environment, devices) => {
  expect(devicesOf(environment)).toEqual(devices);
});
