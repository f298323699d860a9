import { expect, it } from 'vitest';
import { familyLimit } from '../../job/amounts.ts';
import { jobsOf, planned, read, readText } from '../../../../tests/spec/reading.ts';

const problems = (spec: object) => read(spec).problems.map(({ code, path, message }) => [code, path, message]);
const jobs = (fields: object) => [{ name: 'j', command: 'true', ...fields }];

const FILES = {
  yaml: `
name: w
limits: {matlab: 4, cores: 20}
resource_requirements:
  - {name: big, num_cpus: 4, memory: 1g, licenses: {gurobi: 1}}
jobs:
  - name: train_{i}
    command: "true"
    resource_requirements: big
    licenses: {matlab: 1}
    max_running: 6
    parameters: {i: "1:9"}
`,
  json5: `{name: 'w', limits: {matlab: 4, cores: 20},
  resource_requirements: [{name: 'big', num_cpus: 4, memory: '1g', licenses: {gurobi: 1}}],
  jobs: [{name: 'train_{i}', command: 'true', resource_requirements: 'big', licenses: {matlab: 1}, max_running: 6, parameters: {i: '1:9'}}]}`,
  kdl: `
name "w"
limits {
  matlab 4
  cores 20
}
resource_requirements "big" {
  num_cpus 4
  memory "1g"
  licenses { gurobi 1; }
}
job "train_{i}" {
  command "true"
  resource_requirements "big"
  licenses { matlab 1; }
  max_running 6
  parameters { i "1:9"; }
}
`,
} as const;

it.each(['yaml', 'json5', 'kdl'] as const)(
  'a file in %s says what jobs hold, how many of an entry run at a time, and the limits of the workflow',
  (format) => {
    const { plan, problems: found } = readText(FILES[format], format);
    expect(found).toEqual([]);
    const family = familyLimit('train_{i}');
    expect(plan?.workflow.limits).toEqual({ matlab: 4, cores: 20, [family]: 6 });
    expect(plan?.resourceRequirements[0]?.licenses).toEqual({ gurobi: 1 });
    expect(plan?.jobs.length).toBe(9);
    expect(plan?.jobs.at(8).settings.licenses).toEqual({ matlab: 1, [family]: 1 });
  },
);

it('a workflow without limits has none, and its jobs hold nothing', () => {
  const spec = { jobs: jobs({}) };
  expect(planned(spec).workflow).not.toHaveProperty('limits');
  expect(jobsOf(spec)[0]?.settings).toEqual({});
});

it('a sweep with max_running is one family: its jobs hold one each of the same limit, also without a license', () => {
  const spec = { jobs: jobs({ name: 'j_{a}_{b}', max_running: 2, parameters: { a: '1:2', b: '1:2' } }) };
  expect(jobsOf(spec).map(({ settings }) => settings.licenses)).toEqual(
    Array.from({ length: 4 }, () => ({ 'family:j_{a}_{b}': 1 })),
  );
});

it.each([
  [{ licenses: { cores: 1 } }, 'licenses', "names 'cores', which every job holds by its requirements"],
  [{ licenses: { memory: 1 } }, 'licenses', 'memory is not limited across machines'],
  [{ licenses: { 'a b': 1 } }, 'licenses', 'has the invalid name "a b": expected letters, digits'],
  [{ licenses: { matlab: -1 } }, 'licenses', 'licenses.matlab must be a whole number of 0 or more, got -1'],
  [{ licenses: { 'family:x': 1 } }, 'licenses', "names 'family:x'; write max_running in its place"],
  [{ max_running: 0 }, 'max_running', 'max_running must be >= 1, got 0'],
])('a job with %j is refused at its field', (fields, field, words) => {
  expect(problems({ jobs: jobs(fields) })).toEqual([
    ['LIMIT_REFUSED', `jobs[0].${field}`, expect.stringContaining(words)],
  ]);
});

it.each([
  [{ 'family:x': 1 }, 'limits["family:x"]', 'the limit of an entry of jobs is its max_running'],
  [{ cpus: 4 }, 'limits', "the number of CPUs in use is called 'cores'"],
  [{ matlab: -4 }, 'limits', 'limits.matlab must be a whole number of 0 or more, got -4'],
])('the limits %j are refused', (limits, path, words) => {
  expect(problems({ limits, jobs: jobs({}) })).toEqual([['LIMIT_REFUSED', path, expect.stringContaining(words)]]);
});

it('a job that holds more than the file allows is refused, with the name and both numbers; as much as it allows runs', () => {
  const limits = { matlab: 2 };
  expect(problems({ limits, jobs: jobs({ licenses: { matlab: 2 } }) })).toEqual([]);
  expect(problems({ limits, jobs: jobs({ licenses: { matlab: 3 } }) })).toEqual([
    ['LIMIT_REFUSED', 'jobs[0].licenses', 'a job holds 3 of matlab, and limits.matlab is 2: it could never run'],
  ]);
  const resource_requirements = [{ name: 'r', num_cpus: 1, memory: '1g', licenses: { matlab: 3 } }];
  const of = (more: object) =>
    problems({ limits, resource_requirements, jobs: jobs({ resource_requirements: 'r', ...more }) });
  expect(of({})).toHaveLength(1);
  expect(of({ licenses: { matlab: 1 } })).toEqual([]);
});

it('two entries with the same name share one limit, and are refused if they name two', () => {
  const entry = (i: string, max_running: number) => ({
    name: 'j_{i}',
    command: 'true',
    max_running,
    parameters: { i },
  });
  expect(problems({ jobs: [entry('1:2', 3), entry('3:4', 3)] })).toEqual([]);
  expect(problems({ jobs: [entry('1:2', 3), entry('3:4', 4)] })).toEqual([
    ['LIMIT_REFUSED', 'jobs[1].max_running', expect.stringContaining('4 here and 3 in another entry')],
  ]);
});
