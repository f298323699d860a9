import { expect, test } from 'vitest';
import { memoryOfSteps, type StepMemory } from './memory-of-steps.ts';

const GB = 1e6;
const step = (changed: Partial<StepMemory> = {}): StepMemory => ({
  step: '0',
  begin: 0,
  end: 100,
  cpus: 8,
  maxRss: 2 * GB,
  aveRss: 1.9 * GB,
  cpuSeconds: 800,
  aveCpuSeconds: 100,
  ...changed,
});

test.each<[string, readonly StepMemory[], number]>([
  ['nothing', [], 0],
  ['eight tasks', [step()], 15.2],
  ['one task with eight threads', [step({ cpuSeconds: 800, aveCpuSeconds: 800 })], 2],
  ['as many tasks as CPUs, where their times are not known', [step({ aveCpuSeconds: 0 })], 15.2],
  ['a script, which is one task', [step({ step: 'batch', aveCpuSeconds: 0 })], 2],
  ['steps at one time', [step({ cpus: 1 }), step({ cpus: 1, begin: 50 })], 4],
  ['steps one after another', [step({ cpus: 1 }), step({ cpus: 1, begin: 100, end: 200 })], 2],
  ['a step whose mean is not known', [step({ cpus: 2, aveRss: 0, aveCpuSeconds: 400 })], 4],
])('a job of %s can have used so much memory at a time', (_, steps, gigabytes) => {
  expect(Number(memoryOfSteps(steps)) / GB).toBeCloseTo(gigabytes, 5);
});
