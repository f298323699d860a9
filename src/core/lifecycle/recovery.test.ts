import { describe, expect, it } from 'vitest';
import { causeOf, type EndedBadly, planRecovery, refusalOfRecovery } from './recovery.ts';

const lack = { memory: undefined, timeout: false, timeoutReason: undefined, cpu: false, runtime: false };
const job = (more: Partial<EndedBadly>): EndedBadly => ({
  id: 1,
  status: 'failed',
  returnCode: 1,
  lack,
  memoryShare: undefined,
  causeCode: undefined,
  handlerLimit: undefined,
  missesOutput: false,
  wasCanceledByDependency: false,
  ...more,
});

const sigkill = { ...lack, memory: 'sigkill_137' } as const;

describe('the cause of a bad end', () => {
  it.each<[string, Partial<EndedBadly>, ReturnType<typeof causeOf>]>([
    ['measured memory', { returnCode: 137, lack: { ...lack, memory: 'memory_exceeded' } }, 'memory'],
    ['memory that the runner or Slurm enforced', { returnCode: 137, causeCode: 'memory' }, 'memory'],
    ['an early SIGKILL near the limit', { returnCode: 137, lack: sigkill, memoryShare: 0.95 }, 'memory'],
    ['an early SIGKILL well below the limit', { returnCode: 137, lack: sigkill, memoryShare: 0.5 }, 'killed'],
    ['an early SIGKILL without a measured peak', { returnCode: 137, lack: sigkill }, 'killed'],
    ['a kill by an unknown process', { returnCode: 137, causeCode: 'killed', memoryShare: 0.5 }, 'killed'],
    ['a person who canceled its step', { returnCode: 137, causeCode: 'canceled' }, 'lost'],
    ['the end of its node', { returnCode: 137, causeCode: 'node' }, 'lost'],
    ['exit code 0 that proves nothing', { returnCode: 143, causeCode: 'unproven' }, 'lost'],
    ['the end of its allocation', { status: 'terminated', returnCode: 137, causeCode: 'allocation' }, 'lost'],
    [
      'the end of its allocation after its own time was up',
      { status: 'terminated', returnCode: 143, causeCode: 'allocation', lack: { ...lack, runtime: true } },
      'time',
    ],
    ['the time limit', { status: 'terminated', returnCode: 152, lack: { ...lack, timeout: true } }, 'time'],
    ['too long, and failed', { lack: { ...lack, runtime: true } }, 'time'],
    ['too many CPUs', { lack: { ...lack, cpu: true } }, 'cpus'],
    ['a lost runner', { returnCode: -128 }, 'lost'],
    ['a runner that stopped it', { status: 'terminated', returnCode: 143 }, 'lost'],
    ['a disk without room', { returnCode: 1, causeCode: 'disk' }, 'disk'],
    ['a command that does not exist', { returnCode: 127 }, 'bad command'],
    ['an output that is not there', { missesOutput: true }, 'missing output'],
    ['a decision that was not made', { status: 'pending_failed', returnCode: 3 }, 'undecided'],
    [
      'too little memory, although a decision is awaited',
      { status: 'pending_failed', returnCode: 137, lack: { ...lack, memory: 'memory_exceeded' } },
      'memory',
    ],
    [
      'a command that does not exist, although a decision is awaited',
      { status: 'pending_failed', returnCode: 127 },
      'bad command',
    ],
    [
      'an output that is not there, although a decision is awaited',
      { status: 'pending_failed', missesOutput: true },
      'missing output',
    ],
    [
      'a failure handler that allows no more',
      {
        returnCode: 137,
        causeCode: 'memory',
        handlerLimit: 'max',
        lack: { ...lack, memory: 'memory_exceeded' },
      },
      'at maximum',
    ],
    [
      'another job that failed',
      { status: 'canceled', returnCode: undefined, wasCanceledByDependency: true },
      'downstream',
    ],
    ['anything else', { returnCode: 3 }, 'unknown'],
  ])('%s', (_, more, cause) => {
    expect(causeOf(job(more))).toBe(cause);
  });
});

describe('the plan of a recovery', () => {
  const jobs = [
    { id: 1, why: 'memory' as const },
    { id: 2, why: 'unknown' as const },
    { id: 3, why: 'downstream' as const },
    { id: 4, why: 'bad command' as const },
  ];

  it('the plan of a recovery repeats what can go better, and leaves the rest; downstream jobs follow by themselves', () => {
    const { retried, left } = planRecovery(jobs, { retriesUnknown: false });
    expect([retried.map(({ id }) => id), left.map(({ id }) => id)]).toEqual([[1], [2, 4]]);
  });

  it('the plan of a recovery repeats everything if that is asked for', () => {
    expect(planRecovery(jobs, { retriesUnknown: true }).retried.map(({ id }) => id)).toEqual([1, 2, 4]);
  });
});

describe('whether a workflow can be recovered', () => {
  const standing = {
    workflowId: 7,
    counts: { waiting: 0, running: 0, failed: 1 },
    isCanceled: false,
    isUninitialized: false,
    activeRunners: 0,
    openAllocations: 0,
    isCorrected: false,
  };
  it('yes with failed jobs, and with jobs that wait while nothing is alive', () => {
    expect(refusalOfRecovery(standing)).toBeUndefined();
    expect(refusalOfRecovery({ ...standing, counts: { waiting: 2, running: 0, failed: 0 } })).toBeUndefined();
    const complete = { waiting: 0, running: 0, failed: 0 };
    expect(refusalOfRecovery({ ...standing, counts: complete, isCorrected: true })).toBeUndefined();
  });

  it.each([
    ['canceled; torc workflows reset-status 7', { isCanceled: true }],
    ['wait or run', { openAllocations: 1 }],
    ['active', { activeRunners: 1 }],
    ['never initialized', { isUninitialized: true }],
    ['no job failed', { counts: { waiting: 0, running: 0, failed: 0 } }],
    ['no job failed', { counts: { waiting: 0, running: 0, failed: 0 }, isUninitialized: true }],
  ])('no if it is %s', (words, more) => {
    expect(refusalOfRecovery({ ...standing, ...more })).toContain(words);
  });
});
