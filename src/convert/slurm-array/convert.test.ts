import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { planned } from '../../../tests/spec/reading.ts';
import { leavesOut, noteText } from '../conversion.ts';
import { type ArrayScript, convertArray } from '../array/convert.ts';
import { readIndices } from '../array/indices.ts';
import { slurmArrays } from './convert.ts';

const convertSlurmArray = (script: ArrayScript) => convertArray(script, slurmArrays);

const script = (directives: readonly string[], body = 'echo "$SLURM_ARRAY_TASK_ID"'): string =>
  ['#!/bin/bash', ...directives.map((each) => `#SBATCH ${each}`), body, ''].join('\n');
const convert = (directives: readonly string[], body?: string) =>
  convertSlurmArray({ text: script(['--array=1-3', ...directives], body), path: 'a.sbatch' });
const needs = (...directives: string[]) => (convert(directives).workflow['resource_requirements'] as object[])[0];
const texts = (directives: readonly string[], body?: string) => convert(directives, body).notes.map(noteText);

it('an array script becomes a job for each task, which runs the script with the variables of a task', () => {
  const { workflow, notes } = convertSlurmArray({
    text: script(['--array=1-7:3', '-J align', '--cpus-per-task=4', '--mem=8G', '-t 90']),
    path: 'jobs/align.sbatch',
  });
  expect(notes).toEqual([]);
  const { jobs } = planned(workflow);
  expect([...Array(jobs.length).keys()].map((at) => jobs.at(at).name)).toEqual(['align_1', 'align_4', 'align_7']);
  expect(jobs.at(1)).toMatchObject({
    command: '/bin/bash jobs/align.sbatch',
    settings: {
      env: {
        SLURM_ARRAY_TASK_ID: '4',
        SLURM_ARRAY_TASK_COUNT: '3',
        SLURM_ARRAY_TASK_MAX: '7',
        SLURM_CPUS_PER_TASK: '4',
      },
    },
  });
  expect(workflow['resource_requirements']).toEqual([{ name: 'align', num_cpus: 4, memory: '8g', runtime: 'PT1H30M' }]);
});

test('the jobs of any list of tasks are the tasks that sbatch would run', () => {
  const range = fc
    .tuple(fc.nat(50), fc.nat(30), fc.integer({ min: 1, max: 9 }))
    .map(([from, more, by]) => ({ from, to: from + more, by }));
  fc.assert(
    fc.property(fc.array(range, { minLength: 1, maxLength: 4 }), (ranges) => {
      const text = ranges.map(({ from, to, by }) => `${from}-${to}:${by}`).join(',');
      const expected = new Set(
        ranges.flatMap(({ from, to, by }) =>
          [...Array(to - from + 1).keys()].filter((at) => at % by === 0).map((at) => from + at),
        ),
      );
      const { values, count } = readIndices(text, slurmArrays.indexRules);
      const { jobs } = planned({ jobs: [{ name: 'a_{task}', command: 'true', parameters: { task: values } }] });
      const found = [...Array(jobs.length).keys()].map((at) => Number(jobs.at(at).name.slice(2)));
      expect(found).toEqual([...expected].toSorted((a, b) => a - b));
      expect(count).toBe(expected.size);
    }),
    { numRuns: 50 },
  );
});

test.each(['', 'x', '5-1', '1-5:0', '1,,2', '-3'])('--array=%s is refused as sbatch does', (array) => {
  expect(() => convertSlurmArray({ text: script([]), path: 'a', array })).toThrow(
    expect.objectContaining({ code: 'CONVERSION_REFUSED' }),
  );
});

test('a task with a larger number than Slurm gives is refused with that number', () => {
  const over = () => convertSlurmArray({ text: script([]), path: 'a', array: '1,9000000' });
  expect(over).toThrow('--array=1,9000000 has task 9000000; Slurm numbers tasks up to 4000000');
});

test('lists with more tasks than an array can have are refused before they are counted out', () => {
  const array = Array.from({ length: 2_000 }, () => '0-4000000').join();
  const over = () => convertSlurmArray({ text: script([]), path: 'a', array });
  expect(over).toThrow('lists 8000002000 tasks; an array of Slurm has at most 4000001');
});

