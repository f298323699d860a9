import { describe, expect, it } from 'vitest';
import {
  fitsBeside,
  leastMinutes,
  inheritedInputs,
  srunOptions,
  srunWords,
  type StepPlace,
  stepMinutes,
  tooManyCpus,
} from './srun.ts';

const GIBIBYTE = 2 ** 30;
const place: StepPlace = {
  jobId: 1,
  id: 'wf100_j42_r3_a5',
  nodes: ['n1'],
  isMultiNode: false,
  hasGpus: false,
  isLimited: true,
  bindsCpus: false,
  overlaps: false,
  timeMinutes: undefined,
  signal: undefined,
};
const need = (num_cpus: number, memory_bytes: number, num_nodes = 1, num_gpus = 0) => ({
  need: { num_cpus, memory_bytes, num_nodes, num_gpus, runtime_seconds: 60 },
});

describe('the options of srun for a step', () => {
  it('a step of one node has its size and its name, and no option that was not requested', () => {
    expect(srunOptions(need(4, 8 * GIBIBYTE), place)).toEqual([
      '--jobid=1',
      '--ntasks=1',
      '--cpu-bind=none',
      '--exact',
      '--job-name=wf100_j42_r3_a5',
      '--nodes=1',
      '--cpus-per-task=4',
      '--mem=8192M',
    ]);
  });

  it('a step overlaps others only where it has to', () => {
    expect(srunOptions(need(1, GIBIBYTE), place)).not.toContain('--overlap');
    expect(srunOptions(need(1, GIBIBYTE), { ...place, overlaps: true })).toContain('--overlap');
  });

  it('all options stand in the order of Torc', () => {
    const all = { ...place, bindsCpus: true, isMultiNode: true, hasGpus: true, timeMinutes: 28, signal: 'TERM@120' };
    expect(srunOptions(need(16, 32 * GIBIBYTE, 1, 2), all)).toEqual([
      '--jobid=1',
      '--ntasks=1',
      '--exact',
      '--job-name=wf100_j42_r3_a5',
      '--nodelist=n1',
      '--nodes=1',
      '--cpus-per-task=16',
      '--mem=32768M',
      '--gpus=2',
      '--time=28',
      '--signal=TERM@120',
    ]);
  });

  it('a step of several nodes has a task on each and the devices of all', () => {
    const options = srunOptions(need(8, 16 * GIBIBYTE, 2, 1), { ...place, isMultiNode: true, nodes: ['n1', 'n2'] });
    expect(options).toEqual(
      expect.arrayContaining(['--ntasks=2', '--nodes=2', '--ntasks-per-node=1', '--nodelist=n1,n2', '--gpus=2']),
    );
  });

  it.each<[string, number, string[]]>([
    ['less than a mebibyte is one', 100 * 1024, ['--mem=1M']],
    ['a mebibyte and a part are one', 1.5 * 2 ** 20, ['--mem=1M']],
    ['0 limits nothing', 0, []],
  ])('memory: %s', (_, bytes, expected) => {
    expect(srunOptions(need(1, bytes), place).filter((each) => each.startsWith('--mem'))).toEqual(expected);
  });

  it('a job with the default requirements has no CPUs and no memory of its own, but its devices', () => {
    const options = srunOptions(need(1, GIBIBYTE, 1, 1), { ...place, isLimited: false });
    expect(options.filter((each) => /^--(mem|cpus)/.test(each))).toEqual([]);
    expect(options).toContain('--gpus=1');
  });

  it('a job without GPUs gets none where the allocation has some, and no option where it has none', () => {
    expect(srunOptions(need(1, 0), { ...place, hasGpus: true })).toContain('--gpus=0');
    expect(srunOptions(need(1, 0), place).filter((each) => each.startsWith('--gpus'))).toEqual([]);
  });
});

describe('the time of a step', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');

  it('a step has the whole minutes until the headroom of the runner, and no limit without an end', () => {
    expect(stepMinutes({ id: 1 }, now, now + 30 * 60_000, 60)).toEqual({ minutes: 29 });
    expect(stepMinutes({ id: 1 }, now, now + 30 * 60_000 - 1, 60)).toEqual({ minutes: 28 });
    expect(stepMinutes({ id: 1 }, now, undefined, 60)).toEqual({});
  });

  it('a step is refused when less than a minute is left for it', () => {
    expect(stepMinutes({ id: 5 }, now, now + 120_000, 60)).toEqual({ minutes: 1 });
    expect(stepMinutes({ id: 5 }, now, now + 10_000, 60)).toEqual({
      refusal:
        'Refusing to launch srun step for job 5: only 10s remaining (0s usable after 60s sigkill headroom, need at least 60s)',
    });
  });
});

