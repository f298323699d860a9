import { spawnSync } from 'node:child_process';
import { describe, expect, it, test } from 'vitest';
import { planned } from '../../../tests/spec/reading.ts';
import { printedJob as printed } from '../../../tests/support/snakemake.ts';
import { each } from '../../core/lists/sequence.ts';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { leavesOut, noteText } from '../conversion.ts';
import { convertSnakemake } from './convert.ts';
import { readDryRun } from './dry-run.ts';

const END = 'Job stats:\njob      count\n-----  -------\ntotal        6\n\nThis was a dry-run (flag -n).\n';
const convert = (text: string, jobs: readonly string[]) =>
  convertSnakemake({ files: [{ path: 'Snakefile', text }], printed: [...jobs, END].join('\n') });
const made = printed('made', { input: 'in.txt', output: 'a.txt, b.txt', threads: '2' }, 'run in.txt');

it('files of temp() that jobs read are temporary, those of protected() are protected, and their rules need no Snakemake', () => {
  const text =
    'rule made:\n  output: temp("a.txt"), b=temporary("b.txt")\n  shell: "x"\nrule used:\n  output: protected("out/{s}.txt"), temp(directory("d"))\n  shell: "y"\n';
  const used = printed('used', { input: 'a.txt', output: 'out/c.txt, d', wildcards: 's=c' }, 'y');
  const { workflow, notes } = convert(text, [made, used]);
  const files = Object.fromEntries([...each(planned(workflow).files)].map(({ path, fate }) => [path, fate]));
  // No job reads b.txt and d: Snakemake keeps such a file where it is a target.
  expect(files).toEqual({
    'in.txt': {},
    'a.txt': { temporary: true },
    'b.txt': {},
    'out/c.txt': { protected: true },
    d: {},
  });
  expect(notes).toEqual([]);
  expect(planned(workflow).jobs.at(1).command).toContain('set -euo pipefail');
});

it('the jobs of a dry run become jobs with files, in the shell mode of Snakemake', () => {
  const used = printed(
    'used',
    { input: 'a.txt', output: 'out/c.txt', log: 'logs/c.log', wildcards: 's=s1, n=2' },
    '\n        one a.txt\n        two\n        ',
  );
  const { workflow, notes } = convert('rule made:\n  shell: "x"\nrule used:\n  shell: "y"\n', [
    made,
    used,
    printed('all', { input: 'out/c.txt' }, 'None', 'localrule'),
  ]);
  expect(notes).toEqual([]);
  const { jobs, resourceRequirements } = planned(workflow);
  expect(jobs.length).toBe(2);
  expect(jobs.at(0)).toMatchObject({ name: 'made', command: 'rm -f -- a.txt b.txt\nset -euo pipefail\nrun in.txt' });
  expect(jobs.at(1)).toMatchObject({
    name: 'used_s1_2',
    command: 'mkdir -p logs\nrm -f -- out/c.txt logs/c.log\nset -euo pipefail\none a.txt\ntwo',
  });
  expect(jobs.at(1).inputFiles).toEqual(jobs.at(0).outputFiles.slice(0, 1));
  expect(resourceRequirements).toMatchObject([{ num_cpus: 2, memory: '2g' }]);
});

test.each([
  ['mem_mb=200, runtime=5', { num_cpus: 1, memory: '191m', runtime: 'PT5M' }],
  ['tmpdir=/tmp, mem_mb=4000, gpu=2', { num_cpus: 1, memory: '4g', num_gpus: 2 }],
  ['cpus_per_task=4, mem_mb_per_cpu=1000, gres=gpu:a100:2', { num_cpus: 4, memory: '4g', num_gpus: 2 }],
])('the resources "%s" become %j', (resources, expected) => {
  const { workflow } = convert('rule r:\n', [printed('r', { output: 'o', resources }, 'x')]);
  expect(workflow['resource_requirements']).toMatchObject([expected]);
});

it('the format of versions before 9, with the command behind an empty line, is read too', () => {
  const [job] = readDryRun(
    '\n[Wed Nov  5 23:12:09 2025]\nrule r:\n    input: a\n    output: b\n    jobid: 0\n\n\n        one\n          two\n        \nJob stats:\n',
  );
  expect(job).toMatchObject({ rule: 'r', input: ['a'], output: ['b'], shell: 'one\n  two' });
});

