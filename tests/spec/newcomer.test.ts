import { describe, expect, it, test } from 'vitest';
import { formatProblem } from '../../src/core/workflow-file/problems/problems.ts';
import { planOfSpec, readSpec } from '../../src/core/workflow-file/read/read.ts';
import { read, readText } from './reading.ts';

/** The mistakes of the first hour with workflow files, and the line that a person reads about each. */

const lines = (text: string): string[] => readText(text).problems.map(formatProblem);
const job = (fields: string): string => `name: w\njobs:\n  - name: a\n    ${fields.split('\n').join('\n    ')}\n`;

describe('YAML that cannot be parsed is explained by the mistake, not by the rule of YAML', () => {
  test.each([
    [
      'a field that is indented further than the others',
      'name: w\njobs:\n  - name: a\n      command: x\n',
      '4:14: `command` begins in column 7 and `name`, above it, in column 5; the fields of one entry begin in the same column',
    ],
    [
      'a field that is indented less',
      'name: w\njobs:\n  - name: a\n   command: x\n',
      '4:4: `command` begins in column 4 and `name`, above it, in column 5; the fields of one entry begin in the same column',
    ],
    ['a tab', 'name: w\njobs:\n\t- name: a\n', '3:1: the line begins with a tab character; indent with spaces'],
    [
      'a colon in a command',
      job('command: echo a: b'),
      '4:20: the text contains a colon followed by a space: put the value of `command` in quotes, or write it on the next lines, indented, below `command: |`',
    ],
    [
      'quotes within quotes',
      job('command: "echo "hi""'),
      '4:21: the text goes on after its closing quote: use single quotes around it, or write it on the next lines, indented, below `command: |`',
    ],
    [
      'a command that begins with a brace',
      job('command: {x} foo'),
      '4:18: a text that begins with `{` needs quotes: put the value of `command` in quotes, or write it on the next lines, indented, below `command: |`',
    ],
    [
      'a pattern of files',
      job('command: *.sh'),
      '4:15: a text that begins with `*` needs quotes: put the value of `command` in quotes, or write it on the next lines, indented, below `command: |`',
    ],
    [
      'a backquote',
      job('command: `date`'),
      '4:14: a text that begins with a backquote needs quotes: put the value of `command` in quotes, or write it on the next lines, indented, below `command: |`',
    ],
    [
      'a redirection',
      job('command: > out.txt'),
      '4:16: after `>` the text begins on the next line, indented; a command that begins with `>` needs quotes',
    ],
    [
      'no space after a colon',
      'name: w\njobs:\n  - name:a\n    command: x\n',
      '4:12: write a space after the colon: `name: a`',
    ],
    [
      'no space after a dash',
      'name: w\njobs:\n  -name: a\n   command: x\n',
      '4:11: write a space after the dash: `- name`',
    ],
    [
      'a backslash in double quotes',
      job('command: "grep \\d"'),
      '4:21: a backslash in double quotes has a meaning of its own; use single quotes, or write \\\\',
    ],
    [
      'a block that is not indented',
      'name: w\njobs:\n  - name: a\n    command: |\n    x\n    y\n',
      '6:6: the lines below `command: |` must be indented further than `command`',
    ],
    [
      'braces within braces',
      'name: w\njobs:\n  - {name: a, command: echo {i}}\n',
      '3:29: within { } and [ ] a text with braces, brackets, commas or colons needs quotes',
    ],
    [
      'a list that is not closed',
      job('depends_on: [x\nenv: {}'),
      ' a quote, brace or bracket in a line above is not closed',
    ],
    ['a field without a colon', job('command: x\ndepends_on'), '5:15: write a colon and a value after `depends_on`'],
    [
      'a merge that was not finished',
      'name: w\njobs:\n<<<<<<< HEAD\n  - name: a\n',
      ' the file has markers of an unresolved merge (<<<<<<<, >>>>>>>); resolve the conflict',
    ],
  ])('%s', (_mistake, text, line) => {
    const reported = lines(text);
    expect(reported).toHaveLength(1);
    expect(reported[0]).toContain(line);
  });

  it('a text for which there is no advice keeps the sentence of the parser', () => {
    expect(lines('name: w\njobs: []\n--- \nname: x\n')).toEqual(['flow.yaml: more than one document']);
  });

  it('YAML that cannot be parsed is explained by the mistake, not by the rule of YAML keeps the sentence of the parser for programs', () => {
    const [problem] = readText('name: w\njobs:\n  - name: a\n   command: x\n').problems;
    expect(problem?.message).toBe('bad indentation of a sequence entry');
    expect(problem?.plain).toMatch(/^`command` begins in column 4 .* \(bad indentation of a sequence entry\)$/);
  });
});

