import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../src/core/workflow-file/problems/problems.ts';
import { readText } from './reading.ts';

/** Ten different mistakes, one of each stage of reading. */
const yaml = `name: broken
variables:
  root: /data
jobs:
  - name: prepare
    command: prepare {rot}
    dependson: []
  - name: "work_{i}"
    command: work {i}
    parameters: {i: "1:x"}
  - name: train
    command: train
    priority: high
    depends_on: [preparre]
    resource_requirements: large
  - name: test
    command: test
    depends_on_regexes: ["("]
    labels: ["a,b"]
resource_requirements:
  - name: small
    num_cpus: 1
    memory: 4gb
actions:
  - trigger_type: on_start
    action_type: run_commands
    commands: [x]
`;

describe('a file with ten mistakes', () => {
  const { plan, problems } = readText(yaml);

  it('a file with ten mistakes has ten problems, each with its line, column and field', () => {
    expect(plan).toBeUndefined();
    expect(problems.map(({ code, line, column, path }) => `${line}:${column} ${path} ${code}`)).toEqual([
      '6:22 jobs[0].command TEMPLATE_UNDEFINED',
      '7:5 jobs[0].dependson FIELD_UNKNOWN',
      '13:15 jobs[2].priority TYPE_WRONG',
      '10:21 jobs[1].parameters.i PARAMETER_MALFORMED',
      '19:14 jobs[3].labels[0] LABEL_MALFORMED',
      '14:18 jobs[2].depends_on[0] REFERENCE_UNKNOWN',
      '18:26 jobs[3].depends_on_regexes[0] PATTERN_MALFORMED',
      '25:19 actions[0].trigger_type ACTION_REFUSED',
      '15:28 jobs[2].resource_requirements REFERENCE_UNKNOWN',
      '23:13 resource_requirements[0].memory REQUIREMENT_REFUSED',
    ]);
  });

  it('a file with ten mistakes says what was probably meant', () => {
    expect(
      problems.flatMap(({ path, suggestion }) => (suggestion === undefined ? [] : [`${path}: ${suggestion}`])),
    ).toEqual(['jobs[0].command: root', 'jobs[0].dependson: depends_on', 'jobs[2].depends_on[0]: prepare']);
  });

  it('a file with ten mistakes is printed as ten lines that an editor can follow', () => {
    expect(problems.map(formatProblem)[1]).toBe(
      'flow.yaml:7:5: jobs[0].dependson: unknown field `dependson`; did you mean "depends_on"?',
    );
    expect(problems.map(formatProblem).every((line) => /^flow\.yaml:\d+:\d+: \S/.test(line))).toBe(true);
  });
});

describe('the same mistakes in another format', () => {
  it('the same mistakes in another format have their places in JSON', () => {
    const text =
      '{\n  "name": "w",\n  "jobs": [\n    {"name": "a", "command": "x", "dependson": []},\n    {"name": 5, "command": "x"}\n  ]\n}';
    expect(readText(text, 'json').problems).toMatchObject([
      { line: 4, column: 35, path: 'jobs[0].dependson' },
      { line: 5, column: 14, path: 'jobs[1].name' },
    ]);
  });

  it('the same mistakes in another format have their places in JSON5', () => {
    const text = "{ // a comment\n  name: 'w', jobs: [\n    {name: 'a', command: 'x', depends_on: ['b']},\n  ]}";
    expect(readText(text, 'json5').problems).toMatchObject([{ line: 3, column: 44, code: 'REFERENCE_UNKNOWN' }]);
  });

  it('the same mistakes in another format have their places in KDL', () => {
    const text =
      'name "w"\njob "a" {\n  command "x"\n  depends_on "b"\n  env { BAD-NAME "x"; }\n}\nresource_requirements "r" {\n  num_cpus 0\n  memory "1g"\n}\n';
    expect(readText(text, 'kdl').problems).toMatchObject([
      { line: 5, column: 9, code: 'ENV_NAME_MALFORMED' },
      { line: 4, column: 14, code: 'REFERENCE_UNKNOWN' },
      { line: 8, column: 12, code: 'REQUIREMENT_REFUSED' },
    ]);
  });
});

it('a text of no format at all has one problem with its place', () => {
  expect(readText('name: w\njobs:\n  - [').problems).toMatchObject([{ code: 'SYNTAX', line: 3, severity: 'error' }]);
  expect(readText('{"name": }', 'json').problems).toMatchObject([{ code: 'SYNTAX', line: 1, column: 10 }]);
  expect(readText('name "w', 'kdl').problems).toMatchObject([{ code: 'SYNTAX', line: 1 }]);
});
