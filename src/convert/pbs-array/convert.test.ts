import { describe, expect, it, test } from 'vitest';
import { planned } from '../../../tests/spec/reading.ts';
import { type ArrayScript, convertArray } from '../array/convert.ts';
import { convertDriver, type DriverScript } from '../array/convert-driver.ts';
import { isDriver } from '../array/driver.ts';
import { readIndices } from '../array/indices.ts';
import { leavesOut, noteText } from '../conversion.ts';
import { pbsArrays } from './convert.ts';

const convertPbsArray = (script: ArrayScript) => convertArray(script, pbsArrays);
const convertPbsDriver = (script: DriverScript) => convertDriver(script, pbsArrays);

const script = (directives: readonly string[], body = 'cd $PBS_O_WORKDIR; echo "$PBS_ARRAY_INDEX"') =>
  ['#!/bin/bash', ...directives.map((each) => `#PBS ${each}`), body, ''].join('\n');
const convert = (directives: readonly string[], body?: string) =>
  convertPbsArray({ text: script(['-J 1-3', ...directives], body), path: 'a.pbs' });
const needs = (...directives: string[]) => (convert(directives).workflow['resource_requirements'] as object[])[0];
const texts = (directives: readonly string[], body?: string) => convert(directives, body).notes.map(noteText);

it('an array script of PBS becomes a job for each task, which runs the script with the variables of a task', () => {
  const { workflow, notes } = convertPbsArray({
    text: script(['-N align', '-J 1-7:3%2', '-l select=1:ncpus=4:mem=8gb', '-l walltime=01:30:00']),
    path: 'jobs/align.pbs',
  });
  expect(notes.map(noteText)).toEqual(['jobs/align.pbs:6: note: $PBS_O_WORKDIR: "$PWD" stands for it']);
  const { jobs } = planned(workflow);
  expect([...Array(jobs.length).keys()].map((at) => jobs.at(at).name)).toEqual(['align_1', 'align_4', 'align_7']);
  expect(jobs.at(1)).toMatchObject({
    command: 'PBS_O_WORKDIR="$PWD" /bin/bash jobs/align.pbs',
    settings: { env: { PBS_ARRAY_INDEX: '4', NCPUS: '4', OMP_NUM_THREADS: '4' } },
  });
  expect(workflow).toMatchObject({
    jobs: [{ max_running: 2 }],
    resource_requirements: [{ name: 'align', num_cpus: 4, memory: '8g', runtime: 'PT1H30M' }],
  });
});

test.each(['', 'x', '5-5', '5', '5-1', '1-5:0', '1,3', '-3'])('-J %s is refused as qsub does', (array) => {
  expect(() => convertPbsArray({ text: script([]), path: 'a', array })).toThrow(
    expect.objectContaining({ code: 'CONVERSION_REFUSED' }),
  );
});

it('a range of as many tasks as PBS can number is taken without counting them out', () => {
  const { workflow } = convertPbsArray({ text: script([]), path: 'a', array: '0-2147483646' });
  expect(workflow).toMatchObject({ jobs: [{ parameters: { task: '0:2147483646' } }] });
  expect(readIndices('1-2147483646:2', pbsArrays.indexRules)).toMatchObject({
    count: 2 ** 30 - 1,
    least: 1,
    most: 2_147_483_645,
  });
});

