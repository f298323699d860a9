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
  expect(devicesOf({ CUDA_VISIBLE_DEVICES: text }, undefined)).toEqual(devices);
});

it.each([
  ['CUDA precedes the allocation', { CUDA_VISIBLE_DEVICES: '2' }, { gpus: ['0'] }, ['2']],
  ['CUDA precedes the allocation also when it hides all devices', { CUDA_VISIBLE_DEVICES: '-1' }, { gpus: ['0'] }, []],
  ['without the variable those of the allocation count', {}, { gpus: ['0', '1'] }, ['0', '1']],
  ['an allocation that names none leaves the devices unknown', {}, { gpus: undefined }, undefined],
  ['outside of an allocation the devices are unknown', {}, undefined, undefined],
])('devices of a runner: %s', (_, environment, allocation, devices) => {
  expect(devicesOf(environment, allocation)).toEqual(devices);
});
