import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { codesOf, errorsOf, jobsOf, planned, read } from '../../../../tests/spec/reading.ts';
import { dryRunReport } from '../read/dry-run.ts';
import { executionPlan } from '../plan/execution-plan.ts';
import { isAcceptable, planOfSpec } from '../read/read.ts';

const job = (name: string, more: object = {}) => ({ name, command: 'x', ...more });
const three = [job('work_1'), job('work_2'), job('work_3')];
const dependsOn = (jobs: object[]): number[] => [...(jobsOf({ jobs }).at(-1)?.dependsOn ?? [])];

describe('dependencies', () => {
  test.each([
    [{ depends_on: ['work_2', 'work_1'] }, [1, 0]],
    [{ depends_on: ['work_2', 'work_2'] }, [1]],
    [{ depends_on_regexes: ['work_.*'] }, [0, 1, 2]],
    [{ depends_on_regexes: ['^work_[12]$', '3'] }, [0, 1, 2]],
    [{ depends_on: ['work_3'], depends_on_regexes: ['_1'] }, [2, 0]],
    [{ depends_on_regexes: ['(?i)WORK_\\d'] }, [0, 1, 2]],
    [{ depends_on_regexes: ['ork_2'] }, [1]],
  ])('the dependencies %j refer to the jobs %j', (fields, numbers) =>
    expect(dependsOn([...three, job('end', fields)])).toEqual(numbers),
  );

  it('dependencies may contain parameters, one value for each instance', () => {
    const jobs = [
      job('a_{i}', { parameters: { i: '1:3' } }),
      job('b_{i}', { depends_on: ['a_{i}'], parameters: { i: '1:3' } }),
      job('c_{i}', { depends_on_regexes: ['^[ab]_{i}$'], parameters: { i: '1:3' } }),
    ];
    expect(jobsOf({ jobs }).map((one) => [...one.dependsOn])).toEqual([
      [],
      [],
      [],
      [0],
      [1],
      [2],
      [0, 3],
      [1, 4],
      [2, 5],
    ]);
  });

  test.each([
    [{ depends_on: ['b'] }, "Job 'a' depends_on non-existent job 'b'", "Blocking job 'b' not found for job 'a'"],
    [
      { depends_on_regexes: ['^b'] },
      "Job 'a' depends_on_regexes '^b' did not match any jobs",
      "Blocking job regex '^b' did not match any jobs for job 'a'",
    ],
    [
      { input_files: ['x'] },
      "Job 'a' input_files references non-existent file 'x'",
      "Input file 'x' not found for job 'a'",
    ],
    [
      { output_files: ['x'] },
      "Job 'a' output_files references non-existent file 'x'",
      "Output file 'x' not found for job 'a'",
    ],
    [
      { input_user_data: ['x'] },
      "Job 'a' input_user_data references non-existent user_data 'x'",
      "Input user data 'x' not found for job 'a'",
    ],
    [
      { output_user_data: ['x'] },
      "Job 'a' output_user_data references non-existent user_data 'x'",
      "Output user data 'x' not found for job 'a'",
    ],
    [
      { input_file_regexes: ['^x'] },
      "Input file regex '^x' did not match any names for job 'a'",
      "Input file regex '^x' did not match any names for job 'a'",
    ],
    [
      { output_file_regexes: ['^x'] },
      "Output file regex '^x' did not match any names for job 'a'",
      "Output file regex '^x' did not match any names for job 'a'",
    ],
    [
      { input_user_data_regexes: ['^x'] },
      "Input user data regex '^x' did not match any names for job 'a'",
      "Input user data regex '^x' did not match any names for job 'a'",
    ],
    [
      { output_user_data_regexes: ['^x_\\d+$'] },
      "Output user data regex '^x_\\d+$' did not match any names for job 'a'",
      "Output user data regex '^x_\\d+$' did not match any names for job 'a'",
    ],
  ])('dependencies on unknown jobs (%j) are refused', (fields, message, creation) => {
    const spec = { jobs: [job('a', fields)] };
    expect(errorsOf(spec)).toEqual([message]);
    expect(read(spec).problems[0]?.creation).toBe(creation);
  });

  test.each([
    [{ depends_on_regexes: ['['] }, "Job 'a' has invalid depends_on_regexes '[': regex parse error"],
    [{ input_file_regexes: ['['] }, "Job 'a' has invalid input_file_regexes '[': regex parse error"],
    [
      { input_file_regexes: ['(?=x)'] },
      "Job 'a' has invalid input_file_regexes '(?=x)': regex parse error: look-around",
    ],
    [
      { output_user_data_regexes: ['(a)\\1'] },
      "Job 'a' has invalid output_user_data_regexes '(a)\\1': regex parse error: backreferences",
    ],
  ])('the dependency pattern %j is refused', (fields, words) => {
    const [error, ...more] = errorsOf({ jobs: [job('a', fields)] });
    expect(error).toContain(words);
    expect(more).toEqual([]);
  });

  it('a misspelled dependency is reported with the name that was meant', () => {
    const { problems } = read({ jobs: [...three, job('end', { depends_on: ['wrok_1'] })] });
    expect(problems).toMatchObject([{ suggestion: 'work_1', path: 'jobs[3].depends_on[0]' }]);
  });

  it('the job itself is never what its misspelled dependency means, and a name of one letter means no other', () => {
    const { problems } = read({ jobs: [job('work', { depends_on: ['wrok'] }), job('a', { depends_on: ['b'] })] });
    expect(problems.map(({ suggestion }) => suggestion)).toEqual([undefined, undefined]);
  });

  it('a pattern that only repeats named dependencies is a warning, where Torc calls it unmatched', () => {
    const reading = read({ jobs: [...three, job('end', { depends_on: ['work_1'], depends_on_regexes: ['work_1'] })] });
    expect(codesOf(reading)).toEqual(['PATTERN_REDUNDANT jobs[3].depends_on_regexes[0]']);
    expect(reading.problems[0]?.severity).toBe('warning');
  });

  it("an unknown dependency is reported once in the file and once an instance in Torc's list", () => {
    const spec = { jobs: [job('a_{i}', { depends_on: ['gone'], parameters: { i: '1:2' } })] };
    expect(errorsOf(spec)).toEqual([
      "Job 'a_1' depends_on non-existent job 'gone'",
      "Job 'a_2' depends_on non-existent job 'gone'",
    ]);
    expect(read(spec).problems).toHaveLength(1);
  });

  it('too many dependencies are refused, with a way to avoid them', () => {
    const jobs = [
      job('a_{i}', { parameters: { i: '1:100' } }),
      job('b_{i}', { depends_on_regexes: ['^a_'], parameters: { i: '1:100' } }),
    ];
    const options = { readFile: () => '', maxEdges: 9999 };
    const { problems } = planOfSpec({ name: 'w', jobs }, 'w', options);
    expect(problems).toMatchObject([{ code: 'EDGES_TOO_MANY', found: '10000' }]);
    expect(problems[0]?.message).toContain('barrier');
    expect(planOfSpec({ name: 'w', jobs }, 'w', { ...options, maxEdges: 10_000 }).problems).toEqual([]);
    const listed = [...Array(5).keys()].map((i) =>
      job(`j${i}`, { depends_on: [0, 1, 2, 3, 4].filter((k) => k < i).map((k) => `j${k}`) }),
    );
    expect(planOfSpec({ name: 'w', jobs: listed }, 'w', { ...options, maxEdges: 9 }).problems).toMatchObject([
      { code: 'EDGES_TOO_MANY' },
    ]);
  });
});