it('a script without an array is refused, with what gives one', () => {
  expect(() => convertPbsArray({ text: script([]), path: 'a.pbs' })).toThrow(/#PBS -J.*--array 1-10/);
  expect(convertPbsArray({ text: script([]), path: 'a.pbs', array: '0-1' }).workflow).toMatchObject({
    jobs: [{ parameters: { task: '0:1' } }],
  });
});

describe('what a task of PBS needs', () => {
  it.each([
    ['-l select=2:ncpus=8:mem=16gb:ngpus=1:mpiprocs=8', { num_nodes: 2, num_cpus: 8, memory: '16g', num_gpus: 1 }],
    ['-l ncpus=2,mem=500mb,walltime=90', { num_cpus: 2, memory: '500m', runtime: 'PT2M' }],
    ['-l nodes=2:ppn=4,mem=8gb', { num_nodes: 2, num_cpus: 4, memory: '4g' }],
    ['-l select=1:ncpus=1:mem=100mw', { memory: '800m' }],
    ['-l select=ncpus=3:mem=1gb', { num_cpus: 3, memory: '1g' }],
  ])('%s', (text, expected) => {
    expect(needs(text)).toMatchObject(expected);
  });

  it('several -l add up, and of one resource the last counts', () => {
    expect(needs('-l select=1:ncpus=2:mem=1gb', '-l walltime=60', '-l walltime=120')).toMatchObject({
      num_cpus: 2,
      runtime: 'PT2M',
    });
  });

  it('what is not limited in PBS, and chunks that differ, are said', () => {
    expect(texts(['-l select=1:ncpus=2']).join('\n')).toContain('no mem: PBS limits none then; each job asks for 2g');
    expect(texts(['-l select=1:ncpus=8:mem=1gb+2:ncpus=2:mem=1gb']).join('\n')).toContain('its chunks differ');
    expect(needs('-l select=1:ncpus=8:mem=1gb+2:ncpus=2:mem=2gb')).toMatchObject({
      num_nodes: 3,
      num_cpus: 8,
      memory: '2g',
    });
    expect(leavesOut(convert(['-l select=1:mem=1.5gb']))).toBe(true);
  });
});

it('a script that does not go to the folder of its submission runs in the home of the user, as PBS starts it', () => {
  expect(convert([], 'echo $PBS_ARRAY_INDEX').workflow).toMatchObject({
    jobs: [{ command: 'cd && /bin/bash "$OLDPWD"/a.pbs' }],
  });
});

it.each(['cat "$PBS_O_WORKDIR"/list', 'echo cd; ls $PBS_O_WORKDIR', 'export IN=$PBS_O_WORKDIR/in'])(
  'a script that names the folder of its submission and does not go there runs in the home: %s',
  (body) => {
    const { workflow, notes } = convert([], body);
    expect(workflow).toMatchObject({
      jobs: [{ command: 'cd && PBS_O_WORKDIR="$OLDPWD" /bin/bash "$OLDPWD"/a.pbs' }],
    });
    expect(notes.map(noteText).join()).toContain('$PBS_O_WORKDIR: "$OLDPWD" stands for it');
  },
);

it.each([
  'cd "${PBS_O_WORKDIR:-.}" || exit',
  '[ -n "$PBS_O_WORKDIR" ] && cd $PBS_O_WORKDIR',
  "os.chdir(os.environ['PBS_O_WORKDIR'])",
])('a script that goes to the folder of its submission runs in that of the jobs: %s', (body) => {
  expect(convert([], body).workflow).toMatchObject({ jobs: [{ command: 'PBS_O_WORKDIR="$PWD" /bin/bash a.pbs' }] });
});

it('a script without a program behind #! is run by bash, and one with another program by that', () => {
  const text = '#PBS -J 1-2\ncd $PBS_O_WORKDIR; true\n';
  expect(convertPbsArray({ text, path: 'a.pbs' }).workflow).toMatchObject({
    jobs: [{ command: 'PBS_O_WORKDIR="$PWD" /bin/bash a.pbs' }],
  });
  expect(convertPbsArray({ text: `#!/usr/bin/env python3\n${text}`, path: 'a.pbs' }).workflow).toMatchObject({
    jobs: [{ command: 'PBS_O_WORKDIR="$PWD" /usr/bin/env python3 a.pbs' }],
  });
});

test.each([
  ['-q workq', 'note', 'pbs_schedulers'],
  ['-l place=scatter', 'note', 'pbs_schedulers'],
  ['-j oe', 'note', 'torc_output/job_stdio'],
  ['-V', 'note', 'the environment of the runner'],
  ['-m abe', 'note', 'does not change'],
  ['-W umask=022', 'note', 'umask'],
  ['-S /bin/csh', 'left out', '#!'],
  ['-W depend=afterok:12.pbs', 'left out', 'depends_on'],
  ['-W stagein=a@b:c', 'left out', 'does not know'],
  ['-t 1-3', 'left out', 'does not know'],
])('the report says what becomes of %s', (option, kind, words) => {
  const said = texts([option]).find((text) => text.includes(option));
  expect(said).toContain(`${kind}: ${option}`);
  expect(said).toContain(words);
});

it('variables and programs that have no counterpart are left out by name', () => {
  expect(texts([], 'cd $PBS_O_WORKDIR; mpirun -f $PBS_NODEFILE x; pbsdsh y').join('\n')).toMatch(
    /left out: \$PBS_NODEFILE[^]*left out: pbsdsh/,
  );
});

it('values of -v and -r y are carried over', () => {
  expect(convert(["-v 'A=1,B=two words,C'", '-r y']).workflow).toMatchObject({
    jobs: [{ command: expect.stringContaining("A=1 B='two words' /bin/bash a.pbs"), failure_handler: 'a' }],
    failure_handlers: [{ on_node_fail: 'retry' }],
  });
});

it('a script that submits several becomes one workflow, whose jobs wait as -W depend says', () => {
  const text = [
    '#!/bin/bash',
    'count=$(qsub count.pbs)',
    'id=${count%%.*}',
    'qsub -W depend=afterok:$id -N collect collect.pbs',
    '',
  ].join('\n');
  expect(isDriver(text, pbsArrays)).toBe(true);
  expect(isDriver(script(['-J 1-3']), pbsArrays)).toBe(false);
  const files: Record<string, string> = {
    'count.pbs': script(['-J 1-3']),
    'collect.pbs': script([], 'cd $PBS_O_WORKDIR; cat *.count'),
  };
  const { workflow, notes } = convertPbsDriver({ text, path: 'go.sh', readFile: (path) => files[path] as string });
  expect(notes.filter(({ isLeftOut }) => isLeftOut)).toEqual([]);
  expect(workflow).toMatchObject({
    description: 'go.sh, which submits to PBS',
    jobs: [{ name: 'count_{task}' }, { name: 'collect', depends_on_regexes: [String.raw`^count_\d+$`] }],
  });
});

it('a dependency that is no success is left out, and so is a loop around qsub', () => {
  const text = 'a=$(qsub a.pbs)\nqsub -W depend=afternotok:$a b.pbs\nfor i in 1 2; do qsub -v I=$i c.pbs; done\n';
  const { notes } = convertPbsDriver({ text, path: 'go.sh', readFile: () => script(['-J 1-3']) });
  const left = notes.filter(({ isLeftOut }) => isLeftOut).map(noteText);
  expect(left.join('\n')).toMatch(/afternotok[^]*for i in 1 2; do qsub/);
});
