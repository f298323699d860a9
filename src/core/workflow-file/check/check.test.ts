import { describe, expect, it, test } from 'vitest';
import { codesOf, errorsOf, planned, read } from '../../../../tests/spec/reading.ts';

const job = (name: string, more: object = {}) => ({ name, command: 'x', ...more });

describe('names', () => {
  it('a name shared by two jobs after expansion is reported once, and once a copy as in Torc', () => {
    const spec = { jobs: [job('p_{i}', { parameters: { i: '1:3' } }), job('end', { parameters: { i: '1:3' } })] };
    const [first, ...copies] = errorsOf(spec);
    expect(first).toMatch(
      /^Validation error: Duplicate job name 'end' after parameter expansion\. .*depends_on_regexes/,
    );
    expect(copies).toEqual(["Duplicate job name: 'end'", "Duplicate job name: 'end'"]);
    expect(codesOf(read(spec))).toEqual(['NAME_DUPLICATE jobs[1].name']);
  });

  test.each([
    [{ jobs: [job('j', { parameters: { i: [1, 1] } })] }, "Duplicate job name 'j' after"],
    [
      {
        files: [
          { name: 'f', path: 'a' },
          { name: 'f', path: 'b' },
        ],
      },
      "Duplicate file name 'f' after",
    ],
    [{ user_data: [{ name: 'u' }, { name: 'u' }] }, "Duplicate user_data name 'u' after"],
  ])('the names of %j are refused', (spec, words) => expect(errorsOf(spec)[0]).toContain(`Validation error: ${words}`));

  it('names of resources and schedulers must be unique', () => {
    const requirements = { name: 'r', num_cpus: 1, memory: '1g' };
    const scheduler = { name: 's', account: 'a' };
    expect(errorsOf({ resource_requirements: [requirements, requirements] })).toEqual([
      "Duplicate resource_requirements name: 'r'",
    ]);
    expect(errorsOf({ slurm_schedulers: [scheduler, scheduler] })).toEqual(["Duplicate slurm_scheduler name: 's'"]);
  });

  it('paths, records without a name, and records of different kinds may share names', () => {
    const spec = {
      jobs: [job('a')],
      files: [
        { name: 'a', path: 'p' },
        { name: 'b', path: 'p' },
      ],
      user_data: [{ data: 1 }, { data: 2 }, { name: 'a' }],
      failure_handlers: [
        { name: 'h', rules: [] },
        { name: 'h', rules: [] },
      ],
    };
    expect(errorsOf(spec)).toEqual([]);
    expect(codesOf(read(spec))).toEqual(['HANDLER_DUPLICATE failure_handlers[1].name']);
  });
});

describe('empty texts', () => {
  const emptyOf = (more: object) => codesOf(read({ jobs: [job('a', more)] }));

  it('a job with an empty name or command is accepted, as by Torc, with a warning', () => {
    const reading = read({ jobs: [job('', { command: ' ' })] });
    expect(reading.problems.map(({ severity, path, message }) => `${severity} ${path}: ${message}`)).toEqual([
      'warning jobs[0].name: the name is empty, so no message and no command can name this job',
      'warning jobs[0].command: the command is empty, so the job completes without having done anything',
    ]);
    expect(reading.plan?.jobs.at(0)).toMatchObject({ name: '', command: ' ' });
  });

  it('a command is looked at after expansion, and reported once for all of its instances', () => {
    const empty = { name: 'a_{i}_{c}', command: '{c}', parameters: { i: '1:3', c: ['', 'x'] } };
    expect(emptyOf(empty)).toEqual(['TEXT_EMPTY jobs[0].command']);
    expect(emptyOf({ ...empty, parameters: { i: '1:3', c: ['y', 'x'] } })).toEqual([]);
  });

  it('a script before the command may be the whole job', () => {
    expect(emptyOf({ command: '', invocation_script: 'bash run.sh' })).toEqual([]);
    expect(emptyOf({ command: '', invocation_script: ' ' })).toEqual(['TEXT_EMPTY jobs[0].command']);
  });
});

describe('environment variables', () => {
  test.each(['BAD-NAME', '1A', '', 'É', 'A B'])(
    'the variable "%s" is refused for the workflow and for a job',
    (name) => {
      const words = `invalid environment variable name '${name}'; expected`;
      expect(errorsOf({ env: { [name]: 'x' } })[0]).toContain(`Environment validation failed: ${words}`);
      expect(errorsOf({ jobs: [job('a', { env: { [name]: 'x' } })] })[0]).toContain(
        `Environment validation failed: Job 'a': ${words}`,
      );
    },
  );

  test.each(['A', '_a1', 'lower'])('the variable "%s" is accepted', (name) =>
    expect(errorsOf({ env: { [name]: 'x' } })).toEqual([]),
  );
});

