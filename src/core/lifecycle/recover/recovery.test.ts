import { describe, expect, it } from 'vitest';
import { causeCodes } from '../../contract/cause-code.ts';
import { type EndedBadly, originOf, planRecovery, refusalOfRecovery, REPAIRS, type Why, whyOf } from './recovery.ts';

const lack = { memory: undefined, timeout: false, timeoutReason: undefined, cpu: false, runtime: false };
const job = (more: Partial<EndedBadly>): EndedBadly => ({
  status: 'failed',
  lack,
  memoryShare: undefined,
  causeCode: 'exit',
  handlerLimit: undefined,
  canceledBehind: undefined,
  ...more,
});

const sigkill = { ...lack, memory: 'sigkill_137' } as const;

describe('the cause of a bad end', () => {
  it.each<[string, Partial<EndedBadly>, Why]>([
    ['measured memory', { lack: { ...lack, memory: 'memory_exceeded' } }, 'memory'],
    ['memory that the runner or Slurm enforced', { causeCode: 'memory' }, 'memory'],
    ['an early SIGKILL near the limit', { causeCode: undefined, lack: sigkill, memoryShare: 0.95 }, 'memory'],
    ['an early SIGKILL well below the limit', { causeCode: undefined, lack: sigkill, memoryShare: 0.5 }, 'killed'],
    ['an early SIGKILL without a measured peak', { causeCode: undefined, lack: sigkill }, 'killed'],
    ['a kill by an unknown process', { causeCode: 'killed', memoryShare: 0.5 }, 'killed'],
    ['a person who canceled its step', { causeCode: 'canceled' }, 'canceled'],
    ['the end of its node', { causeCode: 'node' }, 'node'],
    ['exit code 0 that proves nothing', { causeCode: 'unproven' }, 'unproven'],
    ['the end of its allocation', { status: 'terminated', causeCode: 'allocation' }, 'allocation'],
    [
      'the end of its allocation after its own time was up',
      { status: 'terminated', causeCode: 'allocation', lack: { ...lack, runtime: true } },
      'time',
    ],
    ['the time limit', { status: 'terminated', causeCode: 'time', lack: { ...lack, timeout: true } }, 'time'],
    ['the end of its runner long before its own', { status: 'terminated', causeCode: 'time' }, 'stopped'],
    ['too long, and failed', { lack: { ...lack, runtime: true } }, 'time'],
    ['too many CPUs', { lack: { ...lack, cpu: true } }, 'cpus'],
    ['a lost runner', { causeCode: 'lost' }, 'lost'],
    ['a runner that stopped it', { status: 'terminated', causeCode: 'stopped' }, 'stopped'],
    ['a runner of Torc that ended it', { status: 'terminated', causeCode: undefined }, 'stopped'],
    ['a disk without room', { causeCode: 'disk' }, 'disk'],
    ['a command that does not exist', { causeCode: 'not_found' }, 'not_found'],
    ['an output that is not there', { causeCode: 'missing_output' }, 'missing_output'],
    ['a decision that was not made', { status: 'pending_failed' }, 'undecided'],
    [
      'too little memory, although a decision is awaited',
      { status: 'pending_failed', lack: { ...lack, memory: 'memory_exceeded' } },
      'memory',
    ],
    [
      'a command that does not exist, although a decision is awaited',
      { status: 'pending_failed', causeCode: 'not_found' },
      'not_found',
    ],
    [
      'an output that is not there, although a decision is awaited',
      { status: 'pending_failed', causeCode: 'missing_output' },
      'missing_output',
    ],
    [
      'a failure handler that allows no more',
      {
        causeCode: 'memory',
        handlerLimit: 'max',
        lack: { ...lack, memory: 'memory_exceeded' },
      },
      'at_maximum',
    ],
    [
      'a timeout, whatever it used besides',
      { status: 'terminated', causeCode: 'time', isAtTimeout: true, lack: { ...lack, memory: 'memory_exceeded' } },
      'at_timeout',
    ],
    [
      'the end of the time of its runner, with as much time as it had asked for',
      { status: 'terminated', causeCode: 'time', isAtTimeout: false, lack: { ...lack, timeout: true } },
      'time',
    ],
    ['another job that failed', { status: 'canceled', canceledBehind: 'failure' }, 'dependency'],
    ['another job that was stopped', { status: 'canceled', canceledBehind: 'stop' }, 'behind_stop'],
    ['a user', { status: 'canceled' }, 'canceled'],
    ['an exit code of its own', {}, 'exit'],
    ['anything else', { causeCode: undefined }, 'unknown'],
  ])('%s', (_, more, cause) => {
    expect(whyOf(job(more))).toBe(cause);
  });
});

it('without a measured lack a job is named by its cause, and repeated as the vocabulary says', () => {
  const named = causeCodes.filter((causeCode) => whyOf(job({ causeCode })) === causeCode);
  expect(causeCodes.filter((code) => !named.includes(code))).toEqual(['time']);
  expect(named.filter((code) => REPAIRS[code].again !== 'no').toSorted()).toEqual(
    ['allocation', 'canceled', 'disk', 'killed', 'lost', 'memory', 'node', 'stopped', 'unproven'].toSorted(),
  );
});

it('a job at its timeout is left: only a person, or a rule of a failure handler, repeats it', () => {
  expect(REPAIRS.at_timeout.again).toBe('no');
  expect(planRecovery([{ id: 1, why: 'at_timeout' }], { retriesUnknown: false }).left).toHaveLength(1);
  expect(planRecovery([{ id: 1, why: 'at_timeout' }], { retriesUnknown: true }).retried).toHaveLength(1);
});

describe('the plan of a recovery', () => {
  const jobs = [
    { id: 1, why: 'memory' as const },
    { id: 2, why: 'unknown' as const },
    { id: 3, why: 'dependency' as const },
    { id: 4, why: 'not_found' as const },
  ];

  it('the plan of a recovery repeats what can go better, and leaves the rest; downstream jobs follow by themselves', () => {
    const { retried, left } = planRecovery(jobs, { retriesUnknown: false });
    expect([retried.map(({ id }) => id), left.map(({ id }) => id)]).toEqual([[1], [2, 4]]);
  });

  it('the plan of a recovery repeats everything if that is asked for', () => {
    expect(planRecovery(jobs, { retriesUnknown: true }).retried.map(({ id }) => id)).toEqual([1, 2, 4]);
  });
});

it('a job is left that its caller says, also where others with its cause are repeated and everything else is', () => {
  const lost = [
    { id: 1, why: 'lost' as const },
    { id: 2, why: 'lost' as const },
  ];
  for (const retriesUnknown of [false, true]) {
    const { retried, left } = planRecovery(lost, { retriesUnknown, leaves: new Set([2]) });
    expect([retried, left].map((jobs) => jobs.map(({ id }) => id))).toEqual([[1], [2]]);
  }
});

it.each<[Why, ReturnType<typeof originOf>]>([
  ['lost', 'loss'],
  ['node', 'loss'],
  ['allocation', 'outside'],
  ['canceled', 'outside'],
  ['stopped', 'outside'],
  ['unproven', 'outside'],
  ['killed', 'itself'],
  ['disk', 'itself'],
  ['exit', 'itself'],
  ['behind_stop', 'itself'],
])('an end of the cause %s counts as %s where a watch decides whether the next round is of use', (why, origin) => {
  expect(originOf(why, undefined)).toBe(origin);
});

it('a job that was stopped at the end of the time of its runner ended for itself, and one whose runner was stopped did not', () => {
  expect([originOf('stopped', 'time'), originOf('stopped', 'stopped')]).toEqual(['itself', 'outside']);
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
