import { expect, it, test } from 'vitest';
import { planned } from '../../../tests/spec/reading.ts';
import { noteText } from '../conversion.ts';
import { convertDriver, type DriverScript } from '../array/convert-driver.ts';
import { isDriver } from '../array/driver.ts';
import { slurmArrays } from './convert.ts';

const convertSlurmDriver = (script: DriverScript) => convertDriver(script, slurmArrays);

const FILES: Readonly<Record<string, string>> = {
  'prep.sbatch': '#!/bin/bash\n#SBATCH --job-name=prep\necho ref > ref\n',
  'align.sbatch': '#!/bin/bash\n#SBATCH --array=1-3\ncat ref > a.$SLURM_ARRAY_TASK_ID\n',
  'call.sbatch': '#!/bin/bash\n#SBATCH --array=1-3\ncat a.$SLURM_ARRAY_TASK_ID > c.$SLURM_ARRAY_TASK_ID\n',
  'collect.sbatch': '#!/bin/bash\ncat c.? > $1\n',
  'next.sbatch': '#!/bin/bash\n#SBATCH --job-name=prep\n#SBATCH --dependency=singleton\ntrue\n',
};
const convert = (...lines: string[]) =>
  convertSlurmDriver({
    text: ['#!/bin/bash', ...lines].join('\n'),
    path: 'submit.sh',
    readFile: (path) => FILES[path] ?? '',
  });
const jobsOf = (...lines: string[]) => {
  const { workflow } = convert(...lines);
  const { jobs } = planned(workflow);
  return [...Array(jobs.length).keys()].map((at) => `${jobs.at(at).name} < ${needs(workflow, jobs.at(at).name)}`);
};
/** What a job waits for, as the workflow file says it. */
const needs = (workflow: object, name: string) => {
  const entries = (workflow as { jobs: { name: string; depends_on?: string[]; depends_on_regexes?: string[] }[] }).jobs;
  const task = /_(\d+)$/.exec(name)?.[1] ?? '';
  const entry = entries.find((each) => each.name.replace('{task}', task) === name);
  return [
    ...(entry?.depends_on ?? []).map((each) => each.replace('{task}', task)),
    ...(entry?.depends_on_regexes ?? []),
  ].join(' ');
};

it('the scripts that a script submits become one workflow, in which --dependency is depends_on', () => {
  expect(
    jobsOf(
      'set -e',
      'prep=$(sbatch --parsable prep.sbatch)',
      'align=$(sbatch --parsable --dependency=afterok:$prep \\',
      '  align.sbatch)',
      "call=$(sbatch --dependency=aftercorr:${align} call.sbatch | awk '{print $4}')",
      'sbatch -d afterok:$prep:$call collect.sbatch out',
      'echo submitted',
    ),
  ).toEqual([
    'prep < ',
    ...['1', '2', '3'].map((task) => `align_${task} < prep`),
    ...['1', '2', '3'].map((task) => `call_${task} < align_${task}`),
    String.raw`collect < prep ^call_\d+$`,
  ]);
});

test.each([
  ['a call within a call', ['sbatch --dependency=afterok:$(sbatch --parsable prep.sbatch) collect.sbatch x']],
  ['backticks', ['id=`sbatch --parsable prep.sbatch`', 'sbatch --dependency=afterok:$id collect.sbatch x']],
  [
    'an id that is cut out of a text',
    ['out=$(sbatch prep.sbatch)', 'id=${out##* }', 'sbatch -d afterok:$id collect.sbatch x'],
  ],
])('%s gives the dependency', (_, lines) => {
  expect(jobsOf(...lines)).toEqual(['prep < ', 'collect < prep']);
});

it('a singleton waits for those before it with its name, and for no other one', () => {
  expect(jobsOf('sbatch prep.sbatch', 'sbatch collect.sbatch x', 'sbatch next.sbatch')).toEqual([
    'prep < ',
    'collect < ',
    'prep_2 < prep',
  ]);
});

it('options of the command line win over those of the script, and the words behind it are its arguments', () => {
  const { workflow } = convert('sbatch --array=5-6 --time=5 align.sbatch', 'sbatch collect.sbatch "all of it"');
  const { jobs } = planned(workflow);
  expect([...Array(jobs.length).keys()].map((at) => jobs.at(at).name)).toEqual(['align_5', 'align_6', 'collect']);
  expect(jobs.at(2).command).toBe("/bin/bash collect.sbatch 'all of it'");
});

test.each([
  [
    'for i in 1 2; do',
    'submit.sh:2: left out: for i in 1 2; do: loops and conditions are not followed; write each sbatch on a line of its own',
  ],
  [
    'sbatch prep_$i.sbatch',
    'submit.sh:2: left out: sbatch prep_$i.sbatch: the script of this sbatch is not known without running the shell',
  ],
  [
    'sbatch --dependency=afterok:$gone prep.sbatch',
    'submit.sh:2: left out: --dependency=afterok:$gone: no sbatch above gives $gone its value',
  ],
  [
    'mkdir -p out',
    'submit.sh:2: left out: mkdir -p out: it runs where the script is called, and is no job; run it before',
  ],
  ['sbatch --unheard=1 prep.sbatch', 'submit.sh:2: left out: --unheard=1: the converter does not know this option'],
  [
    'test -e x && sbatch prep.sbatch',
    'submit.sh:2: left out: test -e x && sbatch prep.sbatch: this sbatch is not followed; write it on a line of its own',
  ],
])('%s is reported at its place', (line, text) => {
  expect(convert(line).notes.map(noteText)).toContain(text);
});

test.each(['afterany', 'afternotok', 'after'])('%s starts what a workflow does not start, and is left out', (type) => {
  const { notes } = convert('id=$(sbatch --parsable prep.sbatch)', `sbatch --dependency=${type}:$id collect.sbatch x`);
  expect(notes.filter(({ isLeftOut }) => isLeftOut).map(({ found }) => found)).toEqual([type]);
});

it('limits of an array and licenses of the command line are those of the jobs of this submission', () => {
  const { workflow } = convert('sbatch --array=1-9%2 align.sbatch', 'sbatch -L matlab:2 call.sbatch');
  const [first, second] = workflow['jobs'] as readonly object[];
  expect(first).toMatchObject({ name: 'align_{task}', max_running: 2 });
  expect(first).not.toHaveProperty('licenses');
  expect(second).toMatchObject({ name: 'call_{task}', licenses: { matlab: 2 } });
  expect(second).not.toHaveProperty('max_running');
  expect(planned(workflow).jobs.length).toBe(12);
});

it('a batch script is none that submits others, also where it names sbatch', () => {
  expect(isDriver('#!/bin/bash\nsbatch a.sbatch\n', slurmArrays)).toBe(true);
  expect(isDriver('#!/bin/bash\n#SBATCH --array=1-3\nsbatch a.sbatch\n', slurmArrays)).toBe(false);
  expect(isDriver('#!/bin/bash\n# then: sbatch a.sbatch\necho sbatch is not called\n', slurmArrays)).toBe(false);
});