describe('labels', () => {
  test.each(['', ' w', 'w ', 'a,b'])('the label "%s" is refused', (label) => {
    expect(errorsOf({ jobs: [job('a', { labels: ['ok', label] })] })).toEqual([
      `Validation error: Job 'a': label must be non-empty with no comma and no leading or trailing whitespace, got "${label}"`,
    ]);
  });

  it('labels may contain blanks and be repeated', () => {
    expect(errorsOf({ jobs: [job('a', { labels: ['big mem', 'gpu', 'gpu'] })] })).toEqual([]);
  });

  it('labels are checked after expansion', () => {
    const spec = { jobs: [job('a_{i}_{os}', { labels: ['{os}'], parameters: { i: '1:2', os: ['linux', ''] } })] };
    expect(codesOf(read(spec))).toEqual(['LABEL_MALFORMED jobs[0].labels[0]']);
  });

  it('labels and a scheduler exclude each other, unless there is no label', () => {
    const schedulers = { slurm_schedulers: [{ name: 's', account: 'a' }] };
    const [error] = errorsOf({ ...schedulers, jobs: [job('a', { labels: ['gpu'], scheduler: 's' })] });
    expect(error).toContain(`Validation error: Job 'a' sets both labels ["gpu"] and scheduler 's'`);
    expect(errorsOf({ ...schedulers, jobs: [job('a', { labels: [], scheduler: 's' })] })).toEqual([]);
  });
});

describe('dynamic jobs', () => {
  test.each([0, -1])('dynamic jobs with %d iterations are refused', (rounds) => {
    const [error] = errorsOf({ dynamic_jobs: { max_iterations: rounds } });
    expect(error).toContain(`Validation error: dynamic_jobs.max_iterations must be >= 1 (got ${rounds})`);
  });

  test.each([[{ max_iterations: 1 }], [{}], [null]])('dynamic jobs with %j are accepted', (dynamic) => {
    expect(errorsOf({ dynamic_jobs: dynamic })).toEqual([]);
  });
});

describe('slurm_defaults', () => {
  test.each(['partition', 'PARTITION', 'Nodes', 'WallTime', 'time', 'mem', 'gres', 'name', 'job-name'])(
    'torc sets %s itself, so slurm_defaults may not contain it',
    (name) => {
      const [error] = errorsOf({ slurm_defaults: { qos: 'x', [name]: 'x' } });
      expect(error).toContain(`slurm_defaults contains excluded parameters managed by torc: ${name}. `);
    },
  );

  test.each(['account', 'qos', 'job_name', 'nice', 'exclusive'])('slurm_defaults may set %s', (name) => {
    expect(errorsOf({ slurm_defaults: { [name]: 'x' } })).toEqual([]);
  });

  it('values in slurm_defaults that are not single values are ignored with a warning', () => {
    const reading = read({ slurm_defaults: { a: [1], b: {}, c: null, d: 1, e: true } });
    expect(codesOf(reading)).toEqual(['a', 'b', 'c'].map((name) => `SLURM_DEFAULT_SKIPPED slurm_defaults.${name}`));
    expect(reading.problems.every(({ severity }) => severity === 'warning')).toBe(true);
  });
});

describe('records named by a job must exist', () => {
  test.each([
    [
      { resource_requirements: 'x' },
      "Job 'a' references non-existent resource_requirements 'x'",
      "Resource requirements 'x' not found for job 'a'",
    ],
    [{ scheduler: 'x' }, "Job 'a' references non-existent scheduler 'x'", "Scheduler 'x' not found for job 'a'"],
    [{ failure_handler: 'x' }, "Failure handler 'x' not found for job 'a'", undefined],
  ])('a job with %j is refused', (fields, message, creation) => {
    const spec = { jobs: [job('a', fields)] };
    expect(errorsOf(spec)).toEqual([message]);
    expect(read(spec).problems[0]?.creation).toBe(creation);
  });

  it('an unknown name is reported with the name that was probably meant', () => {
    const spec = {
      jobs: [job('a', { resource_requirements: 'smal' })],
      resource_requirements: [{ name: 'small', num_cpus: 1, memory: '1g' }],
    };
    expect(read(spec).problems).toMatchObject([{ suggestion: 'small', path: 'jobs[0].resource_requirements' }]);
  });

  it('an unknown name is reported for each instance that has it', () => {
    const jobs = [job('a_{i}', { resource_requirements: 'r_{i}', parameters: { i: '1:3' } })];
    const spec = { jobs, resource_requirements: [{ name: 'r_2', num_cpus: 1, memory: '1g' }] };
    expect(errorsOf(spec)).toEqual([
      "Job 'a_1' references non-existent resource_requirements 'r_1'",
      "Job 'a_3' references non-existent resource_requirements 'r_3'",
    ]);
  });

  it("an unknown name of all instances is reported once in the file, and once an instance in Torc's list", () => {
    const spec = { jobs: [job('a_{i}', { failure_handler: 'x', parameters: { i: '1:2' } })] };
    expect(errorsOf(spec)).toEqual([
      "Failure handler 'x' not found for job 'a_1'",
      "Failure handler 'x' not found for job 'a_2'",
    ]);
    expect(read(spec).problems).toHaveLength(1);
  });
});

