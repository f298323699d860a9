import { shortageCause } from '../../attempt/full-disk.ts';
import { describe, expect, it, test } from 'vitest';
import { marginsOf } from '../../allocation/usable-time.ts';
import { partition } from '../../../hpc/profile.ts';
import { explain } from './explain.ts';
import type { AttemptEnd, JobFacts, LiveRunner, OtherJob } from './job-facts.ts';
import type { RunnerRoom } from '../placement/obstacles.ts';

const GIBIBYTE = 2 ** 30;
const room: RunnerRoom = {
  labels: [],
  schedulerId: null,
  isStrict: false,
  countsJobs: false,
  cpus: 4,
  memoryBytes: 8 * GIBIBYTE,
  gpus: 0,
  nodes: 1,
  time: undefined,
};
const free = { cpus: 4, memoryBytes: 8 * GIBIBYTE, gpus: 0 };
const runner = (over: Partial<RunnerRoom> = {}, left: Partial<typeof free> = {}): LiveRunner => ({
  id: 3,
  hostname: 'n1',
  room: { ...room, ...over },
  free: { ...free, ...left },
});
const job = (over: Partial<JobFacts> = {}): JobFacts => ({
  id: 7,
  name: 'work',
  status: 'ready',
  requirementsId: 5,
  attempt: 1,
  startedAt: undefined,
  labels: [],
  schedulerId: null,
  need: { num_cpus: 2, memory_bytes: GIBIBYTE, num_gpus: 0, num_nodes: 1, runtime_seconds: 3600 },
  workflow: {
    id: 1,
    run: 2,
    isCanceled: false,
    isArchived: false,
  },
  dependencies: [],
  cause: undefined,
  runners: [],
  lastRunner: undefined,
  runningOn: undefined,
  end: undefined,
  recorded: [],
  ...over,
});
const other = (name: string, status: OtherJob['status'], returnCode?: number): OtherJob => ({
  id: name.length,
  name,
  status,
  returnCode,
});
const codes = (facts: JobFacts) => explain(facts).reasons.map(({ code }) => code);
const messages = (facts: JobFacts) => explain(facts).reasons.map(({ message }) => message);

