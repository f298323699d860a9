import { expect, it } from 'vitest';
import { jobsOf, read, readText } from '../../../../tests/spec/reading.ts';

const jobs = [
  { name: 'a_{x}', command: "awk '{print}' {x} {y:02d}", outputs: ['o_{x}_{y}'], env: { Z: '${x}' } },
  { name: 'b', command: 'echo ${x}' },
  { name: 'c_{x}', command: 'true', use_parameters: [] as string[] },
];
const parameters = { y: '[1]', x: '[p, q]' };

it('with use_parameters: all an entry is expanded by the parameters that it names, as if it listed them', () => {
  const listed = [{ ...jobs[0], use_parameters: ['y', 'x'] }, jobs[1], jobs[2]];
  expect(jobsOf({ parameters, use_parameters: 'all', jobs })).toEqual(jobsOf({ parameters, jobs: listed }));
  expect(jobsOf({ parameters, use_parameters: 'all', jobs }).map(({ name }) => name)).toEqual([
    'a_p',
    'a_q',
    'b',
    'c_{x}',
  ]);
});

it('without it an entry is not expanded, and the warning says what to write', () => {
  const messages = read({ parameters, jobs: jobs.slice(0, 1) }).problems.map(({ message }) => message);
  expect(messages).toContain('{x} stays as it is: to use the parameter of the workflow, add use_parameters: [x]');
});

it('it stands at the top in KDL, too, and any other word is a problem', () => {
  const kdl = 'name "w"\nuse_parameters "all"\nparameters {\n  x "1:2"\n}\njob "a_{x}" {\n  command "true"\n}\n';
  expect(readText(kdl, 'kdl').plan?.jobs.length).toBe(2);
  expect(read({ use_parameters: 'some' }).problems.map(({ code, path }) => [code, path])).toEqual([
    ['CHOICE_UNKNOWN', 'use_parameters'],
  ]);
});
