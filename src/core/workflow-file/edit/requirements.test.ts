import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import type { ResourceRequirements } from '../../contract/resources.ts';
import { readSpec } from '../read/read.ts';
import type { Source, SpecFormat } from '../text/read-text.ts';
import { editRequirements, type RequirementsAdvice } from './requirements.ts';

const planOf = (source: Source) => {
  const { plan, problems } = readSpec(source, { readFile: () => '' });
  if (plan === undefined) throw new Error(JSON.stringify(problems));
  return plan;
};

const needs = (name: string, memory: string, runtime: string, cpus = 2) =>
  ({ id: 1, workflow_id: 1, name, num_cpus: cpus, memory, runtime }) as ResourceRequirements;

const before = needs('small', '400m', 'PT2H');
const lowered: RequirementsAdvice = {
  before,
  after: needs('small', '181m', 'PT1M', 1),
  isSplit: false,
  jobs: new Set(['part_1', 'part_2']),
};
const split: RequirementsAdvice = {
  before,
  after: needs('small_721m_PT2H', '721m', 'PT2H'),
  isSplit: true,
  jobs: new Set(['merge']),
};
const requirementsOf = new Map([
  ['part_1', 'small'],
  ['part_2', 'small'],
  ['merge', 'small'],
]);

const edit = (format: SpecFormat, text: string, advice = [lowered, split]) =>
  editRequirements({ name: `right.${format}`, text }, advice, { requirementsOf, planOf });

const yaml = `# Everything of the paper.
name: right
resource_requirements:
  # What most need.
  - { name: small, num_cpus: 2, memory: '400m', runtime: PT2H } # measured in May
jobs:
  - name: 'part_{i}'   # two of them
    command: 'true'
    resource_requirements: small
    parameters: { i: '1:2' }
  - { name: merge, command: 'true', resource_requirements: "small" }
`;

it('in YAML only the values change that the advice is about, in the quotes that they have, and comments stay', () => {
  const { text, diff } = edit('yaml', yaml);
  expect(text).toBe(
    yaml
      .replace('num_cpus: 2', 'num_cpus: 1')
      .replace(
        "'400m', runtime: PT2H } # measured in May",
        "'181m', runtime: PT1M } # measured in May\n  - { name: small_721m_PT2H, num_cpus: 2, memory: 721m, runtime: PT2H }",
      )
      .replace('"small"', '"small_721m_PT2H"'),
  );
  expect(diff).toEqual([
    '@@ -5 +5,2 @@',
    "-  - { name: small, num_cpus: 2, memory: '400m', runtime: PT2H } # measured in May",
    "+  - { name: small, num_cpus: 1, memory: '181m', runtime: PT1M } # measured in May",
    '+  - { name: small_721m_PT2H, num_cpus: 2, memory: 721m, runtime: PT2H }',
    '@@ -11 +12 @@',
    `-  - { name: merge, command: 'true', resource_requirements: "small" }`,
    `+  - { name: merge, command: 'true', resource_requirements: "small_721m_PT2H" }`,
  ]);
});

it('a record on several lines of YAML gets one on several lines beside it, and a runtime that was left to its default', () => {
  const text = `name: right
resource_requirements:
- name: small
  num_cpus: 2
  memory: 400m   # a guess
jobs:
- name: "part_{i}"
  command: a
  resource_requirements: small
  parameters: {i: "1:2"}
- name: merge
  command: b
  resource_requirements: small
`;
  const hour = needs('small', '400m', 'PT1H');
  const { text: edited } = edit('yaml', text, [
    { ...lowered, before: hour },
    { ...split, before: hour, after: needs('more', '721m', 'PT1H') },
  ]);
  expect(edited).toBe(
    text
      .replace('num_cpus: 2', 'num_cpus: 1')
      .replace(
        'memory: 400m   # a guess\n',
        'memory: 181m   # a guess\n  runtime: PT1M\n- name: more\n  num_cpus: 2\n  memory: 721m\n  runtime: PT1H\n',
      )
      .replace('command: b\n  resource_requirements: small', 'command: b\n  resource_requirements: more'),
  );
});

