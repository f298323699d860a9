import { describe, expect, it } from 'vitest';
import { read, readText } from '../../../../tests/spec/reading.ts';
import { dryRunReport } from './dry-run.ts';
import { isAcceptable } from './read.ts';

describe('whether a workflow may be created', () => {
  it('a workflow without problems, or with warnings, may be created', () => {
    expect(isAcceptable(read({ jobs: [{ name: 'a', command: 'x' }] }))).toBe(true);
    expect(isAcceptable(readText('name: a\nname: b\njobs: []\n'))).toBe(true);
    const short = {
      jobs: [{ name: 'a', command: 'x', resource_requirements: 'r', scheduler: 's' }],
      resource_requirements: [{ name: 'r', num_cpus: 1, memory: '2g' }],
      slurm_schedulers: [{ name: 's', account: 'a', mem: '1g' }],
    };
    expect(isAcceptable(read(short))).toBe(true);
  });

  it('a workflow that cannot be read or has an error may not be created, even with skipped checks', () => {
    const unreadable = readText('name: [');
    const wrong = read({ jobs: [{ name: 'a', command: 'x', depends_on: ['b'] }] });
    expect([unreadable.plan === undefined, wrong.plan === undefined]).toEqual([true, false]);
    for (const reading of [unreadable, wrong]) {
      expect(isAcceptable(reading)).toBe(false);
      expect(isAcceptable(reading, { skipsChecks: true })).toBe(false);
    }
  });

  it('a workflow that exceeds the nodes of its allocation may be created only with skipped checks', () => {
    const reading = read({
      jobs: [{ name: 'a', command: 'x', resource_requirements: 'r', scheduler: 's' }],
      resource_requirements: [{ name: 'r', num_cpus: 1, memory: '1g', num_nodes: 3 }],
      slurm_schedulers: [{ name: 's', account: 'a', nodes: 2 }],
      actions: [
        { trigger_type: 'on_workflow_start', action_type: 'schedule_nodes', scheduler: 's', scheduler_type: 'slurm' },
      ],
    });
    expect(isAcceptable(reading)).toBe(false);
    expect(isAcceptable(reading, { skipsChecks: true })).toBe(true);
  });
});

it('the name of the workflow is known even if the file cannot be read', () => {
  expect(readText('name: w\ndescription: d\njobs: 5\n')).toMatchObject({
    plan: undefined,
    name: 'w',
    description: 'd',
  });
  expect(readText('[')).toMatchObject({ plan: undefined, name: '', description: undefined });
});

describe('unknown names in a command', () => {
  const flow = `name: flow
user_data: [{name: empty}]
jobs:
  - {name: a, command: 'cat \${files.input.missing}'}
  - {name: b, command: 'true', invocation_script: 'run \${user_data.input.empty}'}
`;

  it('an unknown name in a command is an error, and a record without data a warning: its data may come later', () => {
    const reading = readText(flow);
    expect(reading.problems.map(({ code, severity }) => [code, severity])).toEqual([
      ['TOKEN_UNKNOWN', 'error'],
      ['TOKEN_EMPTY', 'warning'],
    ]);
    expect(isAcceptable(reading)).toBe(false);
    expect(dryRunReport(reading).valid).toBe(false);
  });

  it('records without data in a command are errors with --strict, in the dry run and at creation', () => {
    const reading = readText(flow, 'yaml', {}, true);
    expect(reading.problems.map(({ severity, found, line }) => [severity, found, line])).toEqual([
      ['error', 'missing', 4],
      ['error', 'empty', 5],
    ]);
    expect(isAcceptable(reading)).toBe(false);
    const { valid, errors, warnings } = dryRunReport(reading);
    expect([valid, errors.length, warnings]).toEqual([false, 2, []]);
  });

  it('advice stays advice with --strict', () => {
    const advised = `name: flow
jobs:
  - {name: a, command: 'true'}
  - {name: b, command: 'true', depends_on: [a], depends_on_regexes: ['^a$']}
`;
    const reading = readText(advised, 'yaml', {}, true);
    expect(reading.problems.map(({ code, severity }) => [code, severity])).toEqual([['PATTERN_REDUNDANT', 'warning']]);
    expect(isAcceptable(reading)).toBe(true);
  });
});