describe('a circle of dependencies', () => {
  it('a circle is shown as the path from one job to the next', () => {
    const spec = {
      jobs: [job('a', { depends_on: ['b'] }), job('b', { depends_on: ['c'] }), job('c', { depends_on: ['a'] })],
    };
    expect(errorsOf(spec)).toEqual(["Circular dependency detected involving jobs: 'a', 'b', 'c' (a → b → c → a)"]);
    expect(read(spec).problems).toMatchObject([
      { code: 'CYCLE', found: 'a → b → c → a', path: 'jobs[0].depends_on[0]' },
    ]);
  });

  test.each([
    [[job('a', { depends_on: ['a'] })], 'a → a'],
    [[job('a', { depends_on_regexes: [''] })], 'a → a'],
    [[job('ab', { depends_on_regexes: ['b$'] }), job('b')], 'ab → ab'],
    [[job('a_1', { depends_on: ['b_1'] }), job('b_1', { depends_on_regexes: ['^a_\\d$'] })], 'a_1 → b_1 → a_1'],
  ])('%j is a circle', (jobs, text) =>
    expect(read({ jobs }).problems[0]).toMatchObject({ code: 'CYCLE', found: text }),
  );

  it('the place of a circle is where a job names the next one, by name or by pattern', () => {
    const waiting = job('a_{i}', { depends_on: ['z', 'c_{i}'], parameters: { i: '1:1' } });
    expect(codesOf(read({ jobs: [job('z'), waiting, job('c_1', { depends_on: ['a_1'] })] }))).toEqual([
      'CYCLE jobs[1].depends_on[1]',
    ]);
    expect(codesOf(read({ jobs: [job('z'), job('a', { depends_on_regexes: ['^z', '^a'] })] }))).toEqual([
      'CYCLE jobs[1].depends_on_regexes[1]',
    ]);
  });

  it('a circle through files or user data is an error: Torc creates it, and it could never be initialized', () => {
    const files = [{ name: 'f', path: 'f' }];
    const user_data = [{ name: 'u' }];
    const jobs = [
      job('a', { input_files: ['f'], output_user_data: ['u'] }),
      job('b', { input_user_data_regexes: ['^u$'], output_file_regexes: ['^f$'] }),
    ];
    const reading = read({ jobs, files, user_data });
    expect(reading.plan).toBeDefined();
    expect(reading.problems).toMatchObject([{ code: 'CYCLE_IMPLICIT', severity: 'error', found: 'a → b → a' }]);
    expect(isAcceptable(reading)).toBe(false);
    expect(dryRunReport(reading)).toMatchObject({
      valid: false,
      errors: [expect.stringContaining('a → b → a')],
      warnings: [],
    });
  });

  it('a job that reads and writes the same file is not a circle', () => {
    const spec = { jobs: [job('a', { input_files: ['f'], output_files: ['f'] })], files: [{ name: 'f', path: 'f' }] };
    expect(read(spec).problems).toEqual([]);
  });
});