describe('an output of ensure()', () => {
  const commandOf = (output: string) => {
    const text = `rule r:\n  output:\n    ${output}\n  shell: "x"\n`;
    const { workflow } = convert(text, [printed('r', { output: 'out/s1.txt, b.txt' }, 'x')]);
    return planned(workflow).jobs.at(0).command;
  };
  const test = (path: string) => `test -s ${path} || { echo '${path} is empty' >&2; exit 1; }`;
  const remove = 'rm -f -- out/s1.txt b.txt';
  const shell = `${remove}\nset -euo pipefail\n(\nx\n)`;

  it.each([
    ['ensure("out/{s}.txt", non_empty=True), "b.txt"', `${shell}\n${test('out/s1.txt')}`],
    ['"out/{s}.txt",\n    ensure(\n      \'b.txt\',\n      non_empty=True,\n    )', `${shell}\n${test('b.txt')}`],
    [
      'ensure("out/{s,\\w+}.txt", non_empty=True), b=ensure("b.txt", non_empty = True)',
      `${shell}\n${test('out/s1.txt')}\n${test('b.txt')}`,
    ],
    ['"out/{s}.txt", "b.txt"\n    # ensure("b.txt", non_empty=True)', `${remove}\nset -euo pipefail\nx`],
  ])('an output that must not be empty is tested behind the command: %s', (output, command) => {
    expect(commandOf(output)).toBe(command);
  });

  it.each([
    'ensure("b.txt", sha256="aa"), "out/{s}.txt"',
    'ensure("b.txt", non_empty=True, md5="aa"), "out/{s}.txt"',
    'ensure(temp("b.txt"), non_empty=True), "out/{s}.txt"',
    'ensure(f"{OUT}/b.txt", non_empty=True), "out/{s}.txt"',
    'ensure("other.txt", non_empty=True), "out/{s}.txt"',
    'ensure("b.txt", non_empty=False), "out/{s}.txt"',
  ])('an output of another ensure() lets Snakemake run the rule: %s', (output) => {
    expect(commandOf(output)).toMatch(/^snakemake /);
  });

  it('an output that is empty fails the job, also if the command goes to another folder or ends its shell', () => {
    const folder = temporaryFolder();
    const run = (command: string) => spawnSync('bash', ['-c', command], { cwd: folder, encoding: 'utf8' });
    const { workflow } = convert('rule r:\n  output: ensure("b.txt", non_empty=True)\n', [
      printed('r', { output: 'b.txt' }, 'echo $V > b.txt; cd /; exit'),
    ]);
    const { command } = planned(workflow).jobs.at(0);
    expect(run(`V=1\n${command}`)).toMatchObject({ status: 0, stderr: '' });
    expect(run(command.replace('echo $V', 'printf ""'))).toMatchObject({ status: 1, stderr: 'b.txt is empty\n' });
  });
});

describe('a rule that needs Snakemake becomes a job that lets it run this rule', () => {
  test.each([
    ['run:\n    pass', 'None', '--force --quiet all --allowed-rules r -- o'],
    ['conda: "env.yaml"\n  shell: "x"', 'x', '--software-deployment-method conda --allowed-rules r -- o'],
    ['output: touch("o")\n  shell: "x"', 'x', '--allowed-rules r -- o'],
  ])('a rule with %j', (directives, shell, command) => {
    const { workflow, notes } = convert(`rule r:\n  ${directives}\n`, [printed('r', { output: 'o' }, shell)]);
    expect(planned(workflow).jobs.at(0).command).toContain(command);
    expect(notes.map(noteText)).toEqual([expect.stringContaining('Snakefile:1: note: rule r: ')]);
  });

  it('a rule of the next block or of a comment does not make it need Snakemake', () => {
    const text = 'rule r:\n  shell: "x"\n# run:\nrule other:\n  run:\n    pass\n';
    const { workflow } = convert(text, [printed('r', { output: 'o' }, 'x')]);
    expect(planned(workflow).jobs.at(0).command).toBe('rm -f -- o\nset -euo pipefail\nx');
  });
});

test.each([
  ['rule r:\n  output: pipe("o")\n', 'Snakefile:1: left out: a pipe or service of rule r'],
  ['rule r:\n  output: temp(config["o"])\n', 'Snakefile:1: note: temp() in rule r'],
  ['rule r:\n  retries: config["tries"]\n', 'Snakefile:1: left out: retries of rule r'],
  ['rule r:\n  group: "g"\n', 'Snakefile:1: note: group of rule r'],
  ['rule r:\n  benchmark: "b.tsv"\n', 'Snakefile:1: note: benchmark of rule r'],
  ['rule r:\n  resources: mem_mb=lambda wc, attempt: attempt\n', 'Snakefile: note: attempt: no rule has retries'],
  ['\nworkdir: "there"\nrule r:\n  shell: "x"\n', 'Snakefile:2: left out: workdir: "there"'],
  ['container: "docker://x"\nrule r:\n  shell: "x"\n', 'Snakefile:1: left out: container: '],
  ['include: config["x"]\nrule r:\n  shell: "x"\n', 'Snakefile:1: left out: an include or module'],
  ['shell.prefix("x; ")\nrule r:\n  shell: "x"\n', 'Snakefile:1: left out: shell.prefix("x; ")'],
  ['onsuccess:\n  print()\nrule r:\n  shell: "x"\n', 'Snakefile:1: note: onsuccess:'],
])('of the Snakefile %j the report says "%s"', (text, expected) => {
  const conversion = convert(text, [printed('r', { output: 'o' }, 'x')]);
  expect(conversion.notes.map(noteText)).toEqual([expect.stringContaining(expected)]);
  expect(leavesOut(conversion)).toBe(expected.includes('left out'));
});

