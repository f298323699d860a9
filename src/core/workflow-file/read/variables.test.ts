import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { templateNames } from '../text/template-names.ts';
import { codesOf, errorsOf, jobsOf, planned, read, readText } from '../../../../tests/spec/reading.ts';

const commandOf = (command: string, variables: object, more: object = {}): string | undefined =>
  jobsOf({ variables, jobs: [{ name: 'j', command, ...more }] })[0]?.command;

describe('a variable', () => {
  it('a variable is inserted into every text of the file', () => {
    const plan = planned({
      variables: { base: '/data', tag: 'py:2.4', acct: 'proj', s: 'sched' },
      env: { ROOT: '{base}' },
      description: 'in {base}',
      metadata: { where: ['{base}'] },
      jobs: [{ name: 'j', command: '{base}/run --img {tag}', scheduler: '{s}', input_files: ['f'] }],
      files: [{ name: 'f', path: '{base}/f' }],
      user_data: [{ name: 'u', data: { deep: '{tag}' } }],
      slurm_schedulers: [{ name: '{s}', account: '{acct}' }],
    });
    expect(plan.workflow).toMatchObject({
      env: { ROOT: '/data' },
      description: 'in /data',
      metadata: { where: ['/data'] },
    });
    expect(plan.jobs.at(0)).toMatchObject({ command: '/data/run --img py:2.4', scheduler: 0 });
    expect(plan.files.at(0).path).toBe('/data/f');
    expect(plan.userData.at(0).data).toEqual({ deep: 'py:2.4' });
    expect(plan.slurmSchedulers[0]).toMatchObject({ name: 'sched', account: 'proj' });
  });

  it('a variable is inserted before parameters, whose values may contain it', () => {
    const names = jobsOf({
      variables: { max: '3' },
      jobs: [
        { name: 'a_{i}', command: 'x', parameters: { i: '1:{max}' } },
        { name: 'b_{i}', command: 'x', parameters: { i: ['{max}', 4] } },
      ],
    }).map(({ name }) => name);
    expect(names).toEqual(['a_1', 'a_2', 'a_3', 'b_3', 'b_4']);
  });

  it('a variable may be in the path of a table, whose columns are known names', () => {
    const spec = {
      variables: { dir: 'tables' },
      jobs: [{ name: 'j_{m}', command: '{m}', parameters_file: '{dir}/t.csv' }],
    };
    expect(errorsOf(spec, { 'tables/t.csv': 'm\nx\n' })).toEqual([]);
  });

  test.each([
    ['{a}', 'X'],
    ['{a:03d}', 'X'],
    ['{{a}}', '{{a}}'],
    ['${a}', '${a}'],
    ['$${a}', '$${a}'],
    ['${{a}}', '${X}'],
    ['\\{a}', '\\X'],
    ['${HOME} ${TORC_JOB_ID} ${other.input.f}', '${HOME} ${TORC_JOB_ID} ${other.input.f}'],
    ['{} { a } {1a} {a-b} {é} {a', '{} { a } {1a} {a-b} {é} {a'],
    ["awk '{print $1}'", "awk '{print $1}'"],
    ['{x{a}', '{x{a}'],
    ['{x{a}}{a}', '{x{a}}X'],
    ['{"k": {a}, "l": {a}}', '{"k": {a}, "l": X}'],
    ['{{a}', '{X'],
    ['{{{a}}}', '{{{a}}}'],
    ['{{a} {a}}', '{X X}'],
    ['{{.Names}} {a}', '{{.Names}} X'],
    ['${other.input.{a}}', '${other.input.X}'],
    ['{a:{a}', '{a:{a}'],
    ['{a}{a}', 'XX'],
  ])('a variable in %s gives %s', (command, result) => expect(commandOf(command, { a: 'X', HOME: 'no' })).toBe(result));

  it('a variable may be empty, contain shell variables, and begin with an underscore', () => {
    expect(commandOf('{_a}{b}', { _a: '{}', b: '${x}' })).toBe('{}${x}');
  });

  it('a variable is not inserted into the names of use_parameters', () => {
    const spec = {
      variables: { a: 'i' },
      parameters: { i: '1:2' },
      jobs: [{ name: 'j_{i}', command: 'x', use_parameters: ['i'] }],
    };
    expect(jobsOf(spec)).toHaveLength(2);
  });
});