it('a script without #! or without tasks is refused, and tasks of the command line win', () => {
  const refused = (text: string) => () => convertSlurmArray({ text, path: 'a.sbatch' });
  expect(refused('#SBATCH --array=1-3\ntrue\n')).toThrow('begins with #!');
  expect(refused(script([]))).toThrow('--array 1-10');
  expect(refused(script([], 'true\n#SBATCH --array=1-3'))).toThrow('no line #SBATCH --array');
  const { workflow } = convertSlurmArray({ text: script(['--array=1-3']), path: 'a', array: '5' });
  expect(planned(workflow).jobs.length).toBe(1);
});

describe('what a task asks for becomes resource requirements', () => {
  test.each([
    [['-c 2', '--mem-per-cpu=2G'], { num_cpus: 2, memory: '4g' }],
    [['--ntasks=4', '--mem=500'], { num_cpus: 4, memory: '500m' }],
    [['-N 2', '--ntasks-per-node=8', '--mem=1T'], { num_cpus: 8, memory: '1t', num_nodes: 2 }],
    [['--mem=1G', '--gres=gpu:a100:2'], { num_cpus: 1, memory: '1g', num_gpus: 2 }],
    [['--mem=1G', '-G 4', '-N 2', '-n 2'], { num_cpus: 1, num_gpus: 2, num_nodes: 2 }],
    [['--mem=1G', '--time=1-02'], { runtime: 'PT26H' }],
    [['--mem=1G', '--time=30:30'], { runtime: 'PT31M' }],
    [['--mem=1G', '--time=2:00:00'], { runtime: 'PT2H' }],
  ])('the options %j become %j', (directives, expected) => expect(needs(...directives)).toMatchObject(expected));

  it('without --mem the report says what is asked for instead', () => {
    expect(needs('-c 3')).toMatchObject({ memory: '3g' });
    expect(texts(['-c 3'])).toEqual([expect.stringContaining('no --mem: ')]);
  });
});

describe('what may run at once', () => {
  it('a limit of the tasks that run at once is that of the jobs of the entry, and nothing is reported of it', () => {
    const { workflow, notes } = convertSlurmArray({ text: script(['--array=1-9%2']), path: 'a.sbatch' });
    expect(notes).toEqual([]);
    expect(workflow['jobs']).toMatchObject([{ max_running: 2 }]);
    expect(planned(workflow).jobs.length).toBe(9);
    const given = convertSlurmArray({ text: script(['--array=1-9%2']), path: 'a.sbatch', array: '1-5%3' });
    expect(given.workflow['jobs']).toMatchObject([{ max_running: 3 }]);
  });

  it.each(['1-9', '1-9%0'])('--array=%s limits nothing', (array) => {
    const { workflow } = convertSlurmArray({ text: script([]), path: 'a.sbatch', array });
    expect((workflow['jobs'] as object[])[0]).not.toHaveProperty('max_running');
  });

  it.each([
    [['--licenses=matlab:2,foo'], { matlab: 2, foo: 1 }],
    [['-L fluent@flexlm.example.org:4'], { 'fluent@flexlm.example.org': 4 }],
    [['-L foo,bar:2,foo:2'], { foo: 3, bar: 2 }],
    [['-L foo*4'], { foo: 4 }],
    [['-L sps', '--licenses=matlab'], { matlab: 1 }],
    [['-L foo:0,bar'], { bar: 1 }],
  ])('with %j each job holds %j, and the report asks how many there are', (directives, licenses) => {
    const { workflow, notes } = convert(directives);
    expect((workflow['jobs'] as { licenses: object }[])[0]?.licenses).toEqual(licenses);
    expect(planned(workflow).jobs.length).toBe(3);
    const [name = ''] = Object.keys(licenses);
    expect(notes.map(noteText)).toEqual([expect.stringContaining(`limits: { ${name}: N`)]);
    expect(notes[0]?.isLeftOut).toBe(false);
  });

  it('of several licenses those that a workflow can count are held, and the others are left out', () => {
    const conversion = convert(['-L matlab:2,cores']);
    expect((conversion.workflow['jobs'] as object[])[0]).toMatchObject({ licenses: { matlab: 2 } });
    expect(leavesOut(conversion)).toBe(true);
    expect((convert(['-L foo:0']).workflow['jobs'] as object[])[0]).not.toHaveProperty('licenses');
  });
});