describe('the explanation of a waiting job', () => {
  it('a job with open dependencies waits for them by name and status, and the next command explains the first of them', () => {
    const dependencies = [other('a', 'completed'), other('bb', 'running'), other('ccc', 'blocked')];
    const reported = explain(job({ status: 'blocked', dependencies }));
    expect(reported).toMatchObject({ kind: 'waits', headline: 'waits for 2 jobs of 3' });
    expect(reported.reasons.map(({ message }) => message)).toEqual(['bb (job 2) is running', 'ccc (job 3) is blocked']);
    expect(reported.next).toEqual(['torc jobs explain 2']);
  });

  it('a job with more dependencies than are read counts all of them, and names only those that were read', () => {
    const dependencies = [other('a', 'completed'), other('bb', 'running')];
    const whole = explain(job({ status: 'blocked', dependencies }));
    expect(whole.headline).toBe('waits for 1 job of 2');
    expect(whole.reasons).toEqual([{ code: 'dependency', message: 'bb (job 2) is running', job_id: 2 }]);
    const part = explain(job({ status: 'blocked', dependencies, dependenciesLeftOut: 4998 }));
    expect(part.headline).toBe('depends on 5,000 jobs, and waits for 1 of the first 2');
  });

  it('a job whose dependency needs a decision of the user names that decision first', () => {
    const reported = explain(job({ status: 'blocked', dependencies: [other('bad', 'pending_failed')] }));
    expect(reported.next[0]).toBe('decide about bad: torc jobs reset-status 3 --reinit');
  });

  it('a job that depends on a disabled job never starts', () => {
    const reported = explain(job({ status: 'blocked', dependencies: [other('off', 'disabled')] }));
    expect(reported.next[0]).toBe('off is disabled, and so this job never starts');
  });

  it('a job without an active runner names the command that starts one', () => {
    const reported = explain(job({ labels: ['gpu', 'fast'] }));
    expect(reported.headline).toBe('is ready, and no runner is there');
    expect(reported.next).toEqual(['torc run 1 --label gpu --label fast']);
  });

  it('a job whose allocations are planned and not submitted waits for them, and the reason is what holds them back', () => {
    const held = { held: 'QOS short allows 2 jobs' };
    const reported = explain(job({ unsubmitted: [held, held, {}] }));
    expect(reported.headline).toBe('is ready, and waits for an allocation that is not submitted yet');
    expect(reported.reasons.map(({ message }) => message)).toEqual([
      '2 allocations are not submitted yet (QOS short allows 2 jobs)',
      '1 allocation is not submitted yet',
    ]);
    expect(reported.next).toEqual(['torc submit 1']);
  });

  it('a job whose allocation waits in the queue of Slurm waits for that, and no other allocation is advised', () => {
    const waiting = explain(
      job({
        queued: [
          { slurmJobId: 7, reason: 'Priority' },
          { slurmJobId: 8, reason: undefined },
        ],
      }),
    );
    expect(waiting.headline).toBe('is ready, and waits for an allocation that Slurm has not started');
    expect(waiting.reasons.map(({ code, message }) => [code, message])).toEqual([
      ['allocation_waits', 'allocation 7 waits (Priority: others come first)'],
      ['allocation_waits', 'allocation 8 waits'],
    ]);
    expect(waiting.next).toEqual(['squeue --start -j 7,8']);
    const gone = explain(job({ queued: [{ slurmJobId: 7, reason: undefined, hasEnded: true }] }));
    expect([gone.reasons[0]?.code, gone.next[0]]).toEqual(['allocation_ended', 'torc recover 1']);
    const unbegun = [{ slurmJobId: 7, end: 'FAILED, exit code 127', lines: ['one', 'exec: torc: not found'] }];
    for (const queued of [[{ slurmJobId: 7, reason: undefined, hasEnded: true }], []])
      expect(explain(job({ queued, unbegun })).reasons.at(-1)).toEqual({
        code: 'allocation_ended',
        message:
          'allocation 7 ended before a runner of it began (FAILED, exit code 127); its last words: exec: torc: not found',
      });
    const stuck = explain(job({ queued: [{ slurmJobId: 7, reason: 'PartitionTimeLimit' }] }));
    expect(stuck.reasons.map(({ code }) => code)).toEqual(['allocation_stuck']);
    expect(stuck.next).toEqual(['scancel 7', 'torc slurm list 1', 'torc slurm schedule-nodes 1']);
    const held = explain(job({ queued: [{ slurmJobId: 7, reason: 'JobHeldUser' }] }));
    expect(held.next.slice(0, 2)).toEqual(['scontrol release 7', 'scancel 7']);
  });

  it('a job that the last runner could not take needs another runner', () => {
    const { free: _, ...last } = runner({ cpus: 1 });
    const reported = explain(job({ lastRunner: last }));
    expect(reported.reasons.map(({ code }) => code)).toEqual(['no_runner', 'cpus']);
    expect(reported.reasons[1]?.message).toBe(
      'the last one, runner 3 on n1, could not take it: the job needs 2 CPUs, it had 1 CPU',
    );
    expect(reported.next).toEqual([
      'start a runner that can: torc run 1',
      'or lower what the job asks for: torc resource-requirements update 5',
    ]);
    const { free: __, ...able } = runner();
    expect(explain(job({ lastRunner: able })).next).toEqual(['torc run 1']);
  });

  it('a job that is wider than every known machine is to be lowered, and no runner on one of these is advised', () => {
    const { free: _, ...last } = runner({ cpus: 1 });
    const here = { hostname: 'desk', room: { ...room, cpus: 1, memoryBytes: GIBIBYTE / 2 } };
    const reported = explain(job({ lastRunner: last, here }));
    expect(reported.headline).toBe('is ready, and asks for more than any machine that is known has');
    expect(reported.reasons.map(({ code }) => code)).toEqual(['no_runner', 'cpus']);
    expect(reported.reasons[1]?.message).toBe(
      'the job needs 2 CPUs, and the largest machine that is known, n1, has 1 CPU',
    );
    expect(reported.next).toEqual([
      'lower what the job asks for: torc resource-requirements update 5 --num-cpus 1',
      'or start a runner of the workflow on a machine that has 2 CPUs',
    ]);
    expect(explain(job({ here })).next[0]).toBe(
      'lower what the job asks for: torc resource-requirements update 5 --num-cpus 1 --memory 512m',
    );
    expect(explain(job({ here, runners: [runner({ cpus: 1 })] })).next).toEqual(reported.next);
  });

  it.each([
    ['this machine', {}, { cpus: 1 }],
    ['the last runner', { cpus: 1 }, {}],
    ['a runner that counts jobs only', { cpus: 1 }, { countsJobs: true }],
  ])('a job that is narrow enough for %s is not called too wide', (_which, ofHere, ofLast) => {
    const { free: _, ...last } = runner(ofLast);
    const { headline } = explain(job({ lastRunner: last, here: { hostname: 'desk', room: { ...room, ...ofHere } } }));
    expect(headline).toBe('is ready, and no runner is there');
  });

  it('a job whose labels no runner has needs a runner with them or none of them, and no lower requirements', () => {
    const { free: _, ...last } = runner();
    const reported = explain(job({ labels: ['gpu'], lastRunner: last }));
    expect(reported.reasons.map(({ code }) => code)).toEqual(['no_runner', 'labels']);
    expect(reported.next).toEqual([
      'start a runner that can: torc run 1 --label gpu',
      expect.stringMatching(/^or remove the labels of the job: torc jobs update \d+ --clear-labels$/),
    ]);
  });

  it('a job of several nodes waits for whole nodes while other jobs run there', () => {
    const need = { ...job().need, num_nodes: 2 };
    const [nodes, all] = [{ nodes: 2 }, { cpus: 8, memoryBytes: 16 * GIBIBYTE }];
    expect(messages(job({ need, runners: [runner(nodes, { ...all, cpus: 7 })] }))).toEqual([
      'runner 3 on n1: the job needs 2 idle nodes, and jobs run on too many of its 2',
    ]);
    expect(codes(job({ need, runners: [runner(nodes, all)] }))).toEqual(['soon']);
  });

  it.each([
    [job({ runners: [runner({ cpus: 1 })] }), 'cpus', 'runner 3 on n1: the job needs 2 CPUs, it has 1 CPU'],
    [job({ runners: [runner({ labels: ['x'] })] }), 'labels', 'runner 3 on n1: the job needs no label, it has label x'],
    [
      job({ runners: [runner({ time: { leftSeconds: 600, usableSeconds: 510, claimableSeconds: 630 } })] }),
      'time',
      'runner 3 on n1: the job needs 1h 00m, it has 10m 00s left, 8m 30s of it for jobs',
    ],
    [
      job({ runners: [runner({ time: { leftSeconds: 117, usableSeconds: 0, claimableSeconds: 0 } })] }),
      'time',
      'runner 3 on n1: the job needs 1h 00m, it has 1m 57s left, too little to start a job',
    ],
    [
      job({ schedulerId: 5, runners: [runner({ isStrict: true })] }),
      'scheduler',
      'runner 3 on n1: the job needs scheduler 5, it has none',
    ],
  ])('a job that no runner can ever take names the reason: %#', (facts, code, message) => {
    const reported = explain(facts);
    expect(reported.reasons).toEqual([{ code, message }]);
    expect(reported.headline).toBe('is ready, and the only runner cannot take it');
    expect(reported.next[0]).toContain('torc run 1');
  });

  it('a job that no allocation of its workflow can run names the sum, and what plans allocations that can', () => {
    const margins = marginsOf({ mode: 'slurm' });
    const future = { scheduler: 'short', walltime: '00:01:30', margins };
    const small: RunnerRoom = {
      ...room,
      time: { leftSeconds: 119, usableSeconds: 0, claimableSeconds: 0 },
      future,
    };
    const facts = job({
      futureRooms: [small],
      workflow: { ...job().workflow, place: { workflowId: 1, runsIn: 'allocations', submission: 'done' } },
    });
    expect(explain(facts)).toMatchObject({
      headline: 'is ready, and no allocation of its workflow can ever run it',
      reasons: [
        { code: 'no_runner' },
        {
          code: 'time',
          message:
            'the job needs runtime 01:00:00 + headroom 00:01:00 + lead 00:00:00 + start 00:01:30 = 01:02:30, and scheduler short asks for a walltime of 00:01:30',
        },
      ],
      next: ['plan allocations that can: torc slurm regenerate 1 --submit', expect.stringContaining('update 5')],
    });
    expect(codes({ ...facts, futureRooms: [small, { ...room, future }] })).toEqual(['no_runner']);
    // Labels are for runners that people start.
    expect(codes({ ...facts, labels: ['x'] })).toEqual(['no_runner']);
  });

  it('a job that no partition of the site could run is to be lowered, and no plan of allocations is advised', () => {
    const small: RunnerRoom = {
      ...room,
      cpus: 1,
      future: { scheduler: 's', walltime: '01:00:00', margins: marginsOf({}) },
    };
    const place = { workflowId: 1, runsIn: 'allocations', submission: 'done' } as const;
    const workflow = { ...job().workflow, place };
    const of = (name: string, cpus: number, more = {}) =>
      partition({ name, cpus_per_node: cpus, memory_mb: 8192, max_walltime_secs: 86_400, ...more });
    const need = { ...job().need, num_cpus: 200 };
    const facts = job({ need, workflow, futureRooms: [small], partitions: [of('tiny', 4), of('standard', 104)] });
    const lowered = 'lower what the job asks for: torc resource-requirements update 5 --num-cpus 104';
    const nowhere = {
      headline: 'is ready, and no partition of this site could run it',
      next: [lowered],
    };
    expect(explain(facts)).toMatchObject(nowhere);
    expect(messages(facts)[1]).toBe(
      'the job needs 200 CPUs, and the partition that comes nearest, standard, has 104 CPUs',
    );
    // Also while runners work that cannot take it.
    expect(explain({ ...facts, futureRooms: [], runners: [runner({ cpus: 1 })] })).toMatchObject(nowhere);
    const long = { ...facts, need: { ...job().need, num_cpus: 2, runtime_seconds: 90_000 } };
    expect(explain(long).next).toEqual([expect.stringContaining('--runtime PT86400S')]);
    for (const partitions of [undefined, [], [of('wide', 200)]])
      expect(explain({ ...facts, partitions }).next[0]).toBe(
        'plan allocations that can: torc slurm regenerate 1 --submit',
      );
  });

  it('a job that fits waits for free resources, and the explanation says what is free', () => {
    const busy = job({ runners: [runner({}, { cpus: 1, memoryBytes: 0 }), runner({ cpus: 1 })] });
    expect(explain(busy).headline).toBe('is ready and waits for other jobs to end');
    expect(messages(busy).slice(0, 2)).toEqual([
      'runner 3 on n1: the job needs 2 CPUs, 1 of 4 are free',
      'runner 3 on n1: the job needs 1 GiB, 0 B of 8 GiB are free',
    ]);
  });

  it('a job is claimed soon only if a runner has room for it', () => {
    expect(codes(job({ runners: [runner({}, { cpus: 0 }), runner()] }))).toEqual(['soon']);
  });

  it('a job waits for a slot of a runner that counts jobs, regardless of its requirements', () => {
    const wide = { num_cpus: 99, memory_bytes: 1e15, num_gpus: 9, num_nodes: 1, runtime_seconds: 1 };
    const counting = (cpus: number) => job({ need: wide, runners: [runner({ countsJobs: true }, { cpus })] });
    expect(codes(counting(Infinity))).toEqual(['soon']);
    expect(codes(counting(0))).toEqual(['busy']);
  });

  test.each([
    ['uninitialized', 'uninitialized', 'torc workflows init 1'],
    ['disabled', 'disabled', 'torc jobs reset-status 7 --reinit'],
    ['pending', 'claimed', undefined],
  ] as const)('a job that is %s has its own explanation', (status, code, next) => {
    expect(codes(job({ status }))).toEqual([code]);
    expect(explain(job({ status })).next[0]).toBe(next);
  });

  test.each([
    ['allocations', 'torc submit 1'],
    ['scripts', 'submit to the batch system a script that starts torc-slurm-job-runner for workflow 1'],
    ['anywhere', 'torc run 1'],
  ] as const)('a ready job without a runner that runs in %s names what starts one', (runsIn, next) => {
    const { workflow } = job();
    const place = { workflowId: 1, runsIn, submission: 'due' } as const;
    expect(explain(job({ workflow: { ...workflow, place }, runners: [] })).next).toEqual([next]);
  });

  it('a job of a canceled or archived workflow says this before any other reason', () => {
    const { workflow } = job();
    expect(codes(job({ workflow: { ...workflow, isCanceled: true } }))).toEqual(['workflow_canceled', 'no_runner']);
    expect(codes(job({ workflow: { ...workflow, isArchived: true } }))).toEqual(['workflow_archived', 'no_runner']);
  });
});

