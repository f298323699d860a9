import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { errorsOf, jobsOf, namesOf, planned, read, report } from '../../../../tests/spec/reading.ts';
import { each } from '../../lists/sequence.ts';

const job = (more: object) => ({ jobs: [{ name: 'j', command: 'true', ...more }] });

describe('parameters', () => {
  it('parameters create one job for each combination, in declared order', () => {
    expect(namesOf({ name: 'j_{a}_{b}', parameters: { a: '1:2', b: ['x', 'y'] } })).toEqual([
      'j_1_x',
      'j_1_y',
      'j_2_x',
      'j_2_y',
    ]);
  });

  test.each([
    [{ a: '1:2', b: '1:2' }, 4],
    [{ a: '1:2', b: '1:2', c: '1:2' }, 8],
    [{ a: '1:3', b: '1:3' }, 9],
    [{ a: '1:3', b: '1:3', c: '1:2' }, 18],
    [{ a: '1:3', b: [] }, 0],
    [{}, 1],
  ])('%j creates %d jobs', (parameters, count) => {
    const name = `j_${Object.keys(parameters)
      .map((key) => `{${key}}`)
      .join('_')}`;
    expect(namesOf({ name, parameters })).toHaveLength(count);
  });

  it('zip combines parameters pairwise, for jobs and files', () => {
    const zipped = { name: 'z_{a}_{b}', parameters: { a: '1:3', b: '[x,y,z]' }, parameter_mode: 'zip' };
    expect(namesOf(zipped)).toEqual(['z_1_x', 'z_2_y', 'z_3_z']);
    const { files } = planned({ files: [{ ...zipped, path: '{a}/{b}' }] });
    expect([...each(files)].map(({ path }) => path)).toEqual(['1/x', '2/y', '3/z']);
  });

  test.each(['product', 'ZIP', ''])('mode "%s" is not zip, so every combination counts', (mode) => {
    expect(namesOf({ name: 'j_{a}_{b}', parameters: { a: '1:2', b: '1:2' }, parameter_mode: mode })).toHaveLength(4);
  });

  it('a zip of one list has its values, of no list one job, and of empty lists none', () => {
    expect(namesOf({ name: 'j_{a}', parameters: { a: '1:2' }, parameter_mode: 'zip' })).toEqual(['j_1', 'j_2']);
    expect(namesOf({ name: 'j', parameters: {}, parameter_mode: 'zip' })).toEqual(['j']);
    expect(namesOf({ name: 'j_{a}', parameters: { a: [] }, parameter_mode: 'zip' })).toEqual([]);
  });

  it('lists of different lengths cannot be zipped', () => {
    expect(errorsOf(job({ parameters: { x: '1:3', y: '1:2' }, parameter_mode: 'zip' }))).toEqual([
      "Parameter expansion failed: Failed to expand job 'j': All parameters must have the same number of values when " +
        "using 'zip' mode. Parameter 'x' has 3 values, but 'y' has 2 values.",
    ]);
  });

  it('parameters are inserted into every field of a job that may contain them', () => {
    const [made] = jobsOf({
      jobs: [
        { name: 'first_{i}', command: 'true', parameters: { i: '1:1' } },
        {
          name: 'j_{i}',
          command: 'run {i} ${files.input.in_{i}}',
          invocation_script: 'wrap {i}',
          env: { A: 'a_{i}', B: 'b' },
          labels: ['{i}', 'fast'],
          depends_on: ['first_{i}'],
          depends_on_regexes: ['^fir.*_{i}$'],
          input_files: ['in_{i}'],
          output_user_data: ['u_{i}'],
          resource_requirements: 'rr_{i}',
          parameters: { i: '1:1' },
        },
      ],
      files: [{ name: 'in_{i}', path: 'in/{i}', parameters: { i: '1:1' } }],
      user_data: [{ name: 'u_{i}', parameters: { i: '1:1' } }],
      resource_requirements: [{ name: 'rr_1', num_cpus: 1, memory: '1m' }],
    }).slice(1);
    expect(made).toMatchObject({
      name: 'j_1',
      command: 'run 1 in/1',
      invocationScript: 'wrap 1',
      settings: { env: { A: 'a_1', B: 'b' }, labels: ['1', 'fast'] },
      dependsOn: Int32Array.of(0),
      inputFiles: Int32Array.of(0),
      outputUserData: Int32Array.of(0),
      resourceRequirements: 0,
    });
  });

  it('parameters are inserted into every text within user data, but not into keys, and a single token stays a text', () => {
    const { userData } = planned({
      user_data: [
        { name: 'u_{i}', data: { '{i}': ['{i}', { deep: 'x{i}' }], n: 5, t: '{i}' }, parameters: { i: '1:1' } },
      ],
    });
    expect(userData.at(0)).toEqual({
      name: 'u_1',
      data: { '{i}': ['1', { deep: 'x1' }], n: 5, t: '1' },
      isEphemeral: false,
    });
  });

  it('parameterized jobs keep their order beside plain jobs', () => {
    const names = jobsOf({
      jobs: [
        { name: 'w_{i:03d}', command: 'x', parameters: { i: '1:100' } },
        { name: 'last', command: 'x' },
      ],
    }).map(({ name }) => name);
    expect(names).toHaveLength(101);
    expect([names[0], names[99], names[100]]).toEqual(['w_001', 'w_100', 'last']);
  });
});