describe('a value of the wrong kind is explained by its field, what it takes, what was found, and what to write', () => {
  const requirements = (field: string): string =>
    `name: w\njobs: []\nresource_requirements:\n  - {name: r, num_cpus: 1, memory: 1g, ${field}}\n`;
  test.each([
    [requirements('num_gpus: two'), '`num_gpus` must be a whole number; found the text "two"'],
    [
      requirements('num_gpus: "2"'),
      '`num_gpus` must be a whole number; found the text "2". Write it without quotes: 2',
    ],
    [requirements('num_nodes: 1.5'), '`num_nodes` must be a whole number; found the number 1.5'],
    [requirements('runtime: 5'), '`runtime` must be a text; found the number 5. Put it in quotes: "5"'],
    [job('command:'), '`command` must be a text; found nothing'],
    [
      job('command: [python, train.py, --fast]'),
      '`command` must be a text; found a list. Write it as one text: python train.py --fast',
    ],
    [
      job('command:\n  - echo 1\n  - echo 2'),
      '`command` must be a text; found a list. Write several commands below `command: |`, one per line, or join them with &&',
    ],
    [
      job('command: {x}'),
      '`command` must be a text; found the map {x}. YAML reads braces as a map; put the text in quotes: "{x}"',
    ],
    [job('command: x\ndepends_on: b'), '`depends_on` must be a list; found the text "b". Write it in brackets: ["b"]'],
    [
      job('command: x\nlabels: [1]'),
      'each entry of `labels` must be a text; found the number 1. Put it in quotes: "1"',
    ],
    [
      job('command: x\nenv: [A=1]'),
      '`env` must be a map of names and values; found a list. Write one line for each name, without dashes: NAME: "value"',
    ],
    [
      job('command: x\ncancel_on_blocking_job_failure: yes'),
      '`cancel_on_blocking_job_failure` must be true or false; found the text "yes". Write true, without quotes',
    ],
    [
      'name: w\njobs:\n  a:\n    command: x\n',
      '`jobs` must be a list; found the map {"a":{"command":"x"}}. Write a list, with the name as a field of each entry: jobs: [{ name: a, … }]',
    ],
    [
      'name: w\njobs:\n  name: a\n  command: x\n',
      '`jobs` must be a list; found the map {"name":"a","command":"x"}. Put a dash in front of each entry: - name: …',
    ],
    [
      'name: w\njobs:\n',
      '`jobs` must be a list; found nothing. Indent its entries below it, each with a dash; an empty list is []',
    ],
    ['just a text\n', 'a workflow file must be a map with fields such as `name`, `jobs`; found the text "just a text"'],
    [
      job('command: x\nparameters: { i: {1:3} }'),
      'a parameter is a text, a number or a list; YAML reads braces as a map: write "1:3"',
    ],
    [
      job('command: x\nparameters: { t: "http://x" }'),
      `"http://x" is no range of numbers such as 1:10 or 0:1:0.1; a text with a colon goes into a list: "['http://x']"`,
    ],
  ])('%s', (text, sentence) => {
    expect(lines(text).some((line) => line.endsWith(`: ${sentence}`) || line.endsWith(sentence))).toBe(true);
  });

  it('programs still find the words of Torc', () => {
    const [problem] = readText(requirements('num_gpus: two')).problems;
    expect(problem?.message).toBe('invalid type: string "two", expected i64');
  });
});

describe('an unknown field', () => {
  test.each([
    ['one of other tools', job('shell: x'), 'jobs[0].shell: unknown field `shell`; did you mean "command"?'],
    ['another one', job('command: x\nneeds: []'), 'jobs[0].needs: unknown field `needs`; did you mean "depends_on"?'],
    [
      'a field of a job that is not indented',
      'name: w\njobs:\n- name: a\n  command: x\ndepends_on: []\n',
      'depends_on: unknown field `depends_on`: it is a field of `jobs`: indent it as far as the other fields of its entry',
    ],
    [
      'a field of the workflow that is indented',
      job('command: x\nfiles: []'),
      'jobs[0].files: unknown field `files`: it is a field of the workflow: write it at the top of the file, not indented',
    ],
    [
      'what a job needs, written in the job',
      job('command: x\nnum_cpus: 2'),
      'jobs[0].num_cpus: unknown field `num_cpus`: it is a field of `resource_requirements`: write it there, and name that entry in the job: resource_requirements: NAME',
    ],
  ])('%s is reported with its place', (_what, text, line) => {
    expect(lines(text).map((each) => each.replace(/^flow\.yaml:\d+:\d+: /, ''))).toEqual([line]);
  });
});