it('jobs of a group, which are indented, are jobs; bash as the shell is what jobs have anyway', () => {
  const job = printed('r', { output: 'o' }, 'x').replaceAll(/^(?=[^S])/gm, '    ');
  const { workflow, notes } = convert('shell.executable("/bin/bash")\nrule r:\n', [
    `[Wed Nov 25 23:19:41 2026] Group job 0:\n\n${job}`,
    job,
  ]);
  expect(planned(workflow).jobs.at(1)).toMatchObject({ name: 'r_2', command: 'rm -f -- o\nset -euo pipefail\nx' });
  expect(notes).toEqual([]);
});

it('jobs that Snakemake counts and does not show, those of a rule with a message, are left out', () => {
  const counts =
    'Job stats:\njob      count\n-----  -------\nr            1\nhidden       2\nall          1\ntotal        4\n\n';
  const hidden = '[Wed Nov 25 23:21:59 2026]\nJob 1: Copying\nReason: Forced execution\nShell command: cp a b\n';
  const jobs = [
    counts,
    hidden,
    printed('r', { output: 'o (access: random)' }, 'x'),
    hidden,
    printed('all', {}, 'None'),
  ];
  const { workflow, notes } = convert('rule r:\n  shell: "x"\nrule hidden:\n  message: "Copying"\n', jobs);
  expect(workflow['jobs']).toMatchObject([{ outputs: ['o'] }]);
  expect(notes.map(noteText)).toEqual([expect.stringContaining('Snakefile:3: left out: 2 of 2 jobs of rule hidden: ')]);
});

it('files in a storage are left out', () => {
  const { notes } = convert('rule r:\n', [printed('r', { output: 's3://x/o (send to storage)' }, 'x')]);
  expect(notes.map(noteText)).toEqual([expect.stringContaining('left out: files in a storage of rule r')]);
});

it('a rule that uses another one needs Snakemake as that does, and one that a program names is left out', () => {
  const text = 'rule base:\n  conda: "env.yaml"\n  threads: 8\n\nuse rule base as r with:\n  output: "o"\n';
  const jobs = [printed('r', { output: 'o', threads: '2' }, 'x'), printed('made_1', { output: 'p' }, 'x')];
  const { workflow, notes } = convert(text, jobs);
  expect(planned(workflow).jobs.at(0).command).toContain('--software-deployment-method conda');
  expect(notes.map(noteText)).toEqual([
    expect.stringContaining('Snakefile:5: note: threads: 8 of rule r: its jobs have 2; --cores gives them more'),
    expect.stringContaining('Snakefile:5: note: rule r: '),
    expect.stringContaining('Snakefile: left out: rule made_1: no Snakefile has a rule of this name'),
  ]);
});

it('a log is an output where another job reads it, and none elsewhere', () => {
  const jobs = [
    printed('r', { output: 'o', log: 'r.log, other.log' }, 'x'),
    printed('reads', { input: 'r.log', output: 'p' }, 'y'),
  ];
  const { workflow } = convert('rule r:\nrule reads:\n', jobs);
  expect(workflow['jobs']).toMatchObject([{ outputs: ['o', 'r.log'] }, { inputs: ['r.log'] }]);
});

it('a checkpoint is left out, because what follows it is not known yet', () => {
  const { notes } = convert('checkpoint c:\n', [printed('c', { output: 'o' }, 'x', 'checkpoint')]);
  expect(notes.map(noteText)).toEqual([expect.stringContaining('left out: checkpoint c')]);
});

it('a dry run without jobs is refused', () => {
  expect(() => convert('', [printed('all', {}, 'None')])).toThrow(
    expect.objectContaining({ code: 'CONVERSION_REFUSED' }),
  );
});

test.each([
  ['disk_mb=500, disk=500 MB, disk_mib=477', 'note: the resource disk_mb of rule r: '],
  ['slurm_partition=long', 'note: the resource slurm_partition of rule r: '],
  ['mpi=srun', 'left out: the resource mpi of rule r (srun): '],
  ['mem_mb=<TBD>, mem=<TBD>, disk=<TBD>', 'left out: the resource mem_mb of rule r: '],
  ['words=two', 'left out: the resource words of rule r: two is no whole number'],
  ['part=0.5', 'left out: the resource part of rule r: 0.5 is no whole number'],
  ['cores=2', "left out: the resource cores of rule r: licenses names 'cores'"],
  ['slots=<TBD>', 'left out: the resource slots of rule r: it is known when the inputs'],
])('the resources "%s", which are no requirement, stand in the report', (resources, expected) => {
  const { notes } = convert('rule r:\n  shell: "x"\n', [printed('r', { output: 'o', resources }, 'x')]);
  expect(notes.map(noteText)).toEqual([expect.stringContaining(expected)]);
});

