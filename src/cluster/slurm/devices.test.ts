import { expect, it } from 'vitest';
import { grantedDevices } from './devices.ts';

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