describe('a name that leads nowhere', () => {
  const spec = {
    files: [{ name: 'x', path: 'out/x.txt' }],
    jobs: [
      { name: 'train_{i}', command: 'x', parameters: { i: '1:3' } },
      { name: 'sum', command: 'x' },
    ],
  };
  const reported = (fields: object) => {
    const [first, second] = spec.jobs;
    return read({ ...spec, jobs: [first, { ...second, ...fields }] }).problems.map(
      ({ plain, suggestion }) => plain ?? suggestion,
    );
  };

  it('a name that leads nowhere is explained as the jobs of an entry that makes many', () => {
    const words =
      "the entry 'train_{i}' makes 3 jobs, such as 'train_1'; to depend on all of them write depends_on_regexes: ['^train_']";
    expect(reported({ depends_on: ['train'] })).toEqual([`Job 'sum' depends_on non-existent job 'train'; ${words}`]);
    expect(reported({ depends_on: ['train_{i}'] })).toEqual([
      `Job 'sum' depends_on non-existent job 'train_{i}'; ${words}`,
    ]);
  });

  it('a name that leads nowhere is explained as a path where names of files are meant', () => {
    expect(reported({ input_files: ['out/x.txt', 'in.csv'] })).toEqual([
      "Job 'sum' input_files references non-existent file 'out/x.txt'; this is a path; write the name of the file, 'x', or the path in inputs",
      "Job 'sum' input_files references non-existent file 'in.csv'; name an entry of `files`, not a path; add the entry { name: NAME, path: 'in.csv' } and write NAME here, or write the path in inputs",
    ]);
  });

  it('a name that leads nowhere is reported with the nearest name otherwise', () => {
    expect(reported({ depends_on: ['trian_2'] })).toEqual(['train_2']);
  });
});

describe('a placeholder that nothing replaces is warned about', () => {
  const left = (spec: object): string[] =>
    read(spec).problems.map(({ code, severity, path, message }) => `${code} ${severity} ${path}: ${message}`);
  const command = (text: string, more: object = {}, spec: object = {}): string[] =>
    left({ ...spec, jobs: [{ name: 'a', command: text, ...more }] });
  const warned = (message: string, path = 'jobs[0].command'): string[] => [
    `PLACEHOLDER_LEFT warning ${path}: ${message}`,
  ];

  it('a placeholder that nothing replaces is warned about in a command without parameters, and in a path', () => {
    expect(command('echo {j}')).toEqual(
      warned('{j} stays as it is: this entry has no parameters; declare `j` in its `parameters`'),
    );
    expect(left({ files: [{ name: 'f', path: 'out/{j:03d}.txt' }] })).toEqual(
      warned('{j:03d} stays as it is: this entry has no parameters; declare `j` in its `parameters`', 'files[0].path'),
    );
  });

  it('a placeholder that nothing replaces is warned about when a parameter is misspelled', () => {
    const parameters = { parameters: { rate: '1:1' } };
    expect(command('echo {rat} {seed}', parameters)).toEqual([
      ...warned('{rat} stays as it is: there is no parameter `rat`'),
      ...warned('{seed} stays as it is: the parameters of this entry are rate'),
    ]);
  });

  it('a placeholder that nothing replaces is warned about when a parameter of the workflow is not used', () => {
    expect(command("awk '{i}'", {}, { parameters: { i: '1:3' } })).toEqual(
      warned('{i} stays as it is: to use the parameter of the workflow, add use_parameters: [i]'),
    );
  });

  it('a placeholder that nothing replaces is warned about when a token of Torc is written nearly right', () => {
    const files = { files: [{ name: 'x', path: 'p' }] };
    expect(command('cat {files.input.x} ${file.inputs.x} ${input.x} {input}', {}, files)).toEqual([
      ...warned('{input} stays as it is: write ${files.input.NAME} for the path of a file'),
      ...warned('{files.input.x} stays as it is: write ${files.input.x}'),
      ...warned('${file.inputs.x} stays as it is: write ${files.input.x}'),
      ...warned('${input.x} stays as it is: write ${files.input.x}'),
    ]);
    expect(command('cat ${files.input.x}', {}, files)).toEqual([]);
  });

  test.each([
    "awk '{print}' x",
    "awk '{print $1}' x",
    'jq "{name}" x',
    'echo ${HOME} ${x:-y} {1..3} {a,b} {}',
    "echo '{done}'",
    'curl -w "%{http_code}" u',
    'git show HEAD@{upstream}',
    'python -c "print(f\'{x}\')"',
    'cat <<EOF\n{name}\nEOF',
    'find . -exec ls {} +',
    'seq 3 | xargs -I{} echo {}',
    'echo {{j}}',
  ])('a placeholder that nothing replaces is warned about but not the braces of other programs: %s', (text) =>
    expect(command(text)).toEqual([]),
  );

  it('a placeholder that nothing replaces is warned about and not in commands that torc exec makes', () => {
    const { problems } = planOfSpec({ name: 'w', jobs: [{ name: 'a', command: 'echo {j}' }] }, 'exec', {
      readFile: () => '',
      isGenerated: true,
    });
    expect(problems).toEqual([]);
  });
});