describe('errors of the server are reported before creation', () => {
  const requirements = (more: object) => ({
    resource_requirements: [{ name: 'r', num_cpus: 1, memory: '1g', ...more }],
  });

  test.each([
    [{ num_cpus: 0 }, 'num_cpus must be > 0'],
    [{ num_nodes: 0 }, 'num_nodes must be > 0'],
    [{ memory: '1.5g' }, 'Invalid number in memory string: 1.5'],
    [{ memory: '4gb' }, 'Invalid memory unit: b'],
    [{ runtime: 'PT' }, 'Invalid ISO 8601 duration format: PT'],
    [{ runtime: '1h' }, 'Invalid ISO 8601 duration format: 1h'],
    [{ name: 'default' }, "resource_requirements name 'default' is reserved"],
  ])('%j is refused before creation', (fields, message) => expect(errorsOf(requirements(fields))).toEqual([message]));

  test.each([[{ num_gpus: -1 }], [{ memory: '1024' }], [{ runtime: 'P1W' }], [{}]])(
    '%j is accepted before creation',
    (fields) => {
      expect(errorsOf(requirements(fields))).toEqual([]);
    },
  );

  it('a negative priority is refused before creation', () => {
    expect(errorsOf({ jobs: [job('a', { priority: -1 })] })).toEqual(["priority must be >= 0, got -1 for job 'a'"]);
    expect(errorsOf({ jobs: [job('a', { priority: 0 })] })).toEqual([]);
  });
});

describe('a file identifier', () => {
  const spec = (file: object, jobs: object[] = [job('j', { input_files: ['f'] })], more: object = {}) => ({
    enable_ro_crate: true,
    jobs,
    files: [
      { name: 'f', path: 'p', ...file },
      { name: 'g', path: 'q' },
    ],
    ...more,
  });

  test.each([
    ['an input by name', spec({ identifier: 'urn:f' })],
    ['an input by pattern', spec({ identifier: 'urn:f' }, [job('j', { input_file_regexes: ['^f$'] })])],
    ['an input by token', spec({ identifier: 'urn:f' }, [job('j', { command: 'cat ${files.input.f}' })])],
    ['a file with st_mtime', spec({ identifier: 'urn:f', st_mtime: 1.5 }, [])],
    ["the file's own path", spec({ identifier: 'p' })],
  ])('a file identifier is accepted on %s', (_what, given) => expect(errorsOf(given)).toEqual([]));

  test.each([
    ['without enable_ro_crate', { ...spec({ identifier: 'u' }), enable_ro_crate: false }, /File 'f'.*enable_ro_crate/],
    ['on an output', spec({ identifier: 'u' }, [job('j', { output_files: ['f'] })]), /output/],
    [
      'on an output that is input too',
      spec({ identifier: 'u' }, [job('i', { input_files: ['f'] }), job('j', { output_files: ['f'] })]),
      /output/,
    ],
    ['on a file that no job reads', spec({ identifier: 'u' }, []), /input/],
    ['that is the path of another file', spec({ identifier: 'q' }), /'q'.*'f'.*'g'/],
    ['that is empty', spec({ identifier: '' }), /empty/],
    ['that consists of tabs', spec({ identifier: '\t' }), /empty/],
    ['#torc-workflow', spec({ identifier: '#torc-workflow' }), /reserved/],
    ['#software-x', spec({ identifier: '#software-x' }), /'#software-x' is reserved/],
    ['#job-4-attempt-1', spec({ identifier: '#job-4-attempt-1' }), /reserved/],
    ['ro-crate-metadata.json', spec({ identifier: 'ro-crate-metadata.json' }), /reserved/],
    ['./', spec({ identifier: './' }), /reserved/],
  ])('a file identifier is refused %s', (_what, given, words) => {
    const [error, ...more] = errorsOf(given);
    expect(error).toMatch(/^File identifier validation failed: /);
    expect(error).toMatch(words);
    expect(more).toEqual([]);
  });

  it('a file identifier belongs to one file only', () => {
    const files = ['f', 'g'].map((name) => ({ name, path: name, identifier: 'u' }));
    const [error] = errorsOf({ enable_ro_crate: true, jobs: [job('j', { input_files: ['f', 'g'] })], files });
    expect(error).toBe("File identifier validation failed: Duplicate file identifier 'u' of files 'f' and 'g'");
  });

  it('a file identifier may contain parameters', () => {
    const files = [{ name: 'f_{i}', path: 'p{i}', identifier: 'urn:{i}', parameters: { i: '1:2' } }];
    const plan = planned({ enable_ro_crate: true, jobs: [job('j', { input_file_regexes: ['f'] })], files });
    expect([0, 1].map((file) => plan.files.at(file).identifier)).toEqual(['urn:1', 'urn:2']);
  });
});