describe('files and user data', () => {
  const files = ['f_1', 'f_2', 'g'].map((name) => ({ name, path: `out/${name}` }));
  const waiting = (jobs: object[]): string[] =>
    executionPlan(planned({ jobs, files, user_data: [{ name: 'u', data: 1 }] })).events.map(({ id }) => id);

  test.each([
    ['by name on both sides', { output_files: ['f_1'] }, { input_files: ['f_1'] }],
    ['by pattern of the reader', { output_files: ['f_1'] }, { input_file_regexes: ['^f_'] }],
    ['by pattern of the writer', { output_file_regexes: ['^f_'] }, { input_files: ['f_2'] }],
    ['by patterns on both sides', { output_file_regexes: ['^f_'] }, { input_file_regexes: ['1$'] }],
    ['by tokens', { command: 'x > ${files.output.g}' }, { command: 'cat ${files.input.g}' }],
    ['by tokens of scripts', { invocation_script: '${files.output.g}' }, { invocation_script: '${files.input.g}' }],
    ['by user data', { output_user_data: ['u'] }, { input_user_data: ['u'] }],
    ['by a token for user data', { output_user_data_regexes: ['u'] }, { command: 'x ${user_data.input.u}' }],
  ])('the reader waits for the writer, %s', (_what, writer, reader) => {
    expect(waiting([job('w', writer), job('r', reader)])).toEqual(['start', 'after_w']);
  });

  it('a file that no job writes causes no dependency', () => {
    expect(waiting([job('r', { input_files: ['g'] })])).toEqual(['start']);
    expect(waiting([job('a', { output_files: ['g'] }), job('r', { input_files: ['f_1'] })])).toEqual(['start']);
  });
});

