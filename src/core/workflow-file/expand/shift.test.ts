import { expect, it } from 'vitest';
import { codesOf, jobsOf, planned, read, readText } from '../../../../tests/spec/reading.ts';
import { each } from '../../lists/sequence.ts';

const chain = (more: object, i: unknown = '1:3') => ({
  jobs: [{ name: 'step_{i}', command: 'x', parameters: { i }, ...more }],
});

it('each job of a chain waits for the one before it, and the first one for none', () => {
  expect(jobsOf(chain({ depends_on: ['step_{i-1}'] })).map(({ dependsOn }) => [...dependsOn])).toEqual([[], [0], [1]]);
  expect(jobsOf(chain({ depends_on: ['step_{i+1}'] })).map(({ dependsOn }) => [...dependsOn])).toEqual([[1], [2], []]);
  const padded = chain({ name: 'step_{i:03d}', depends_on: ['step_{i-1:03d}'] });
  expect(jobsOf(padded).map(({ dependsOn }) => [...dependsOn])).toEqual([[], [0], [1]]);
});

it('a range with a step shifts by numbers, not by positions', () => {
  expect(jobsOf(chain({ depends_on: ['step_{i-10}'] }, '0:20:10')).map(({ dependsOn }) => [...dependsOn])).toEqual([
    [],
    [0],
    [1],
  ]);
  expect(codesOf(read(chain({ depends_on: ['step_{i-1}'] }, '0:20:10')))).toContain(
    'REFERENCE_UNKNOWN jobs[0].depends_on[0]',
  );
});

it('the input of the first job is left out, in its command too; an output has its number whatever it is', () => {
  const plan = planned(
    chain({
      command: "awk '{i-1}' ${input.0} > ${output.0}",
      inputs: ['s/{i-1:02d}.txt'],
      outputs: ['s/{i:02d}.txt', 's/log_{i+1}'],
    }),
  );
  expect([...each(plan.files)].map(({ path }) => path).toSorted()).toEqual([
    's/01.txt',
    's/02.txt',
    's/03.txt',
    's/log_2',
    's/log_3',
    's/log_4',
  ]);
  expect([...each(plan.jobs)].map(({ command, inputFiles }) => [command, inputFiles.length])).toEqual([
    ["awk '{i-1}'  > s/01.txt", 0],
    ["awk '{i-1}' s/01.txt > s/02.txt", 1],
    ["awk '{i-1}' s/02.txt > s/03.txt", 1],
  ]);
});

it('in a product only the shifted parameter moves', () => {
  const spec = chain({ name: 's_{m}_{i}', parameters: { m: '[a, b]', i: '1:2' }, depends_on: ['s_{m}_{i-1}'] });
  expect(jobsOf(spec).map(({ dependsOn }) => [...dependsOn])).toEqual([[], [0], [], [2]]);
});

it('a parameter that is no range of whole numbers cannot be shifted, and the token is named with its place', () => {
  const text = `name: w
jobs:
  - { name: 'a_{i}', command: x, parameters: { i: '[1, 2, 4]' }, inputs: ['f{i-1}'] }
`;
  expect(readText(text).problems.map(({ code, line, column, message }) => [code, line, column, message])).toEqual([
    [
      'PARAMETER_MALFORMED',
      3,
      77,
      "{i-1} needs a parameter that is a range of whole numbers, such as 1:10; 'i' is none",
    ],
  ]);
});

it('commands keep such a text, and so do names that are no references', () => {
  expect(
    jobsOf(chain({ name: 'a_{i}_{i-1}', command: 'echo {i-1}' }, '1')).map(({ name, command }) => [name, command]),
  ).toEqual([['a_1_{i-1}', 'echo {i-1}']]);
});
