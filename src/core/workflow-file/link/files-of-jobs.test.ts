import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { codesOf, planned, read, readText } from '../../../../tests/spec/reading.ts';
import { planOfSpec } from '../read/read.ts';
import { each } from '../../lists/sequence.ts';

/** What a plan holds of jobs and files, by name. */
function flowOf(spec: object) {
  const plan = planned(spec);
  const files = [...each(plan.files)];
  const namesOf = (numbers: Int32Array): (string | undefined)[] => [...numbers].map((number) => files[number]?.path);
  return {
    files: files.map(({ path }) => path).toSorted(),
    jobs: [...each(plan.jobs)].map(({ name, command, invocationScript, inputFiles, outputFiles }) => ({
      name,
      command,
      invocationScript,
      inputs: namesOf(inputFiles),
      outputs: namesOf(outputFiles),
    })),
    levels: plan.levels,
  };
}

const parameters = { sample: '[a, b]', lane: '1:2' };

it('paths in jobs make the files, the dependencies and the commands of the workflow that has them as entries of files', () => {
  const paths = {
    parameters,
    jobs: [
      {
        name: 'align_{sample}_{lane}',
        use_parameters: ['sample', 'lane'],
        command: 'align ${input.0} {lane} > ${output.bam}',
        invocation_script: 'ls ${input.fastq}',
        inputs: ['raw/{sample}_{lane:02d}.fastq'],
        outputs: [{ path: 'bam/{sample}_{lane}.bam' }],
      },
      {
        name: 'call_{sample}',
        use_parameters: ['sample'],
        command: 'call ${input.one} ${input.1} > ${output.vcf}',
        inputs: [{ path: './bam/{sample}_1.bam', name: 'one' }, 'bam/{sample}_2.bam'],
        outputs: ['{sample}.vcf'],
      },
    ],
  };
  const entry = (name: string, path: string, ...names: string[]) => ({ name, path, use_parameters: names });
  const entries = {
    parameters,
    files: [
      entry('raw_{sample}_{lane}', 'raw/{sample}_{lane:02d}.fastq', 'sample', 'lane'),
      entry('bam_{sample}_{lane}', 'bam/{sample}_{lane}.bam', 'sample', 'lane'),
      entry('vcf_{sample}', '{sample}.vcf', 'sample'),
    ],
    jobs: [
      {
        name: 'align_{sample}_{lane}',
        use_parameters: ['sample', 'lane'],
        command: 'align ${files.input.raw_{sample}_{lane}} {lane} > ${files.output.bam_{sample}_{lane}}',
        invocation_script: 'ls ${files.input.raw_{sample}_{lane}}',
      },
      {
        name: 'call_{sample}',
        use_parameters: ['sample'],
        command: 'call ./bam/{sample}_1.bam ${files.input.bam_{sample}_2} > ${files.output.vcf_{sample}}',
        input_files: ['bam_{sample}_1'],
      },
    ],
  };
  expect(flowOf(paths)).toEqual(flowOf(entries));
});

test('whatever jobs read and write by path, the plan is that of the same files as entries', () => {
  const path = fc.constantFrom('a', 'b.txt', 'c/d.txt', 'x/{i}', 'y/{i:02d}.txt');
  const job = fc.record({ inputs: fc.uniqueArray(path), outputs: fc.uniqueArray(path) });
  fc.assert(
    fc.property(fc.array(job, { maxLength: 4 }), (drawn) => {
      const base = drawn.map((each, number) => ({
        ...each,
        name: `j${number}_{i}`,
        command: 'true',
        parameters: { i: '1:2' },
      }));
      const all = [...new Set(base.flatMap(({ inputs, outputs }) => [...inputs, ...outputs]))];
      const files = all.map((each) => ({
        name: each,
        path: each,
        ...(each.includes('{') ? { parameters: { i: '1:2' } } : {}),
      }));
      const named = base.map(({ inputs, outputs, ...rest }) => ({
        ...rest,
        input_files: inputs,
        output_files: outputs,
      }));
      const [one, other] = [read({ jobs: base }), read({ files, jobs: named })];
      expect(one.problems.map(({ code }) => code)).toEqual(other.problems.map(({ code }) => code));
      if (one.problems.some(({ severity }) => severity === 'error')) return;
      expect(flowOf({ jobs: base })).toEqual(flowOf({ files, jobs: named }));
    }),
  );
});

it('a path that an entry of files has is that entry, in any spelling, and keeps its name', () => {
  const plan = planned({
    files: [{ name: 'raw', path: 'data/raw.txt' }],
    jobs: [{ name: 'a', command: 'cat ${input.0}', inputs: ['./data//raw.txt'], input_files: ['raw'] }],
  });
  expect([...each(plan.files)].map(({ name }) => name)).toEqual(['raw']);
  expect(plan.jobs.at(0)).toMatchObject({ command: 'cat ./data//raw.txt', inputFiles: new Int32Array([0]) });
});