describe('shared parameters', () => {
  const parameters = { a: '1:2', b: '[x,y]', c: '1:9' };

  it('shared parameters are used by name, and the others are not', () => {
    expect(namesOf({ name: 'j_{a}_{b}', use_parameters: ['a', 'b'] }, { parameters })).toHaveLength(4);
  });

  it('shared parameters vary in the order in which the job names them', () => {
    const names = namesOf({ name: 'j_{a}_{b}', use_parameters: ['b', 'a'] }, { parameters });
    expect(names).toEqual(['j_1_x', 'j_2_x', 'j_1_y', 'j_2_y']);
  });

  it('unknown shared names are left out, and nothing is expanded if none is known', () => {
    expect(namesOf({ name: 'j_{a}', use_parameters: ['a', 'zz'] }, { parameters })).toEqual(['j_1', 'j_2']);
    expect(namesOf({ name: 'j_{a}', use_parameters: ['zz'] }, { parameters })).toEqual(['j_{a}']);
    expect(namesOf({ name: 'j_{a}', use_parameters: [] }, { parameters })).toEqual(['j_{a}']);
  });

  it('parameters of the job itself replace shared ones, even empty ones', () => {
    const local = { name: 'j_{a}', parameters: { a: '10:12' }, use_parameters: ['a'] };
    expect(namesOf(local, { parameters })).toEqual(['j_10', 'j_11', 'j_12']);
    expect(namesOf({ name: 'j_{a}', parameters: {}, use_parameters: ['a'] }, { parameters })).toEqual(['j_{a}']);
  });

  describe('in the environment of the workflow', () => {
    const env = (value: unknown, text: string, files = {}) =>
      planned({ parameters: { a: value }, env: { A: text } }, files).workflow.env?.['A'];

    test.each([
      ['gpu', 'q_{a}', 'q_gpu'],
      ['7', '{a:03d} {a}', '007 7'],
      ['[5]', '{a}', '5'],
      ["['x']", '{a}', 'x'],
      ['3:3', '{a}', '3'],
      [true, '{a}', 'true'],
      ['@one', '{a}', '42'],
    ])('a single value (%j) is inserted as that value: %s gives %s', (value, text, result) => {
      expect(env(value, text, { one: '42\n' })).toBe(result);
    });

    test.each([
      ['[1,5,10]', '{a}', '[1,5,10]'],
      ["[ 'x', 'y' ]", '{a}', "[ 'x', 'y' ]"],
      [[1, 5, 10], '{a}', '[1,5,10]'],
      ['1:2', '{a}-{a:03d}', '1:2-1:2'],
      ['[]', '{a}', '[]'],
      ['5:1', '{a}', '5:1'],
      ['@two', '{a}', '@two'],
      ['docker://repo/x', 'IMAGE={a}', 'IMAGE=docker://repo/x'],
      ['a:b:c:d', '{a}', 'a:b:c:d'],
      ['@missing', '{a}', '@missing'],
      ['0:inf:0.5', '{a}', '0:inf:0.5'],
      [{ k: 1 }, '{a}', '{"k":1}'],
    ])('any other value (%j) is inserted as its text: %s gives %s', (value, text, result) => {
      expect(env(value, text, { two: '1\n2\n' })).toBe(result);
    });

    it('a text that is not a range is refused once if a job expands by it', () => {
      const jobs = [{ name: 'j_{a}', command: 'x', use_parameters: ['a'] }];
      expect(errorsOf({ parameters: { a: 'docker://x' }, env: { A: '{a}' }, jobs })).toEqual([
        "Parameter expansion failed: Failed to expand job 'j_{a}': Invalid range values: 'docker://x'. Could not parse as integer or float range",
      ]);
    });

    it('a name that is not a parameter stays', () => expect(env('1:2', '{b} ${HOME} {', {})).toBe('{b} ${HOME} {'));
  });

  it('errors of shared parameters are reported once, however many jobs use them', () => {
    const jobs = ['a', 'b', 'c'].map((name) => ({ name: `${name}_{i}`, command: 'x', use_parameters: ['i'] }));
    const { problems } = read({ parameters: { i: 'a:b' }, jobs });
    expect(problems.map(({ path, code }) => [path, code])).toEqual([['parameters.i', 'PARAMETER_MALFORMED']]);
  });
});

