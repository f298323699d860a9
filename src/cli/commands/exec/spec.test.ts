import { describe, expect, it, test } from 'vitest';
import { inputValues } from './parameter.ts';
import { execAxes, execSpec } from './spec.ts';
import { execWarnings } from './warnings.ts';

interface Call {
  readonly link?: 'product' | 'zip';
  /** Standard input. */
  readonly input?: string;
  readonly files?: Readonly<Record<string, string>>;
}

const axesOf = (parameters: readonly string[], { link = 'product', input = '', files = {} }: Call = {}) =>
  execAxes({
    parameters,
    link,
    sources: { readFile: (path) => files[path] ?? expect.fail(`read ${path}`), readInput: () => input },
  });

/** Names and commands of the jobs. */
function jobsOf(commands: readonly string[], parameters: readonly string[], call: Call = {}): [string, string][] {
  const spec = execSpec(
    {
      name: 'test',
      description: undefined,
      commands,
      monitor: 'off',
      monitorNode: 'off',
      sampleIntervalSeconds: undefined,
      generatePlots: false,
      stdio: undefined,
    },
    axesOf(parameters, call),
  ) as { jobs: { name: string; command: string }[] };
  return spec.jobs.map(({ name, command }) => [name, command]);
}

const namesOf = (...parameters: string[]) => jobsOf(['x'], parameters).map(([name]) => name);
const warningsOf = (command: string, parameters: readonly string[], call: Call = {}) =>
  execWarnings([command], axesOf(parameters, call));

it('a timeout and the files of output stand together in the settings of execution, and without them there are none', () => {
  const request = {
    name: 'test',
    description: undefined,
    commands: ['x'],
    monitor: 'off',
    monitorNode: 'off',
    sampleIntervalSeconds: undefined,
    generatePlots: false,
  } as const;
  const of = (more: { timeout?: string; stdio?: string }) =>
    execSpec({ stdio: undefined, ...request, ...more }, axesOf([]));
  expect(of({ timeout: 'PT90S', stdio: 'no-stdout' })).toMatchObject({
    execution_config: { timeout: 'PT90S', stdio: { mode: 'no_stdout' } },
  });
  expect(of({})).not.toHaveProperty('execution_config');
});

it('a token without a parameter is a warning that names the option, and braces for the shell or a program are none', () => {
  expect(warningsOf('echo {i}', [])).toEqual([
    '{i} stays as it is in the command: there is no --param i=…, such as --param i=1:3',
  ]);
  for (const command of ['echo ${HOME}', "jq '{name}' x.json", 'mv a.{c,h} b', 'find . -exec ls {} +'])
    expect(warningsOf(command, [])).toEqual([]);
});

describe('the jobs of exec are named', () => {
  it('job1, job2 and so on without parameters, as in Torc', () => {
    expect(jobsOf(['a', 'b'], [])).toEqual([
      ['job1', 'a'],
      ['job2', 'b'],
    ]);
  });

  it('the jobs of exec are named with the values of the parameters behind the number, counted through all commands', () => {
    expect(jobsOf(['a {x}', 'b'], ['x=1:2', 'y=[p,0.5]'])).toEqual([
      ['job1_1_p', 'a 1'],
      ['job2_1_0.5', 'a 1'],
      ['job3_2_p', 'a 2'],
      ['job4_2_0.5', 'a 2'],
      ['job5_1_p', 'b'],
      ['job6_1_0.5', 'b'],
      ['job7_2_p', 'b'],
      ['job8_2_0.5', 'b'],
    ]);
  });

  test.each([
    ['data/a b.txt', 'job1_data_a_b.txt'],
    ['./a.txt', 'job1_a.txt'],
    ['../a.txt', 'job1_.._a.txt'],
    ['$(rm -rf /)', 'job1_rm_-rf'],
    ['é 漢字', 'job1_é_漢字'],
    ['***', 'job1'],
    ['\u001b[31m', 'job1_31m'],
    [`/very/long/${'x'.repeat(1_000_000)}/sample_17.fastq`, 'job1_very_long_xx..xxxxxxxxxx_sample_17.fastq'],
  ])('the jobs of exec are named after %s', (value, name) => {
    expect(jobsOf(['x'], ['f=@-'], { input: value })[0]?.[0]).toBe(name);
  });

  it('the jobs of exec are named with at most 100 characters, however many parameters there are', () => {
    const [name = ''] = namesOf(...'abcdefghijkl'.split('').map((each) => `${each}=value_of_${each}`));
    expect([name.length, name]).toEqual([85, expect.stringMatching(/^job1_value_of_a_value_of.*_value_of_l$/)]);
  });

  it('the jobs of exec are named differently where the values look the same', () => {
    expect(jobsOf(['x'], ['f=@-'], { input: 'a b\na/b\na?b' }).map(([name]) => name)).toEqual([
      'job1_a_b',
      'job2_a_b',
      'job3_a_b',
    ]);
  });
});