describe('what is not the same in the workflow is reported with its line', () => {
  test.each([
    [['-p long'], undefined, 'a.sbatch:3: note: --partition=long: '],
    [['--output=%a.out'], undefined, 'a.sbatch:3: note: --output=%a.out: '],
    [['-d afterok:7'], undefined, 'a.sbatch:3: left out: --dependency=afterok:7: '],
    [['--no-such-option=3'], undefined, 'a.sbatch:3: left out: --no-such-option=3: '],
    [[], 'srun x $SLURM_ARRAY_TASK_ID', 'a.sbatch:3: left out: srun: '],
    [[], 'x $SLURM_ARRAY_TASK_ID $SLURM_TMPDIR', 'a.sbatch:3: left out: $SLURM_TMPDIR: '],
    [[], 'x $SLURM_ARRAY_TASK_ID > $SLURM_JOB_ID', 'a.sbatch:3: note: $SLURM_JOB_ID: '],
    [[], 'x $SLURM_ARRAY_TASK_ID "$1"', 'a.sbatch:3: left out: an argument of the script'],
    [['-t 60', '--mem=1G', '--time-min=10'], undefined, 'a.sbatch:5: note: --time-min=10: '],
    [['--mail-type=END'], undefined, 'a.sbatch:3: note: --mail-type=END: '],
    [['-C avx512'], undefined, 'a.sbatch:3: note: --constraint=avx512: '],
    [['-L "matlab:1|octave:1"'], undefined, 'a.sbatch:3: left out: --licenses=matlab:1|octave:1: one of several'],
    [['-L matlab:two'], undefined, 'a.sbatch:3: left out: --licenses=matlab:two: "matlab:two" is no license'],
    [['-L'], undefined, 'a.sbatch:3: left out: --licenses: "" is no license'],
    [
      ['-L cores:2'],
      undefined,
      "a.sbatch:3: left out: --licenses=cores:2: licenses names 'cores', which every job holds",
    ],
    [['--exclusive'], undefined, 'a.sbatch:3: left out: --exclusive: '],
    [['--signal=B:USR1@60'], undefined, 'a.sbatch:3: left out: --signal=B:USR1@60: '],
    [[], 'x', 'a.sbatch: note: no $SLURM_ARRAY_TASK_ID in the script: '],
  ])('with the options %j and the command %s the report says "%s"', (directives, body, expected) => {
    const conversion = convert(directives, body);
    expect(conversion.notes.map(noteText)).toEqual([expect.stringContaining(expected)]);
    expect(leavesOut(conversion)).toBe(expected.includes('left out'));
  });

  it('a comment that looks like a directive is none, and nothing is reported of it', () => {
    expect(
      texts(['--mem=1G # --qos=x', '--mem=2G']).concat(texts([], '##SBATCH --qos=x\nx $SLURM_ARRAY_TASK_ID')),
    ).toEqual([]);
    expect(needs('--mem=1G # --qos=x', '--mem=2G')).toMatchObject({ memory: '2g' });
  });
});

it('the folder and the variables that sbatch was given are those of the jobs', () => {
  const { workflow } = convert([`--chdir='work dir'`, `--export='ALL,MODE=fast run'`]);
  expect(planned(workflow).jobs.at(0).command).toBe(`cd 'work dir' && MODE='fast run' /bin/bash "$OLDPWD"/a.sbatch`);
});

it('the folder from which a script with --chdir was submitted is the one before that', () => {
  const { workflow } = convert(['--chdir=work'], 'cat "$SLURM_SUBMIT_DIR"/list; x $SLURM_ARRAY_TASK_ID');
  expect(planned(workflow).jobs.at(0).command).toBe(
    'cd work && SLURM_SUBMIT_DIR="$OLDPWD" /bin/bash "$OLDPWD"/a.sbatch',
  );
});

it('the arguments of --args are those of the script, and $1 is not reported then', () => {
  const text = script(['--array=1-2'], 'run "$1" $SLURM_ARRAY_TASK_ID');
  const given = (args: string) => convertSlurmArray({ text, path: 'a.sbatch', args });
  const { workflow, notes } = given(`'two words' x`);
  expect(notes).toEqual([]);
  expect(planned(workflow).jobs.at(0).command).toBe(`/bin/bash a.sbatch 'two words' x`);
  expect(() => given(`'no end`)).toThrow(expect.objectContaining({ code: 'CONVERSION_REFUSED' }));
});

it('a script that asks to be requeued runs again when its node fails, one with --no-requeue does not', () => {
  const { workflow, notes } = convert(['--requeue']);
  expect(notes).toEqual([]);
  expect(planned(workflow).jobs.length).toBe(3);
  expect(workflow).toMatchObject({
    jobs: [{ failure_handler: 'a' }],
    failure_handlers: [{ name: 'a', on_node_fail: 'retry' }],
  });
  expect(convert(['--no-requeue']).workflow).not.toHaveProperty('failure_handlers');
});