describe('parameter tables', () => {
  const files = {
    't.csv': 'm,n\nx,1\ny,2\nz,3\n',
    'bad.csv': 'a,b\n1\n',
    'uneven.json': '[{"a":1},{"b":2}]',
  };

  it('a parameter table creates one job for each row', () => {
    expect(namesOf({ name: 'j_{m}_{n:02d}', parameters_file: 't.csv' }, {}, files)).toEqual([
      'j_x_01',
      'j_y_02',
      'j_z_03',
    ]);
    expect(namesOf({ name: 'j_{m}', parameters_file: 't.csv', use_parameters_file: false }, {}, files)).toHaveLength(3);
  });

  it('the token of a column that a row lacks stays', () => {
    expect(namesOf({ name: 'j_{a}_{b}', parameters_file: 'uneven.json' }, {}, files)).toEqual(['j_1_{b}', 'j_{a}_2']);
  });

  it('a table of the workflow applies only to records that use it', () => {
    const names = jobsOf(
      {
        parameters_file: 't.csv',
        jobs: [
          { name: 'a_{m}', command: 'x', use_parameters_file: true },
          { name: 'b_{m}', command: 'x', use_parameters_file: true },
          { name: 'c_{m}', command: 'x' },
        ],
      },
      files,
    ).map(({ name }) => name);
    expect(names).toEqual(['a_x', 'a_y', 'a_z', 'b_x', 'b_y', 'b_z', 'c_{m}']);
  });

  it('a table of the workflow that is not used need not exist', () => {
    expect(errorsOf({ parameters_file: 'missing.csv' })).toEqual([]);
  });

  it('a missing table is reported once for all records that use it', () => {
    const jobs = ['a', 'b'].map((name) => ({ name: `${name}_{m}`, command: 'x', parameters_file: 'missing.csv' }));
    expect(errorsOf({ jobs })).toEqual([
      "Parameter expansion failed: Failed to expand job 'a_{m}': Failed to read parameters_file 'missing.csv': No such file or directory",
    ]);
  });

  const mixed =
    "Job 'j': a CSV/JSON parameter table (`parameters_file`/`use_parameters_file`) cannot be combined with " +
    '`parameters`, `parameter_mode`, or `use_parameters`';
  test.each([
    [{ parameters_file: 't.csv', parameters: {} }, mixed],
    [{ parameters_file: 't.csv', parameter_mode: 'zip' }, mixed],
    [{ parameters_file: 't.csv', use_parameters: [] }, mixed],
    [{ use_parameters_file: true, parameters: { a: '1:2' } }, mixed],
    [
      { parameters_file: 't.csv', use_parameters_file: true },
      "Job 'j': set either a local `parameters_file` or `use_parameters_file: true`, not both",
    ],
    [{ use_parameters_file: true }, "Job 'j': `use_parameters_file` requires a workflow-level `parameters_file`"],
    [
      { parameters_file: 'bad.csv' },
      "Failed to expand job 'j': Row 1 of 'bad.csv' has 1 fields but the header has 2 columns",
    ],
  ])('the table setting %j is refused', (fields, words) => {
    expect(errorsOf(job(fields), files)).toEqual([`Parameter expansion failed: ${words}`]);
  });

  it('a refused table names its record', () => {
    const [file] = errorsOf({ files: [{ name: 'x', path: 'y', use_parameters_file: true }] });
    const [data] = errorsOf({ user_data: [{ name: 'x', use_parameters_file: true }] });
    expect(file).toContain("File 'x'");
    expect(data).toContain("User data 'x'");
  });

  it('a table cannot be combined with parameters of the workflow', () => {
    const [error] = errorsOf({ parameters: { a: '1:2' }, parameters_file: 't.csv' }, files);
    expect(error).toContain('Workflow-level `parameters` and `parameters_file` are mutually exclusive');
  });
});

describe('a sweep that is too large', () => {
  it('a sweep that is too large is refused with its count and the limit, and its jobs are not reported as missing', () => {
    const { valid, errors, summary } = report({
      jobs: [
        { name: 'w_{a}_{b}', command: 'x', parameters: { a: '1:1000000', b: '1:1000000' } },
        { name: 'end', command: 'x', depends_on: ['w_1_1'] },
      ],
    });
    expect(valid).toBe(false);
    expect(errors).toEqual([
      "Parameter expansion failed: Failed to expand job 'w_{a}_{b}': 1000000000000 instances are more than the limit of 10000000",
    ]);
    expect(summary.job_count).toBe(1);
  });
});

test('expansion reports two jobs of one name', () => {
  const value = fc.constantFrom(['1', '1'], ['1', '2'], ['a', 'b'], ['x']);
  const name = fc.constantFrom('j', 'j_{p}', 'j_{q}', 'j_{p}_{q}');
  fc.assert(
    fc.property(fc.array(fc.record({ name, p: value, q: value }), { maxLength: 4 }), (specs) => {
      const jobs = specs.map((one) => ({ name: one.name, command: 'x', parameters: { p: one.p, q: one.q } }));
      const { valid, summary } = report({ jobs });
      expect(valid).toBe(new Set(summary.job_names).size === summary.job_count);
    }),
  );
});