describe('a token in a command', () => {
  const files = [
    { name: 'in_{i}', path: 'data/{i}.csv', parameters: { i: '1:2' } },
    { name: 'other', path: 'o' },
  ];
  const user_data = [{ name: 'u', data: { k: [1, 'x'] } }, { name: 'empty' }];
  const made = (more: object) => jobsOf({ jobs: [job('j', more)], files, user_data })[0];

  it('a token becomes the path of a file, or data as compact JSON', () => {
    const command = 'run ${files.input.in_1} ${user_data.input.u} > ${files.output.other}';
    expect(made({ command })).toMatchObject({
      command: 'run data/1.csv {"k":[1,"x"]} > o',
      inputFiles: Int32Array.of(0),
      outputFiles: Int32Array.of(2),
      inputUserData: Int32Array.of(0),
    });
  });

  it('a token may contain parameters, which are replaced first', () => {
    const jobs = [job('j_{i}', { command: 'cat ${files.input.in_{i}}', parameters: { i: '1:2' } })];
    expect(jobsOf({ jobs, files }).map(({ command }) => command)).toEqual(['cat data/1.csv', 'cat data/2.csv']);
  });

  test.each([
    ['in the command', { command: 'x ${files.input.in_1}', input_files: ['other'] }, { inputFiles: [2, 0] }],
    ['in the script', { invocation_script: '${files.input.in_1}', input_files: ['other'] }, { inputFiles: [2, 0] }],
    ['of a file that is named too', { command: '${files.input.other}', input_files: ['other'] }, { inputFiles: [2] }],
    ['beside a pattern', { command: '${files.input.other}', input_file_regexes: ['^in_'] }, { inputFiles: [2, 0, 1] }],
    ['for an output', { command: '${files.output.in_1}', output_files: ['other'] }, { outputFiles: [2, 0] }],
    ['for user data', { command: '${user_data.input.u}', input_user_data: ['empty'] }, { inputUserData: [1, 0] }],
    [
      'for data it writes',
      { command: '${user_data.output.u}', output_user_data: ['empty'] },
      { outputUserData: [1, 0] },
    ],
  ])('a token is added to the records that the job names in its lists, %s', (_where, fields, lists) => {
    const job = made(fields);
    const found = Object.fromEntries(
      Object.keys(lists).map((list) => [list, [...(job?.[list as 'inputFiles'] ?? [])]]),
    );
    expect(found).toEqual(lists);
  });

  it('a token and a name in a list both cause a dependency', () => {
    const jobs = [
      job('a', { output_files: ['in_1'] }),
      job('b', { output_files: ['other'] }),
      job('end', { command: 'x ${files.input.in_1}', input_files: ['other'] }),
    ];
    const { events } = executionPlan(planned({ jobs, files, user_data }));
    expect(events.find(({ jobs_becoming_ready: ready }) => ready.includes('end'))?.trigger).toMatchObject({
      data: { jobs: ['a', 'b'] },
    });
  });

  test.each(['${HOME}', '${files.input}', '${files.other.x}', '$files.input.other', '${env.input.x}'])(
    'a text is not a token if it is %s, and stays',
    (command) => {
      expect(made({ command })?.command).toBe(command);
    },
  );

  test.each([
    ['TOKEN_UNKNOWN', 'error', '${files.input.otter}', 'names no file of this workflow', 'other'],
    [
      'TOKEN_UNKNOWN',
      'error',
      '${user_data.output.nothing_like_it}',
      'names no user data record of this workflow',
      undefined,
    ],
    ['TOKEN_EMPTY', 'warning', '${user_data.input.empty}', 'it has no data', undefined],
  ])('a token without a value is a problem, %s, an %s: %s', (code, severity, command, why, suggestion) => {
    const reading = read({ jobs: [job('j', { command })], files, user_data });
    expect(reading.plan?.jobs.at(0)).toMatchObject({
      command,
      inputFiles: new Int32Array(),
      inputUserData: new Int32Array(),
    });
    expect(reading.problems).toMatchObject([{ code, severity, path: 'jobs[0].command' }]);
    expect(reading.problems[0]?.message).toContain(why);
    expect(reading.problems[0]?.suggestion).toBe(suggestion);
  });
});

test('a job read by its number, in any order, equals the one found by counting', () => {
  const plan = planned({
    jobs: [
      job('a_{i}', { parameters: { i: '1:5' }, env: { I: '{i}' } }),
      job('b_{i}_{k}', {
        parameters: { i: '1:5', k: '[x,y]' },
        depends_on: ['a_{i}'],
        command: '{k} ${files.input.f_{i}}',
      }),
      job('c', { depends_on_regexes: ['^b_'] }),
    ],
    files: [{ name: 'f_{i}', path: 'p{i}', parameters: { i: '1:5' } }],
  });
  const counted = Array.from({ length: plan.jobs.length }, (_, index) => plan.jobs.at(index));
  fc.assert(
    fc.property(fc.nat({ max: plan.jobs.length - 1 }), (index) => {
      expect(plan.jobs.at(index)).toEqual(counted[index]);
    }),
  );
});

test('the levels of a random workflow respect every dependency', () => {
  const lists = fc.array(fc.array(fc.nat({ max: 100 }), { maxLength: 3 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(lists, fc.func(fc.integer()), (waitsFor, order) => {
      const jobs = waitsFor
        .map((list, at) => job(`j${at}`, { depends_on: at === 0 ? [] : list.map((number) => `j${number % at}`) }))
        .toSorted((a, b) => order(a.name) - order(b.name));
      const plan = planned({ jobs });
      const level = new Map<number, number>();
      for (let at = 0; at + 1 < plan.levels.starts.length; at += 1) {
        for (const one of plan.levels.items.subarray(plan.levels.starts[at], plan.levels.starts[at + 1]))
          level.set(one, at);
      }
      for (let number = 0; number < jobs.length; number += 1) {
        for (const other of plan.jobs.at(number).dependsOn)
          expect(level.get(other)).toBeLessThan(level.get(number) ?? -1);
      }
    }),
  );
});
