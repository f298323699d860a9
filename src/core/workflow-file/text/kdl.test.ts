import { describe, expect, it, test } from 'vitest';
import { codesOf, readText } from '../../../../tests/spec/reading.ts';
import type { Complaint } from '../problems/problems.ts';
import { each } from '../../lists/sequence.ts';
import { readKdl, openBrace, tooDeep } from './kdl.ts';
import { plainJson } from './value.ts';

const value = (text: string) => plainJson(readKdl(text, () => {}).value);
const complaints = (text: string): string[] => {
  const found: Complaint[] = [];
  readKdl(text, (complaint) => found.push(complaint));
  return found.map(({ code, offset }) => `${code}@${offset}`);
};

describe('a KDL file', () => {
  it('a KDL file has the same value as the same workflow in YAML', () => {
    const kdl = value(`
      name "w"
      parameters { i "1:3" }
      variables { base "/data" }
      env { A "1"; B "2" }
      use_pending_failed #true
      job "j_{i}" {
        command "run"
        invocation_script "wrap"
        env { C "3" }
        labels "gpu" "big"
        use_parameters "i"
        parameter_mode "zip"
        depends_on "a"; depends_on "b"
        depends_on_regexes "^c"
        input_file "f"
        output_user_data "u"
        cancel_on_blocking_job_failure #false
        stdio { mode "combined"; delete_on_success #true }
      }
      file "f" path="p" identifier="urn:f"
      file "g" { path "q"; identifier "urn:g" }
      user_data "u" { is_ephemeral #true; data "{\\"k\\": [1]}" }
      resource_requirements "r" { num_cpus 2; memory "1g"; runtime "PT1H" }
      failure_handler "h" { rule { exit_codes 1 2 3; max_retries 2 }; rule { match_all_exit_codes #true } }
      slurm_scheduler "s" { account "a"; nodes 2; serialize_allocations #true }
      slurm_defaults { qos "high"; exclusive #true; nice 5 }
      action { trigger_type "on_jobs_ready"; action_type "run_commands"; job "a"; jobs "b" "c"; command "x"; command "y" }
      resource_monitor { sample_interval_seconds 5; jobs { enabled #true; granularity "summary" }; compute_node { cpu #false } }
      execution_config { mode "direct"; sigterm_lead_seconds 5; stdio { mode "none" } }
    `);
    expect(kdl).toEqual({
      name: 'w',
      parameters: { i: '1:3' },
      variables: { base: '/data' },
      env: { A: '1', B: '2' },
      use_pending_failed: true,
      jobs: [
        {
          name: 'j_{i}',
          command: 'run',
          invocation_script: 'wrap',
          env: { C: '3' },
          labels: ['gpu', 'big'],
          use_parameters: ['i'],
          parameter_mode: 'zip',
          depends_on: ['a', 'b'],
          depends_on_regexes: ['^c'],
          input_files: ['f'],
          output_user_data: ['u'],
          cancel_on_blocking_job_failure: false,
          stdio: { mode: 'combined', delete_on_success: true },
        },
      ],
      files: [
        { name: 'f', path: 'p', identifier: 'urn:f' },
        { name: 'g', path: 'q', identifier: 'urn:g' },
      ],
      user_data: [{ name: 'u', is_ephemeral: true, data: { k: [1] } }],
      resource_requirements: [{ name: 'r', num_cpus: 2, memory: '1g', runtime: 'PT1H' }],
      failure_handlers: [
        { name: 'h', rules: [{ exit_codes: [1, 2, 3], max_retries: 2 }, { match_all_exit_codes: true }] },
      ],
      slurm_schedulers: [{ name: 's', account: 'a', nodes: 2, serialize_allocations: true }],
      slurm_defaults: { qos: 'high', exclusive: true, nice: 5 },
      actions: [
        { trigger_type: 'on_jobs_ready', action_type: 'run_commands', jobs: ['a', 'b', 'c'], commands: ['x', 'y'] },
      ],
      resource_monitor: {
        sample_interval_seconds: 5,
        jobs: { enabled: true, granularity: 'summary' },
        compute_node: { cpu: false },
      },
      execution_config: { mode: 'direct', sigterm_lead_seconds: 5, stdio: { mode: 'none' } },
    });
  });

  it('a KDL file may use bare words, semicolons, raw and multi-line strings, and slash-dash', () => {
    const text = 'name w; job a { command #"echo "x""#; /-depends_on b\n}\njob c { command """\n  one\n  two\n  """ }';
    expect(value(text)).toEqual({
      name: 'w',
      jobs: [
        { name: 'a', command: 'echo "x"' },
        { name: 'c', command: 'one\ntwo' },
      ],
    });
  });

  it('a KDL file may contain fields that cannot change the graph, which Torc ignores', () => {
    const text =
      'project "p"\nenable_ro_crate #true\naccess_groups "g" "h"\ndynamic_jobs { max_iterations 3 }\nmetadata { team "t" }\njob "a" { priority 5 }';
    expect(value(text)).toEqual({
      project: 'p',
      enable_ro_crate: true,
      access_groups: ['g', 'h'],
      dynamic_jobs: { max_iterations: 3 },
      metadata: { team: 't' },
      jobs: [{ name: 'a', priority: 5 }],
    });
  });

  it('a KDL file without jobs has an empty list', () => expect(value('name "w"')).toEqual({ name: 'w', jobs: [] }));
});

