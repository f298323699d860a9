import { describe, expect, it, test } from 'vitest';
import { errorsOf, read } from '../../../../tests/spec/reading.ts';

const spec = (requirements: object, scheduler: object | undefined, job: object = {}, more: object = {}) => ({
  jobs: [{ name: 'a', command: 'x', resource_requirements: 'r', ...job }],
  resource_requirements: [{ name: 'r', num_cpus: 1, memory: '1g', runtime: 'PT1H', ...requirements }],
  ...(scheduler && { slurm_schedulers: [{ name: 's', account: 'a', walltime: '01:00:00', ...scheduler }] }),
  ...more,
});
const bound = { scheduler: 's' };

describe('a job that exceeds its scheduler', () => {
  test.each([
    [{ runtime: 'PT2H' }, {}, "Job 'a': runtime 'PT2H' (7200 s) exceeds scheduler 's' walltime '01:00:00' (3600 s)"],
    [
      { runtime: 'PT1H1S' },
      {},
      "Job 'a': runtime 'PT1H1S' (3601 s) exceeds scheduler 's' walltime '01:00:00' (3600 s)",
    ],
    [{ memory: '4g' }, { mem: '2g' }, "Job 'a': memory '4g' exceeds scheduler 's' mem '2g'"],
    [{ memory: '4g' }, { mem: '4096' }, "Job 'a': memory '4g' exceeds scheduler 's' mem '4096'"],
    [{ num_gpus: 2 }, { gres: 'gpu:1' }, "Job 'a': num_gpus 2 exceeds scheduler 's' gres 'gpu:1'"],
    [{ num_gpus: 1 }, { gres: 'nvme:1' }, "Job 'a': num_gpus 1 exceeds scheduler 's' gres 'nvme:1'"],
    [{ num_gpus: 1 }, { gres: 'gpu' }, "Job 'a': num_gpus 1 exceeds scheduler 's' gres 'gpu'"],
    [{ num_gpus: 1 }, { gres: 'gpu:x' }, "Job 'a': num_gpus 1 exceeds scheduler 's' gres 'gpu:x'"],
    [{ num_gpus: 2 }, { gres: 'gpu:1,gpu:2' }, "Job 'a': num_gpus 2 exceeds scheduler 's' gres 'gpu:1,gpu:2'"],
  ])('a job with %j is reported for the scheduler %j', (requirements, scheduler, line) => {
    expect(errorsOf(spec(requirements, scheduler, bound))).toEqual([line]);
  });

  it('a job that is a step is reported where its scheduler has no minute for it beside the headroom, with the sum', () => {
    const short = (walltime: string, execution_config: object) =>
      errorsOf(spec({ runtime: 'PT1M' }, { walltime }, bound, { execution_config }));
    expect(short('00:01:30', { mode: 'slurm' })).toEqual([
      "Job 'a': the time in which a job can start (runtime 00:01:00 + headroom 00:01:00 + lead 00:00:00 + start 00:01:30 = 00:03:30) exceeds scheduler 's' walltime '00:01:30' (90 s)",
    ]);
    expect(
      short('00:05:00', { mode: 'auto', srun_termination_signal: 'TERM@120', sigkill_headroom_seconds: 180 }),
    ).toEqual([expect.stringContaining('headroom 00:03:00 + lead 00:02:00')]);
    expect(short('00:03:00', { mode: 'slurm' })).toEqual([]);
    expect(short('00:01:30', { mode: 'direct' })).toEqual([]);
  });

  it('a job that exceeds its scheduler in every resource is reported for each', () => {
    expect(
      errorsOf(spec({ runtime: 'PT2H', memory: '4g', num_gpus: 2 }, { mem: '2g', gres: 'gpu:1' }, bound)),
    ).toHaveLength(3);
  });

  it('a job that exceeds its scheduler is an error of the dry run only, because it may be intended', () => {
    const { plan, problems } = read(spec({ runtime: 'PT2H' }, {}, bound));
    expect(plan).toBeDefined();
    expect(problems).toMatchObject([{ severity: 'warning', stage: 'resources', path: 'jobs[0].scheduler' }]);
  });
});