describe('a list from standard input', () => {
  test.each([
    ['a\nb\n', ['a', 'b']],
    ['', []],
    ['\n\n', []],
    [' \n', [' ']],
    ['a\r\nb\r\n', ['a', 'b']],
    ['#5.dat\n two words \n', ['#5.dat', ' two words ']],
    ['007\n1e5\n0.10\n+5\n5\n', ['007', '1e5', '0.10', '+5', 5]],
    [' a \0#b\0two\nlines\0', [' a ', '#b', 'two\nlines']],
    ['\0\0', []],
  ])('%j has the values %j', (text, values) => expect(inputValues(text)).toEqual(values));

  it('a list from standard input is written into commands as words, whatever is in it, and formats of numbers work', () => {
    const input = `a b\n$(id)\nit's\n7\n`;
    expect(jobsOf(['cat {f} "{f}" {f:03d} {f:raw}'], ['f=@-'], { input }).map(([, command]) => command)).toEqual([
      `cat 'a b' "a b" 'a b' a b`,
      `cat '$(id)' "\\$(id)" '$(id)' $(id)`,
      `cat 'it'\\''s' "it's" 'it'\\''s' it's`,
      'cat 7 "7" 007 7',
    ]);
  });

  it('a list from standard input that is empty makes no jobs, which is refused', () => {
    expect(() => jobsOf(['x'], ['f=@-'])).toThrow('there are no jobs: parameter f has no values');
  });
});

it('a list in a file is written into commands as it is, as in Torc, and with {f:q} as words', () => {
  const files = { list: 'a b\n007\n' };
  expect(jobsOf(['cat {f}', 'cat {f:q}'], ['f=@list'], { files }).map(([, command]) => command)).toEqual([
    'cat a b',
    'cat 7',
    `cat 'a b'`,
    'cat 7',
  ]);
});

describe('exec warns', () => {
  it('exec warns of values that the shell takes apart, once for each parameter, and not where they are quoted', () => {
    const values = 'f=[a b,$x,plain]';
    const words =
      '2 values of f have blanks or characters that the shell interprets, such as "a b"; write {f:q} instead';
    expect(warningsOf('cat {f}; cat {f}', [values])).toEqual([`${words} of {f} to pass each unchanged`]);
    expect(warningsOf('cat "{f}"', [values])).toEqual([expect.stringContaining('1 value of f has')]);
    for (const command of [`cat '{f}'`, 'cat {f:q}', 'cat "{f:q}"', '{f}'])
      expect(warningsOf(command, [values])).toEqual([]);
    expect(warningsOf('cat {f}', ['f=[a.txt,b/c.txt,7]'])).toEqual([]);
    expect(warningsOf('cat {f}', ['f=1:1000000'])).toEqual([]);
  });

  it('exec warns not of a list from standard input, but where each value is the whole command', () => {
    expect(warningsOf('cat {f}', ['f=@-'], { input: 'a b' })).toEqual([]);
    expect(warningsOf('{f}', ['f=@-'], { input: 'ls -l' })).toEqual([expect.stringContaining('use -C')]);
    expect(warningsOf('{f}', ['f=@-'], { input: 'ls' })).toEqual([]);
  });

  it('exec warns of a parameter without a token where the command has another one, and not of repetitions', () => {
    expect(warningsOf('gzip {}', ['f=[a]'])).toEqual([
      'no command has a token of parameter f: write {f} where its value belongs, not {}',
    ]);
    expect(warningsOf('gzip {g:q} {f}', ['f=[a]', 'h=[b]'])).toEqual([expect.stringContaining('not {g:q}')]);
    for (const command of ['./simulate', 'gzip {f} {x}', 'awk "{ print }"', 'echo ${HOME} {1..3} {a,b}'])
      expect(warningsOf(command, ['f=[a]'])).toEqual([]);
  });

  it('exec warns of names that are read as numbers, and not where a format or quotes keep them', () => {
    const list = (list: string) => ({ files: { list } });
    const words = 'a number and written as 7; to keep it, write {f:03d}, or "[\'007\']" in a list';
    expect(warningsOf('ls {f}', ['f=@list'], list('a\n007\n'))).toEqual([`--param f: 007 is read as ${words}`]);
    expect(warningsOf('ls {f}', ['f=[007,010]'])).toEqual([`--param f: 007 is read as ${words}`]);
    expect(warningsOf('ls {f}', ['f=@list'], list('a\n5\n0.5\n'))).toEqual([]);
    expect(warningsOf('ls {f:03d}', ['f=@list'], list('007\n'))).toEqual([]);
    expect(warningsOf('ls {f}', ["f=['007']"])).toEqual([]);
    expect(warningsOf('ls {f}', ['f=@-'], { input: '007\n' })).toEqual([]);
  });
});