test.each([
  [
    'json',
    `{"name": "right", "resource_requirements": [
    {"name": "small", "num_cpus": 2, "memory": "400m", "runtime": "PT2H"}
  ],
  "jobs": [{"name": "part_{i}", "command": "a", "resource_requirements": "small", "parameters": {"i": "1:2"}},
    {"name": "merge", "command": "b", "resource_requirements": "small"}]}
`,
    '{ "name": "small_721m_PT2H", "num_cpus": 2, "memory": "721m", "runtime": "PT2H" }',
  ],
  [
    'json5',
    `// The paper.
{name: 'right', resource_requirements: [
    {name: 'small', num_cpus: 2, memory: '400m', runtime: 'PT2H', /* enough */},
  ],
  jobs: [{name: 'part_{i}', command: 'a', resource_requirements: 'small', parameters: {i: '1:2'}},
    {name: 'merge', command: 'b', resource_requirements: 'small'}]}
`,
    '{ name: "small_721m_PT2H", num_cpus: 2, memory: "721m", runtime: "PT2H" }',
  ],
  [
    'kdl',
    `name "right" // The paper.
resource_requirements "small" {
    num_cpus 2
    memory "400m"
    runtime "PT2H" // enough
}
job "part_{i}" {
    command "a"
    resource_requirements "small"
    parameters { i "1:2"; }
}
job "merge" { command "b"; resource_requirements "small"; }
`,
    'resource_requirements "small_721m_PT2H" { num_cpus 2; memory "721m"; runtime "PT2H" }',
  ],
] as const)('in %s comments, quotes and lines stay, too', (format, text, added) => {
  const { text: edited } = edit(format, text);
  expect(edited).toContain(added);
  for (const comment of text.match(/\/\/.*|\/\*.*?\*\//g) ?? []) expect(edited).toContain(comment);
  expect(edited).toMatch(/memory"?:? ['"]181m['"]/);
  expect(edited.split('\n').length).toBe(text.split('\n').length + 1);
  expect(edit(format, edited).diff).toEqual([]);
});

it('advice that the file has already is no difference, and changes nothing: a repetition after an interruption', () => {
  const { text } = edit('yaml', yaml);
  expect(edit('yaml', text)).toEqual({ text, diff: [] });
});

it('a file that asks for something else than the workflow is refused, with the line', () => {
  expect(() => edit('yaml', yaml.replace("'400m'", "'1g'"))).toThrow(
    expect.objectContaining({
      code: 'FILE_DIFFERS',
      message: expect.stringContaining(
        'right.yaml:5:5: small asks for 2 CPUs, 1g, PT2H; in the workflow it asks for 2 CPUs, 400m, PT2H',
      ),
    }),
  );
});

it('a file with a job that the workflow does not have, or without one that it has, is refused', () => {
  expect(() => edit('yaml', yaml.replace("'1:2'", "'1:3'"))).toThrow(
    'right.yaml:9:28: job part_3 has the requirements small; the workflow has no such job',
  );
  expect(() => edit('yaml', yaml.replace('name: merge', 'name: join'))).toThrow('the file has no job merge');
});

it('an entry that makes jobs of both kinds cannot be edited: the refusal has the line and the advice', () => {
  const some = { ...split, jobs: new Set(['part_2']) };
  expect(() => edit('yaml', yaml, [some])).toThrow(
    expect.objectContaining({
      code: 'FILE_UNEDITABLE',
      message: expect.stringMatching(/^right\.yaml:9:28: .*\n {2}small_721m_PT2H \(1 job\): 2 CPUs, 721m, PT2H$/),
    }),
  );
});

it('a name that jobs share through an anchor is not changed for those that keep it', () => {
  const shared = yaml
    .replace('resource_requirements: small\n', 'resource_requirements: *needs\n')
    .replace('jobs:\n', `jobs:\n  - { name: merge, command: 'true', resource_requirements: &needs small }\n`)
    .replace(/ {2}- \{ name: merge, command: 'true', resource_requirements: "small" \}\n/, '');
  expect(() => edit('yaml', shared)).toThrow(expect.objectContaining({ code: 'FILE_UNEDITABLE' }));
});

test('whatever stands around the values, an edited YAML file reads as advised and loses no line', () => {
  const blank = fc.constantFrom('', ' ', '   ');
  const comment = fc.constantFrom('', '# a: b', "# it's {x}", '# - name: x');
  const quote = fc.constantFrom('', "'", '"');
  fc.assert(
    fc.property(blank, comment, quote, fc.boolean(), fc.constantFrom('\n', '\r\n'), (gap, note, mark, isFlow, end) => {
      const record = isFlow
        ? `  - {name: small${gap}, num_cpus: 2,${gap} memory: ${mark}400m${mark}, runtime: PT2H${gap}} ${note}`
        : `  - name: small ${note}\n    num_cpus: 2\n${note}\n    memory: ${mark}400m${mark} ${note}\n    runtime: ${gap}PT2H ${note}`;
      const text = `name: right\nresource_requirements:\n${record}\n${note}\njobs:\n${yaml.split('jobs:\n')[1]}`
        .split('\n')
        .join(end);
      const { text: edited } = edit('yaml', text);
      expect(edited.split('# ').length).toBe(text.split('# ').length);
      expect(edit('yaml', edited).diff).toEqual([]);
    }),
  );
});