it('the explanation of a running job says where it runs and since when', () => {
  const reported = explain(job({ status: 'running', runningOn: 'n1', startedAt: '2026-03-01T12:00:00Z', attempt: 2 }));
  expect(reported).toMatchObject({
    kind: 'runs',
    headline: 'runs on n1 since 2026-03-01T12:00:00Z, attempt 2',
    reasons: [],
    next: [],
  });
});

it('a job whose runner has ended without reporting it is lost, and the next step takes it back', () => {
  const running = { status: 'running', runningOn: 'n1', startedAt: '2026-03-01T12:00:00Z', attempt: 2 } as const;
  expect(explain(job({ ...running, isLost: true }))).toMatchObject({
    kind: 'runs',
    headline: 'is lost: its runner on n1 has ended without reporting it',
    reasons: [
      { code: 'runner_lost', message: 'attempt 2 ran since 2026-03-01T12:00:00Z; no runner watches it any more' },
    ],
    next: ['take it back: torc run 1'],
  });
  expect(explain(job({ ...running, isLost: false })).headline).toContain('runs on n1');
});

const ended = (end: Partial<AttemptEnd>, over: Partial<JobFacts> = {}): JobFacts => {
  const whole: AttemptEnd = {
    status: 'failed',
    returnCode: 1,
    seconds: 12,
    attempt: 1,
    endedAt: '2026-03-01T12:00:00Z',
    peakMemoryBytes: undefined,
    hostname: 'n1',
    ...end,
  };
  return job({ status: whole.status, end: whole, ...over });
};