it('libraries get as many threads as the rule has, and a folder for temporary files that the rule names', () => {
  const { workflow } = convert('rule r:\n  resources: tmpdir="/scratch"\n', [
    printed('r', { output: 'o', threads: '4', resources: 'tmpdir=/scratch' }, 'x'),
    printed('other', { output: 'p', resources: 'tmpdir=/tmp' }, 'x'),
  ]);
  expect(workflow).toMatchObject({
    env: { OMP_NUM_THREADS: '1' },
    jobs: [{ env: { OMP_NUM_THREADS: '4', TMPDIR: '/scratch' } }, {}],
  });
  expect((workflow['jobs'] as object[])[1]).not.toHaveProperty('env');
});

it('a folder that an earlier attempt left is removed with what is in it; a benchmark that is read is made by Snakemake', () => {
  const { workflow } = convert('rule r:\n  output: directory("o")\nrule b:\nrule reads:\n', [
    printed('r', { output: 'o' }, 'x'),
    printed('b', { output: 'p', benchmark: 'b.tsv' }, 'x'),
    printed('reads', { input: 'b.tsv', output: 'q' }, 'x'),
  ]);
  expect(workflow['jobs']).toMatchObject([
    { command: 'rm -rf -- o\nset -euo pipefail\nx' },
    { command: expect.stringMatching(/^snakemake /), outputs: ['p', 'b.tsv'] },
    { inputs: ['b.tsv'] },
  ]);
});

it('the jobs of a rule with wildcards are one entry, and a rule that needs Snakemake is one, too', () => {
  const jobs = ['1', '2', '10'].flatMap((n) => [
    printed('made', { output: `raw/${n}.txt`, wildcards: `n=${n}` }, 'None'),
    printed('used', { input: `raw/${n}.txt`, output: `out/${n}.txt`, wildcards: `n=${n}` }, `sort raw/${n}.txt`),
  ]);
  const text = 'rule made:\n  output: temp("raw/{n}.txt")\n  run:\n    pass\nrule used:\n  shell: "x"\n';
  const { workflow } = convert(text, jobs);
  expect(workflow['parameters']).toEqual({ n: '[1, 2, 10]' });
  expect(workflow['jobs']).toMatchObject([
    {
      name: 'made_{n}',
      use_parameters: ['n'],
      command: expect.stringMatching(/--allowed-rules made -- raw\/\{n\}\.txt$/),
      outputs: [{ path: 'raw/{n}.txt', temporary: true }],
    },
    { name: 'used_{n}', inputs: ['raw/{n}.txt'], outputs: ['out/{n}.txt'] },
  ]);
  const { jobs: plan } = planned(workflow);
  expect(plan.at(5)).toMatchObject({ name: 'used_10', command: expect.stringMatching(/sort raw\/10\.txt$/) });
  expect(plan.at(5).inputFiles).toEqual(plan.at(2).outputFiles);
});

it('what a command means by ${output.NAME}, and Torc by something else, is left out', () => {
  const job = (shell: string) => [printed('r', { output: 'o.txt' }, shell)];
  const { notes } = convert('rule r:\n', job('groovy -e \'x = "${output.txt}"\''));
  expect(notes.map(noteText)).toEqual([expect.stringContaining('Snakefile:1: left out: ${output.txt} in rule r')]);
  expect(convert('rule r:\n', job('echo ${output}')).notes).toEqual([]);
});

it('a value of a wildcard may have a comma', () => {
  const [job] = readDryRun(printed('r', { wildcards: 'a=x, y, b=z=1' }, 'x'));
  expect([...(job?.wildcards ?? [])]).toEqual([
    ['a', 'x, y'],
    ['b', 'z=1'],
  ]);
});

it('the order in which Snakemake prints jobs, which differs each time, makes no other file', () => {
  const jobs = [
    printed('b', { output: 'o10', wildcards: 'n=10', threads: '2' }, 'x'),
    printed('b', { output: 'o2', wildcards: 'n=2', threads: '3' }, 'x'),
    printed('a', { output: 'p' }, 'x'),
  ];
  const rules = 'rule a:\nrule b:\n';
  const { workflow } = convert(rules, jobs);
  expect(workflow['jobs']).toMatchObject([{ name: 'a' }, { name: 'b_2' }, { name: 'b_10' }]);
  expect(convert(rules, jobs.toReversed()).workflow).toEqual(workflow);
});