test.each([
  ['a runtime equal to the walltime', {}, {}, bound],
  ['memory and GPUs that the scheduler does not set', { memory: '900g', num_gpus: 9 }, {}, bound],
  ['GPUs where gres is empty', { num_gpus: 9 }, { gres: '' }, bound],
  ['GPUs among other resources', { num_gpus: 2 }, { gres: 'nvme:4,gpu:2' }, bound],
  ['no scheduler at all', { runtime: 'PT90H' }, undefined, {}],
  ['a job without requirements', { runtime: 'PT90H' }, {}, { resource_requirements: undefined }],
  ['a scheduler that another job may use', {}, {}, {}],
])('%s is accepted', (_what, requirements, scheduler, job) => {
  const jobs = Object.fromEntries(
    Object.entries({ name: 'a', command: 'x', resource_requirements: 'r', ...job }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  expect(errorsOf({ ...spec(requirements, scheduler), jobs: [jobs] })).toEqual([]);
});

describe('a job without a scheduler', () => {
  const slurm_schedulers = [
    { name: 's', account: 'a', walltime: '01:00:00', mem: '100g' },
    { name: 't', account: 'a', walltime: '10:00:00', mem: '1g' },
  ];

  it('a job without a scheduler is accepted if one scheduler has enough of every resource', () => {
    expect(errorsOf({ ...spec({ memory: '50g' }, undefined), slurm_schedulers })).toEqual([]);
  });

  it('a job without a scheduler is reported once if each scheduler lacks something', () => {
    expect(errorsOf({ ...spec({ runtime: 'PT2H', memory: '2g' }, undefined), slurm_schedulers })).toEqual([
      "Job 'a' has no explicit scheduler and no scheduler can accommodate its resource requirements. " +
        "Mismatches: ['s': runtime 7200 s > walltime 3600 s; 't': memory 2g > mem 1g]",
    ]);
  });
});

describe('a walltime', () => {
  test.each(['PT1H', '2h', '30m', 'abc', '', '1-', '1:2:3:4', 'UNLIMITED'])(
    'the walltime "%s" is reported as invalid',
    (walltime) => {
      expect(errorsOf(spec({ runtime: 'PT90H' }, { walltime }, bound))).toEqual([
        `Scheduler 's': invalid walltime '${walltime}'`,
      ]);
    },
  );

  it('the default walltime of a scheduler is an hour, and so is the default runtime', () => {
    const line = "Job 'a': runtime 'PT2H' (7200 s) exceeds scheduler 's' walltime '01:00:00' (3600 s)";
    const scheduler = [{ name: 's', account: 'a' }];
    expect(errorsOf({ ...spec({ runtime: 'PT2H' }, undefined, bound), slurm_schedulers: scheduler })).toEqual([line]);
    const requirements = [{ name: 'r', num_cpus: 1, memory: '1g' }];
    expect(errorsOf(spec({}, {}, bound, { resource_requirements: requirements }))).toEqual([]);
    expect(errorsOf(spec({}, { walltime: '30:00' }, bound, { resource_requirements: requirements }))[0]).toContain(
      "'PT1H' (3600 s)",
    );
  });
});

it('the requirements of each instance are checked', () => {
  const jobs = [
    { name: 'a_{i}', command: 'x', resource_requirements: 'r_{i}', scheduler: 's', parameters: { i: '1:3' } },
  ];
  const resource_requirements = [1, 2, 3].map((i) => ({ name: `r_${i}`, num_cpus: 1, memory: `${i}g` }));
  const slurm_schedulers = [{ name: 's', account: 'a', mem: '2g' }];
  expect(errorsOf({ jobs, resource_requirements, slurm_schedulers })).toEqual([
    "Job 'a_3': memory '3g' exceeds scheduler 's' mem '2g'",
  ]);
});

describe('an empty text', () => {
  test.each([
    [{}, { mem: '' }, ["Scheduler 's': invalid mem ''"]],
    [{}, { mem: ' ' }, ["Scheduler 's': invalid mem ' '"]],
    [{}, { walltime: '' }, ["Scheduler 's': invalid walltime ''"]],
    [{ memory: '' }, {}, ['Memory string cannot be empty']],
    [{ runtime: '' }, {}, ['Duration string cannot be empty']],
  ])('an empty text is not a number: %j on %j is refused', (requirements, scheduler, lines) => {
    expect(errorsOf(spec(requirements, scheduler, bound))).toEqual(lines);
  });

  it('an empty gres requests no generic resource', () => {
    expect(errorsOf(spec({}, { gres: '' }, bound))).toEqual([]);
  });
});

describe('an allocation of several nodes', () => {
  const actions = [
    { trigger_type: 'on_workflow_start', action_type: 'schedule_nodes', scheduler: 's', scheduler_type: 'slurm' },
  ];
  const errors = (jobNodes: number, nodes: number, job: object, more: object): readonly string[] =>
    errorsOf(spec({ num_nodes: jobNodes }, { nodes }, job, more));

  it('an allocation of several nodes takes jobs of one node and of its own size', () => {
    expect(errors(1, 4, bound, { actions })).toEqual([]);
    expect(errors(4, 4, bound, { actions })).toEqual([]);
  });

  it('an allocation of several nodes takes no job of another size', () => {
    expect(errors(3, 2, bound, { actions })[0]).toMatch(
      /^Scheduler node validation failed:\n {2}- Scheduler 's' allocates 2 nodes but jobs \(a\) request a different multi-node count/,
    );
  });

  it('the size of an allocation is checked only if an action requests it, and for bound jobs', () => {
    expect(errors(3, 2, bound, {})).toEqual([]);
    expect(errors(3, 2, {}, { actions })).toEqual([]);
    expect(errors(3, 1, bound, { actions })).toEqual([]);
  });
});