describe('a name in braces that is neither a variable nor a parameter', () => {
  test.each([
    [{ jobs: [{ name: 'j', command: 'x {baze}' }] }, 'jobs[0].command', 'x {baze}'],
    [{ description: '{baze}' }, 'description', '{baze}'],
    [{ metadata: { k: ['{baze}'] } }, 'metadata.k[0]', '{baze}'],
    [{ user_data: [{ name: 'u', data: '{baze:02d}' }] }, 'user_data[0].data', '{baze:02d}'],
    [{ description: '{{baze}' }, 'description', '{{baze}'],
    [{ description: '${x}{baze}' }, 'description', '${x}{baze}'],
    [{ description: '${{baze}}' }, 'description', '${{baze}}'],
    [{ slurm_schedulers: [{ name: '{baze}', account: 'a' }] }, 'slurm_schedulers[0].name', '{baze}'],
  ])('an unknown name is refused in %j, with the name that was meant', (spec, path, text) => {
    const { problems } = read({ variables: { base: 'x' }, ...spec });
    expect(problems).toMatchObject([{ path, suggestion: 'base', code: 'TEMPLATE_UNDEFINED' }]);
    expect(problems[0]?.message).toContain(`undefined template name '{baze}' in '${text}': not declared in`);
  });

  it('an unknown name is accepted in keys, and everywhere in a file without variables', () => {
    expect(errorsOf({ variables: { base: 'x' }, metadata: { '{baze}': 1 } })).toEqual([]);
    expect(errorsOf({ description: '{baze}' })).toEqual([]);
    expect(errorsOf({ variables: {}, description: '{baze}' })).toEqual([]);
  });

  it('a parameter of another job is not an unknown name, and stays unchanged', () => {
    const jobs = [
      { name: 'a_{i}', command: 'x', parameters: { i: '1:1' } },
      { name: 'b', command: '{i}' },
    ];
    expect(jobsOf({ variables: { v: '1' }, jobs })[1]?.command).toBe('{i}');
  });

  it('an unknown name cannot be detected when a table could not be read', () => {
    const spec = { variables: { v: '1' }, jobs: [{ name: 'j_{m}', command: 'x', parameters_file: 'gone.csv' }] };
    expect(codesOf(read(spec))).toEqual(['TABLE_MALFORMED jobs[0].parameters_file']);
  });
});

describe('invalid variables', () => {
  test.each([
    [{ a: 5 }, "workflow variable 'a' must be a string (got number)"],
    [{ a: [1] }, "workflow variable 'a' must be a string (got array)"],
    [{ 'a-b': 'x' }, "workflow variable name 'a-b' must be a valid identifier"],
    [{ 'foo.bar': 'x' }, "'foo.bar' must be a valid identifier"],
    [{ '1a': 'x' }, "'1a' must be a valid identifier"],
    [{ é: 'x' }, "'é' must be a valid identifier"],
    [
      { v: '{x}' },
      "variable 'v' value '{x}' contains template reference '{x}'; variable values must be plain literal strings",
    ],
    [{ v: '{base}', base: 'y' }, "variable 'v' value '{base}' references another variable '{base}'"],
    [{ v: '{v}' }, "variable 'v' value '{v}' references another variable '{v}'"],
    [{ v: '{{x}' }, "variable 'v' value '{{x}' contains template reference '{x}'"],
    [[], 'workflow `variables` must be an object of string key/value pairs'],
    [null, 'workflow `variables` must be an object of string key/value pairs'],
    ['x', 'workflow `variables` must be an object of string key/value pairs'],
  ])('the variables %j are refused', (variables, words) => {
    const [error, ...more] = errorsOf({ variables });
    expect(error).toContain('Failed to parse specification file: ');
    expect(error).toContain(words);
    expect(more).toEqual([]);
  });

  it('null variables are refused, and an empty map is accepted, as is a missing field', () => {
    expect(codesOf(readText('name: w\njobs: []\nvariables:\n'))).toEqual(['VARIABLE_MALFORMED variables']);
    expect(codesOf(readText('name: w\njobs: []\nvariables: {}\n'))).toEqual([]);
    expect(codesOf(readText('name "w"\nvariables\n', 'kdl'))).toEqual([]);
  });

  it('a variable with the name of a parameter or a column at any level is refused', () => {
    const collides = 'workflow `variables` collide with parameter names: i';
    const jobs = [{ name: 'j_{i}', command: 'x', parameters: { i: '1:2' } }];
    expect(errorsOf({ variables: { i: 'x' }, jobs })[0]).toContain(collides);
    expect(errorsOf({ variables: { i: 'x' }, parameters: { i: '1:2' } })[0]).toContain(collides);
    expect(errorsOf({ variables: { i: 'x' }, parameters_file: 't.csv' }, { 't.csv': 'i\n1\n' })[0]).toContain(collides);
  });

  it('an invalid variable does not cause errors where it is used', () => {
    expect(codesOf(read({ variables: { a: 5 }, description: '{a}' }))).toEqual(['VARIABLE_MALFORMED variables.a']);
  });
});

describe('a text', () => {
  const braces = fc.string({ unit: fc.constantFrom('{', '}', '$', 'a', 'v', ':', ' ', '"'), maxLength: 12 });

  test('a text without a brace never changes, by variables or by parameters', () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !text.includes('{')),
        (text) => {
          expect(commandOf(text, { a: 'X' }, { name: 'j_{i}', parameters: { i: '1:1' } })).toBe(text);
        },
      ),
    );
  });

  test('a text keeps everything except the names that it uses', () => {
    fc.assert(
      fc.property(braces, (text) => {
        const names = [...templateNames(text)];
        let end = 0;
        let kept = '';
        for (const { token, name, at } of names) {
          expect(text.slice(at, at + token.length)).toBe(token);
          expect(at).toBeGreaterThanOrEqual(end);
          expect(text[at - 1]).not.toBe('$');
          kept += `${text.slice(end, at)}<${name}>`;
          end = at + token.length;
        }
        kept += text.slice(end);
        const variables = Object.fromEntries(names.map(({ name }) => [name, `<${name}>`]));
        if (names.length > 0) expect(planned({ variables, description: text }).workflow.description).toBe(kept);
        else expect(kept).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });
});