describe('the explanation of an ended job', () => {
  test.each<[string, Partial<AttemptEnd>, string, string]>([
    ['with its own exit code', { returnCode: 3, causeCode: 'exit' }, 'exit_code', 'the command itself ended with 3'],
    [
      'with 1 although its output is not there',
      { returnCode: 1, causeCode: 'exit' },
      'exit_code',
      'the command itself ended with 1',
    ],
    [
      'because it used too much memory',
      { returnCode: 137, causeCode: 'memory', cause: 'it used 2 of 1 GiB' },
      'out_of_memory',
      'it used more memory than it may: it used 2 of 1 GiB',
    ],
    [
      'because its runner was lost',
      { returnCode: -128, causeCode: 'lost', cause: 'allocation 7 ended NODE_FAIL' },
      'runner_lost',
      'its runner was lost while it ran: allocation 7 ended NODE_FAIL',
    ],
    [
      'with the step that carried it',
      { returnCode: 137, causeCode: 'node', cause: 'step 7.0 on n1, in which it ran, ended before it' },
      'ended_from_outside',
      'its node failed, or the process that started it was killed: step 7.0 on n1, in which it ran, ended before it',
    ],
    [
      'with its preempted allocation',
      { status: 'terminated', returnCode: 143, causeCode: 'allocation', cause: 'Slurm: PREEMPTED' },
      'ended_from_outside',
      'its allocation was being ended: Slurm: PREEMPTED',
    ],
    [
      'by a user who canceled its step',
      { returnCode: 137, causeCode: 'canceled', cause: 'user 1000 canceled its step' },
      'canceled_by_user',
      'a user canceled it: user 1000 canceled its step',
    ],
    [
      'on a full disk, which may be why it failed',
      { returnCode: 1, causeCode: 'disk', cause: shortageCause('space') },
      'no_room',
      'the command itself ended with 1 while there was no room for its output: the disk of its output was full when it ended',
    ],
    [
      'at the limit of its failure handler',
      { returnCode: 137, causeCode: 'memory', cause: 'it had 400m', handlerLimit: 'max' },
      'out_of_memory',
      'it used more memory than it may: it had 400m',
    ],
    [
      'in a way that a runner of Torc does not report',
      { returnCode: 1 },
      'recorded',
      'the command itself ended with 1, or it did not write a declared output',
    ],
  ])('a job ended %s', (_, end, code, sentence) => {
    const { kind, headline, reasons, next } = explain(ended(end));
    const did = end.status === 'terminated' ? 'was terminated' : 'failed';
    expect([kind, headline]).toEqual(['ended', `${did} after 12.0s with exit code ${end.returnCode}`]);
    expect(reasons[0]).toEqual({ code, message: sentence });
    expect(next.length).toBeGreaterThan(0);
  });

  it('a missing output is reported with the paths of that attempt', () => {
    const facts = ended({ causeCode: 'missing_output', cause: 'out/a.txt' });
    expect(messages(facts)).toEqual(['it ended with 0 and did not write a declared output: out/a.txt']);
  });

  it('a job that was killed for its memory names peak and limit, also where its cause has no words', () => {
    const facts = ended({ returnCode: 137, causeCode: 'memory', peakMemoryBytes: 2 * GIBIBYTE });
    expect(messages(facts)).toEqual(['it used more memory than it may', 'it used 2 of 1 GiB']);
  });

  it('a job that ran out of time names its requested and its used time', () => {
    const facts = ended({ status: 'terminated', returnCode: 200, causeCode: 'time', seconds: 192 });
    expect(messages(facts)[1]).toBe('it asked for 1h 00m and had run for 3m 12s');
  });

  it('a job that was asked to end and ended with 0 is completed, with the reason and the command that runs it again', () => {
    const { headline, reasons, next } = explain(ended({ status: 'completed', returnCode: 0, causeCode: 'asked' }));
    expect([headline, reasons[0]?.code]).toEqual(['completed after 12.0s on n1', 'asked_to_end']);
    expect(next).toContain('run it again: torc jobs reset-status 7 --reinit');
  });

  it('a job that used more memory than it asked for is explained with the amounts also when it completed', () => {
    const greedy = ended({ status: 'completed', returnCode: 0, peakMemoryBytes: 3 * GIBIBYTE });
    expect(explain(greedy)).toMatchObject({
      headline: 'completed after 12.0s on n1',
      reasons: [{ code: 'memory_exceeded', message: 'it used more memory than it asked for: 3 of 1 GiB' }],
      next: ['ask for what it used: torc workflows correct-resources 1'],
    });
    expect(codes({ ...greedy, hasDefaultNeed: true })).toEqual([]);
    expect(codes(ended({ status: 'completed', returnCode: 0, peakMemoryBytes: GIBIBYTE }))).toEqual([]);
  });

  it('a completed job needs no further command', () => {
    expect(explain(ended({ status: 'completed', returnCode: 0 }))).toEqual({
      kind: 'ended',
      headline: 'completed after 12.0s on n1',
      reasons: [],
      attempts: [],
      next: [],
    });
  });

  it('a job in pending_failed waits for a decision of the user', () => {
    const reported = explain(ended({ status: 'pending_failed', returnCode: 3, causeCode: 'exit' }));
    expect(reported.headline).toBe('failed and waits for a decision; it failed after 12.0s with exit code 3');
    expect(reported.next[0]).toBe('run it again: torc jobs reset-status 7 --reinit');
  });

  it('a job canceled because of an upstream job names that job, and the next command explains it', () => {
    const reported = explain(
      job({
        status: 'canceled',
        dependencies: [other('a', 'completed'), other('bb', 'canceled')],
        cause: other('root', 'failed', 3),
      }),
    );
    expect(reported.headline).toBe('was canceled because root (job 4) failed with return code 3');
    expect(reported.reasons).toEqual([
      { code: 'canceled_by_dependency', message: 'bb (job 2) was canceled', job_id: 2 },
    ]);
    expect(reported.next[0]).toBe('torc jobs explain 4');
  });

  it('a job canceled with its workflow says whether it had started', () => {
    const canceled = { status: 'canceled', workflow: { ...job().workflow, isCanceled: true } } as const;
    expect(explain(job(canceled)).headline).toBe('was canceled before it began');
    expect(explain(job({ ...canceled, startedAt: 'noon' })).headline).toBe('was canceled while it ran (since noon)');
    expect(codes(job(canceled))).toEqual(['canceled_with_workflow']);
  });

  it('a job canceled alone says that a user did it, and how to run it again', () => {
    const reported = explain(job({ status: 'canceled' }));
    expect(reported.reasons.map(({ code }) => code)).toEqual(['canceled_by_user']);
    expect(reported.next).toEqual(['run it again: torc jobs reset-status 7 --reinit']);
  });

  it('a job canceled while it ran says how its attempt ended', () => {
    const reported = explain(ended({ status: 'canceled', returnCode: 143, causeCode: 'canceled' }));
    expect(reported.headline).toMatch(/^was canceled by a user while it ran/);
    expect(reported.reasons).toEqual([{ code: 'canceled_by_user', message: 'it ended with return code 143' }]);
  });

  it('a job without a result says that nothing is known about its end', () => {
    expect(explain(job({ status: 'failed' })).headline).toContain('nothing is known of how');
  });
});

it('the attempts of a job are listed for every status of it, with the run of its workflow for the one that runs', () => {
  const before = {
    run: 1,
    attempt: 1,
    status: 'failed',
    returnCode: 75,
    causeCode: 'exit',
    seconds: 2,
    endedAt: '2026-03-01T12:00:00Z',
    nodeId: 3,
    hostname: 'n1',
  } as const;
  for (const status of ['ready', 'running', 'failed'] as const)
    expect(explain(job({ status, attempt: 2, recorded: [before] })).attempts[0]).toMatchObject({
      run_id: 1,
      why: 'the command itself ended with 75',
    });
  expect(explain(job({ status: 'running', attempt: 2 })).attempts.at(-1)).toMatchObject({
    kind: 'runs',
    run_id: 2,
    attempt_id: 2,
  });
  expect(explain(job()).attempts).toEqual([]);
});