describe('files that jobs write and read', () => {
  const files = [
    { name: 'x', path: 'out/x' },
    { name: 'same', path: 'out/x' },
    { name: 'raw_{i}', path: 'in/{i}', parameters: { i: '1:3' } },
  ];
  const reported = (jobs: object[], there: readonly string[] = []): string[] =>
    planOfSpec({ name: 'w', jobs, files }, 'flow', {
      readFile: () => '',
      fileExists: (path) => there.includes(path),
    }).problems.map(({ code, severity, path, message }) => `${severity} ${code} ${path}: ${message}`);
  const twice = "Jobs 'a' and 'b' both write out/x; the one that ends last overwrites the other's file";

  it('two jobs that write one file are warned about, by its name or by its path', () => {
    const a = { name: 'a', command: 'x', output_files: ['x'] };
    expect(reported([a, { name: 'b', command: 'x', output_files: ['x'] }])).toEqual([
      `warning FILE_WRITTEN_TWICE jobs[1].name: ${twice}`,
    ]);
    expect(reported([a, { name: 'b', command: 'x', output_files: ['same'] }])).toEqual([
      `warning FILE_WRITTEN_TWICE jobs[1].name: ${twice}`,
    ]);
    expect(reported([a, { name: 'b', command: 'x > ${files.output.same}' }])).toEqual([
      `warning FILE_WRITTEN_TWICE jobs[1].name: ${twice}`,
    ]);
  });

  it('files that jobs write and read are fine when one job changes what the other wrote, in order', () => {
    const a = { name: 'a', command: 'x', output_files: ['x'] };
    expect(reported([a, { name: 'b', command: 'x', output_files: ['x'], depends_on: ['a'] }])).toEqual([]);
    expect(reported([a, { name: 'b', command: 'x', input_files: ['x'] }])).toEqual([]);
  });

  it('a sweep whose jobs all write one file is warned about once', () => {
    expect(reported([{ name: 'a_{i}', command: 'x', parameters: { i: '1:9' }, output_files: ['x'] }])).toEqual([
      "warning FILE_WRITTEN_TWICE jobs[0].name: Jobs 'a_1' and 'a_2' both write out/x; the one that ends last overwrites the other's file",
    ]);
  });

  it('an input that is not there and that no job writes is warned about, once for an entry', () => {
    const reads = [{ name: 'r', command: 'x', input_file_regexes: ['^raw_'] }];
    expect(reported(reads)).toEqual([
      "warning INPUT_MISSING files[2].path: in/1 and 2 more of this entry do not exist, jobs such as 'r' read them, and no job writes them. Name them in output_files of the job that writes them, or put them there before you start",
    ]);
    expect(reported(reads, ['in/1', 'in/2'])).toEqual([
      "warning INPUT_MISSING files[2].path: in/3 does not exist, job 'r' reads it, and no job writes it. Name it in output_files of the job that writes it, or put it there before you start",
    ]);
    expect(reported(reads, ['in/1', 'in/2', 'in/3'])).toEqual([]);
  });

  it('an input that a job writes under another name of the same path is not missing', () => {
    expect(
      reported([
        { name: 'a', command: 'x', output_files: ['same'] },
        { name: 'b', command: 'x', input_files: ['x'], depends_on: ['a'] },
      ]),
    ).toEqual([]);
  });

  it('the disk is not read where a file cannot be looked for', () => {
    const { problems } = readSpec(
      {
        name: 'flow.yaml',
        text: 'name: w\njobs: [{name: a, command: x, input_files: [f]}]\nfiles: [{name: f, path: nowhere}]\n',
      },
      { readFile: () => '' },
    );
    expect(problems).toEqual([]);
  });
});