it('the variables that srun would take for options are not passed to it, and no others', () => {
  const inputs = ['SLURM_NTASKS', 'SLURM_NTASKS_PER_NODE', 'SLURM_NNODES', 'SLURM_MEM_PER_NODE', 'SLURM_GPUS_PER_NODE'];
  const more = [
    'SLURM_TRES_PER_TASK',
    'SLURM_CPU_BIND_TYPE',
    'SLURM_DISTRIBUTION',
    'SLURM_HINT',
    'PMI_RANK',
    'PMIX_ID',
  ];
  const kept = ['SLURM_JOB_ID', 'SLURM_CONF', 'SLURM_JOB_NODELIST', 'PATH', 'CUDA_HOME'];
  const environment = Object.fromEntries(
    [...inputs, ...more, ...kept, 'CUDA_VISIBLE_DEVICES'].map((each) => [each, '1']),
  );
  expect(inheritedInputs(environment)).toEqual([...inputs, ...more, 'CUDA_VISIBLE_DEVICES']);
});

const step = { shell: 'run', mark: '/m', output: { stdout: '/o', stderr: '/e' } };

it('a command that is a colon is no separator of srun', () => {
  expect(srunWords([], { ...step, command: ':' }).at(-1)).toBe(':\n');
  expect(srunWords([], { ...step, command: ': x' }).at(-1)).toBe(': x');
});

it('srun gets every word unchanged', () => {
  const command = `echo "it's" '$HOME' "a  b"; exit 3`;
  expect(srunWords(['--exact'], { ...step, command })).toEqual([
    'srun',
    '--exact',
    'bash',
    '-c',
    'run',
    '/m',
    '/o',
    '/e',
    command,
  ]);
});

it('a stream that is not kept is an empty word of srun', () => {
  const output = { stdout: '/o', stderr: undefined };
  expect(srunWords([], { ...step, output, command: 'a' }).slice(-3)).toEqual(['/o', '', 'a']);
});

it('srun gets the words of a command behind it, where bash changes none of them and none separates parts of a job', () => {
  const words = (...given: string[]) => srunWords([], { ...step, command: 'a b', words: given }).slice(7);
  expect(words('a', 'b')).toEqual(['a b', 'a', 'b']);
  expect(words('a', ':', 'b')).toEqual(['a b']);
});

describe('a step and what its allocation has', () => {
  it.each([
    ['5 CPUs of 4', 5, { cpus: 4 }, 'The step asks for 5 CPUs on a node, and allocation 7 has 4'],
    ['4 CPUs of 4', 4, { cpus: 4 }, undefined],
    ['5 CPUs, where another node has 8', 5, { cpus: 4, cpusPerNode: [4, 8] }, undefined],
    ['9 CPUs, where no node has more than 8', 9, { cpus: 4, cpusPerNode: [4, 8] }, /for 9 CPUs .* has 8$/],
    ['5 CPUs of an unknown number', 5, { cpus: undefined }, undefined],
  ])('a step that asks for %s', (_, count, granted, reason) => {
    const found = tooManyCpus(need(count, 0), { jobId: 7, ...granted });
    expect(found).toEqual(reason instanceof RegExp ? expect.stringMatching(reason) : reason);
  });

  const of = (...args: Parameters<typeof need>) => need(...args).need;
  const four = { nodes: 1, cpus: 4, memoryBytes: 4 * GIBIBYTE };
  it.each([
    ['the CPUs that are left', of(2, GIBIBYTE), [of(2, GIBIBYTE)], four, true],
    ['more CPUs than are left', of(3, GIBIBYTE), [of(2, GIBIBYTE)], four, false],
    ['more memory than is left', of(1, 3 * GIBIBYTE), [of(1, 2 * GIBIBYTE)], four, false],
    [
      'more than one node of two has left',
      of(2, GIBIBYTE, 2),
      [of(2, GIBIBYTE)],
      { ...four, nodes: 2, cpusPerNode: [4, 2] },
      true,
    ],
    [
      'more than two nodes have left',
      of(2, GIBIBYTE, 2),
      [of(3, GIBIBYTE)],
      { ...four, nodes: 2, cpusPerNode: [4, 2] },
      false,
    ],
    [
      'CPUs and memory of an unknown number',
      of(9, 9 * GIBIBYTE),
      [],
      { nodes: 1, cpus: undefined, memoryBytes: undefined },
      true,
    ],
  ])('a step that needs %s', (_, own, others, granted, isRoom) => {
    expect(fitsBeside(own, others, granted)).toBe(isRoom);
  });
});

it.each([
  ['the time of the runner, without a timeout', 30, undefined, 30],
  ['its timeout, the lead and at least a minute, which is less', 30, 100, 4],
  ['its timeout, in a runner without an end', undefined, 100, 4],
  ['the time of the runner, which is less than its timeout', 2, 3600, 2],
])('the time limit of a step is %s', (_, minutes, seconds, limit) => {
  expect(leastMinutes(minutes, seconds === undefined ? undefined : { seconds }, 30)).toBe(limit);
});