describe('parts of KDL that Torc ignores silently', () => {
  test.each([
    ['job "a" { input_files "x" }', 'KDL_NODE_IGNORED@10'],
    ['job "a" { priorty 5 }', 'KDL_NODE_IGNORED@10'],
    ['jobs { job "a" }', 'KDL_NODE_IGNORED@0'],
    ['job "a" { depends_on_regexes "x" "y" }', 'KDL_VALUE_IGNORED@33'],
    ['job "a" "b"', 'KDL_VALUE_IGNORED@8'],
    ['job "a" command="e"', 'KDL_VALUE_IGNORED@8'],
    ['job "a" { command 5 }', 'KDL_VALUE_IGNORED@18'],
    ['job "a" { command }', 'KDL_VALUE_IGNORED@10'],
    ['use_pending_failed "yes"', 'KDL_VALUE_IGNORED@19'],
    ['resource_requirements "r" { num_cpus "1" }', 'KDL_VALUE_IGNORED@37'],
    ['resource_requirements "r" { num_cpus 1.0 }', 'KDL_VALUE_IGNORED@37'],
    ['name "w" { x 1 }', 'KDL_NODE_IGNORED@11'],
    ['execution_config { mod "direct" }', 'KDL_NODE_IGNORED@19'],
  ])('%s is a warning with its place', (text, complaint) => expect(complaints(text)).toEqual([complaint]));

  it('an ignored node is a warning with a suggestion, and an error in strict mode', () => {
    const text = 'name "w"\njob "a" {\n  command "x"\n}\njob "b" {\n  command "x"\n  input_flie "f"\n}\n';
    expect(readText(text, 'kdl').problems).toMatchObject([
      { severity: 'warning', line: 7, column: 3, found: 'input_flie', suggestion: 'input_file' },
    ]);
    expect(readText(text, 'kdl', {}, true).problems).toMatchObject([{ severity: 'error', line: 7 }]);
  });

  it('depends_on_job is read as depends_on, in strict mode or not', () => {
    const text = 'name "w"\njob "a" { command "x" }\njob "b" { command "x"; depends_on_job "a" }';
    const { plan, problems } = readText(text, 'kdl', {}, true);
    expect([...each(plan!.jobs)].map(({ dependsOn }) => [...dependsOn])).toEqual([[], [0]]);
    expect(problems).toMatchObject([{ code: 'KDL_NODE_RENAMED', severity: 'warning', line: 3 }]);
  });

  it('a job whose command is a number has no command', () => {
    expect(codesOf(readText('name "w"\njob "a" { command 5 }', 'kdl'))).toEqual([
      'KDL_VALUE_IGNORED',
      'FIELD_MISSING jobs[0].command',
    ]);
  });
});

describe('parts of KDL that Torc refuses', () => {
  test.each([
    ['name "w"\njob { command "x" }', 'job must have a name', 2],
    ['name "w"\nfile "f"', 'file must have a path property', 2],
    ['name "w"\nuser_data "u"', 'user_data must have a data property', 2],
    ['name "w"\nuser_data "u" { data "{x" }', 'data is not JSON', 2],
    ['name "w"\njob "a" {\n command "x"\n labels "win" 1\n}', 'job labels must be string values', 4],
    ['name "w"\nparameters { i 1 }', "Parameter 'i' must have a string value", 2],
    ['name "w"\nenv { A 1 }', "Environment key 'A' must have a string value", 2],
    ['name true', 'Invalid keyword "true"', 1],
    ['name "w"\njob "a" {', 'this { is never closed', 2],
    ['name "w"\njob "a" {\n command "x"\n\njob "b" {\n command "x"\n}\n', 'this { is never closed', 2],
    ['name "w"\njob "a" {\n command "x" }}', 'Unexpected token', 3],
  ])('the KDL file %j is refused: %s', (text, words, line) => {
    const { plan, problems } = readText(text, 'kdl');
    expect(plan).toBeUndefined();
    expect(problems).toMatchObject([{ severity: 'error', line }]);
    expect(problems[0]?.message).toContain(words);
  });
});

it.each([
  ['a {\n}', undefined],
  ['a {\n  b {\n  }\n', 2],
  ['a {\n}\nb {\n c {}\n', 8],
  ['a { // }\n', 2],
  ['a { /* } */ "}" "\\"}" #"}"# """\n}\n"""\n', 2],
  ['a "{"', undefined],
  ['}', undefined],
])('the brace of %j that is never closed is found, whatever strings and comments hold', (text, position) => {
  expect(openBrace(text)).toBe(position);
});

it('levels are counted by braces that are no part of a text or a comment', () => {
  const nested = `a "{{{{" { // {{{\n b { c {} } } d { e {} }`;
  expect(tooDeep(nested, 3)).toBeUndefined();
  expect(tooDeep(nested, 2)).toBe(nested.indexOf('{}'));
});