describe('a name of digits that is read as a number is a warning, with the text that keeps it', () => {
  const sweep = (value: string, token = '{s}') =>
    job(`command: echo ${token}\nparameters: {s: ${value}}`).replace('name: a', `name: 'a_${token}'`);
  const advice = (text: string, number: string, keeps: string) =>
    `4:14: jobs[0].parameters.s: ${text} is read as a number and written as ${number}; to keep it, write ${keeps}`;
  test.each([
    ["'[007, 010]'", '007', '7', `{s:03d}, or "['007']" in a list`],
    ["'[5, 08]'", '08', '8', `{s:02d}, or "['08']" in a list`],
    ["'[0.5, 1.0]'", '1.0', '1', `{s:.1f}, or "['1.0']" in a list`],
    ['[0.5, 1.50]', '1.50', '1.5', `{s:.2f}, or "['1.50']" in a list`],
    ["'[1e3]'", '1e3', '1000', `"['1e3']" in a list`],
    ["'01:3'", '01', '1', `{s:02d}, or "['01']" in a list`],
    ["'+5'", '+5', '5', `"['+5']" in a list`],
  ])('parameters: {s: %s}', (value, text, number, keeps) => {
    const [line] = lines(sweep(value)).map((each) =>
      each.replace(/^\S*?:(\d+:\d+): warning: |^\S*?:(\d+:\d+): /, '$1$2: '),
    );
    expect(line?.replace(/^\d+:\d+/, '4:14')).toBe(advice(text, number, keeps));
  });

  test.each(["'[7, 10]'", "'0:1:0.25'", '[007, 010]', `"['007', '010']"`, "'[0.5, 1]'", "'[red, 1x]'", "'1:3'"])(
    'there is no warning where the text is kept: %s',
    (value) => expect(lines(sweep(value))).toEqual([]),
  );

  it('nor where a format writes it as it was', () => {
    expect(lines(sweep("'[007, 010]'", '{s:03d}'))).toEqual([]);
    expect(lines(sweep("'[007, 010]'", '{s:03d} {s}'))).toHaveLength(1);
  });
});

it('a number where a text is wanted is shown as it was written', () => {
  expect(lines(job('command: x\nenv: {PY: 3.10}'))).toEqual([expect.stringContaining('Put it in quotes: "3.10"')]);
});

describe('a value of env that only a shell would replace is a warning with what to write', () => {
  test.each(['$PWD/bin:$PATH', '${HOME}/x', '~/bin', '/opt/bin:~/bin', '%USERPROFILE%\\x', '$(nproc)'])(
    '%s',
    (value) => {
      expect(lines(job(`command: x\nenv: {A: '${value}'}`))).toEqual([
        expect.stringContaining(
          `as it is written, since no shell reads \`env\`; for a value that the shell makes, begin the command with export A="…"`,
        ),
      ]);
    },
  );

  test.each(['/opt/bin:/usr/bin', 'pa$word', 'a$', '50%', 'x~', '$1', '100%_of_%d', 'backup~:1'])(
    'there is no warning of what no shell would replace: %s',
    (value) => expect(lines(job(`command: x\nenv: {A: '${value}'}`))).toEqual([]),
  );
});

it('a command that no system starts is refused before the workflow is created, and the longest that it starts is not', () => {
  const long = (letters: number, more = '') => lines(job(`command: ":${'x'.repeat(letters - 1)}${more}"`));
  expect(long(131_072)).toEqual([
    expect.stringContaining('the command has 131072 letters, and the system starts none of more than 131071 bytes'),
  ]);
  expect(long(131_071)).toEqual([]);
});