it('a path without a parameter of its job is one file, read by all instances', () => {
  const plan = planned({
    jobs: [
      { name: 'ref', command: 'x', outputs: ['ref.fa'] },
      { name: 'j_{i}', command: 'x ${input.fa}', inputs: ['ref.fa'], parameters: { i: '1:3' } },
    ],
  });
  expect(plan.files.length).toBe(1);
  expect([plan.jobs.at(3).command, [...plan.jobs.at(3).inputFiles]]).toEqual(['x ref.fa', [0]]);
});

describe('tokens of paths', () => {
  const command = (text: string, more: object = {}) =>
    planned({
      jobs: [{ name: 'a', command: text, inputs: ['a.fastq.gz', { path: 'b.txt', name: 'table' }], ...more }],
    }).jobs.at(0).command;

  it.each([
    ['${input.0} ${input.1}', 'a.fastq.gz b.txt'],
    ['${input.gz} ${input.fastq.gz} ${input.txt}', 'a.fastq.gz a.fastq.gz b.txt'],
    ['${input.table} ${input.b.txt}', 'b.txt b.txt'],
    ['${input} $input ${input[0]} ${input:-x}', '${input} $input ${input[0]} ${input:-x}'],
  ])('%s in a command is %s', (text, expected) => {
    expect(command(text)).toBe(expected);
  });

  it('a job without inputs and outputs keeps such a text, with the warning that it had', () => {
    const reading = read({ jobs: [{ name: 'a', command: 'cat ${input.0}' }] });
    expect(reading.plan?.jobs.at(0).command).toBe('cat ${input.0}');
    expect(reading.problems.map(({ message }) => message)).toEqual([
      '${input.0} stays as it is: write ${files.input.0}',
    ]);
  });

  it('a token that means no path, or several, is a problem with its place', () => {
    const text = `name: w
jobs:
  - name: a
    inputs: [x.txt, { path: y.txt, name: y }]
    command: cat \${input.txt} \${input.2} \${output.0}
`;
    expect(readText(text).problems.map(({ code, line, column, message }) => [code, line, column, message])).toEqual([
      [
        'TOKEN_UNKNOWN',
        5,
        18,
        "${input.txt} in the command of job 'a' may mean ${input.0} (x.txt) or ${input.y} (y.txt)",
      ],
      [
        'TOKEN_UNKNOWN',
        5,
        31,
        "${input.2} in the command of job 'a' names none of its inputs: ${input.0} (x.txt) or ${input.y} (y.txt)",
      ],
      ['TOKEN_UNKNOWN', 5, 42, "${output.0} in the command of job 'a' names none of its outputs: it has no `outputs`"],
    ]);
  });

  it('a path with a blank outside of quotes is warned about, as with the tokens of files', () => {
    const reading = (text: string) => codesOf(read({ jobs: [{ name: 'a', command: text, inputs: ['a b.txt'] }] }));
    expect(reading('cat ${input.0}')).toEqual(['PATH_UNQUOTED jobs[0].command']);
    expect(reading('cat "${input.0}"')).toEqual([]);
  });
});

it('what is wrong with the file of a path is said at the path', () => {
  const text = `name: w
files: [{ name: a.txt, path: out/a.txt }]
jobs:
  - { name: b, command: x, inputs: ['x/{smaple}.txt'], parameters: { sample: '[1]' } }
  - { name: c, command: x, inputs: [a.txt] }
`;
  expect(readText(text).problems.map(({ code, line, column, plain }) => [code, line, column, plain])).toEqual([
    [
      'NAME_DUPLICATE',
      5,
      37,
      "inputs takes paths, and 'a.txt' is the name of an entry of `files` with another path: write the name in input_files, or the path here",
    ],
    ['PLACEHOLDER_LEFT', 4, 40, undefined],
  ]);
});

it('more files than a workflow may have are refused at the path', () => {
  const jobs = [{ name: 'j_{i}', command: 'x', outputs: ['a_{i}', 'b_{i}'], parameters: { i: '1:6' } }];
  const reading = planOfSpec({ name: 'w', jobs }, 'flow.yaml', { readFile: () => '', maxJobs: 10 });
  expect(codesOf(reading)).toEqual(['EXPANSION_TOO_LARGE jobs[0].outputs[1]']);
});

it('paths stand in YAML, JSON5 and KDL alike', () => {
  const yaml = `name: w
jobs:
  - name: a
    command: cat \${input.0} \${input.t} > \${output.0}
    inputs: [x.txt, { path: y.txt, name: t }]
    outputs: [z.txt]
`;
  const json5 = `{ name: 'w', jobs: [{ name: 'a', command: 'cat \${input.0} \${input.t} > \${output.0}',
    inputs: ['x.txt', { path: 'y.txt', name: 't' }], outputs: ['z.txt'] }] }`;
  const kdl = `name "w"
job "a" {
  command "cat \${input.0} \${input.t} > \${output.0}"
  inputs "x.txt"
  input "y.txt" name="t"
  output "z.txt"
}
`;
  const [one, two, three] = [readText(yaml), readText(json5, 'json5'), readText(kdl, 'kdl')];
  for (const reading of [one, two, three]) expect(reading.problems).toEqual([]);
  const job = one.plan?.jobs.at(0);
  expect(job?.command).toBe('cat x.txt y.txt > z.txt');
  expect([two.plan?.jobs.at(0), three.plan?.jobs.at(0)]).toEqual([job, job]);
});
