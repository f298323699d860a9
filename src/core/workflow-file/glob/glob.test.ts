import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSpec } from '../read.ts';
import { faultOfValue, readGlob, valuesOf } from './match.ts';

/** Reads a workflow where these files are. */
function read(text: string, paths: readonly string[]) {
  const names = (folder: string) => [
    ...new Set(
      paths.flatMap((path) => {
        const within =
          folder === '.' ? path : path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined;
        return within === undefined ? [] : [within.split('/')[0] as string];
      }),
    ),
  ];
  return readSpec(
    { text, name: 'flow.yaml', format: 'yaml' },
    {
      readFile: () => '',
      fileExists: (path) => paths.includes(path),
      listFolder(folder) {
        if (names(folder).length === 0) throw new Error(`there is no folder ${folder}`);
        return names(folder);
      },
    },
  );
}

const flow = (files: string, more = '') => `name: flow
${more}files:
${files}jobs:
  - { name: 'sort_{sample}', use_parameters: [sample], command: 'sort \${files.input.raw_{sample}}' }
`;
const raw = (glob: string) => `  - { name: 'raw_{sample}', glob: '${glob}' }\n`;
const errorsOf = ({ problems }: ReturnType<typeof read>) =>
  problems.map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`);

describe('files by pattern', () => {
  it('the text of the star gives the values of the parameter in the name, for all entries that use it', () => {
    const { plan, problems } = read(flow(raw('raw/*.fastq')), [
      'raw/b.fastq',
      'raw/001.fastq',
      'raw/a.txt',
      'raw/.c.fastq',
    ]);
    expect(problems).toEqual([]);
    expect(plan?.globs).toEqual([{ glob: 'raw/*.fastq', parameter: 'sample', values: ['001', 'b'] }]);
    expect([0, 1].map((number) => plan?.jobs.at(number)).map((job) => [job?.name, job?.command])).toEqual([
      ['sort_001', 'sort raw/001.fastq'],
      ['sort_b', 'sort raw/b.fastq'],
    ]);
  });

  it('a star may stand for a folder', () => {
    const { plan } = read(flow(raw('raw/*/reads.fastq')), ['raw/x/reads.fastq', 'raw/y/other.fastq']);
    expect(plan?.globs[0]?.values).toEqual(['x']);
    expect(plan?.files.at(0).path).toBe('raw/x/reads.fastq');
  });

  it('a variable may stand in a pattern', () => {
    const { plan, problems } = read(flow(raw('{data}/*.fastq'), 'variables: { data: raw }\n'), ['raw/a.fastq']);
    expect([problems, plan?.globs[0]?.glob]).toEqual([[], 'raw/*.fastq']);
  });

  it('two patterns for one parameter give it the same values, or the missing files are named', () => {
    const pair = `${raw('raw/*_1.fq')}  - { name: 'mate_{sample}', glob: 'raw/*_2.fq' }\n`;
    expect(errorsOf(read(flow(pair), ['raw/a_1.fq', 'raw/a_2.fq']))).toEqual([]);
    expect(errorsOf(read(flow(pair), ['raw/a_1.fq', 'raw/a_2.fq', 'raw/b_1.fq', 'raw/c_2.fq']))).toEqual([
      "4:36 files[1].glob: glob 'raw/*_2.fq' gives 'sample' other values than glob 'raw/*_1.fq': raw/b_2.fq, raw/c_1.fq are missing",
    ]);
  });

  it.each([
    ['raw/*.bam', "3:35 files[0].glob: glob 'raw/*.bam' matches no file below the folder in which torc runs"],
    ['none/*.bam', "3:35 files[0].glob: glob 'none/*.bam' matches nothing: there is no folder none"],
    ['raw/*_*.fastq', "3:35 files[0].glob: glob 'raw/*_*.fastq' is ambiguous: it contains * 2 times"],
    ['**/*.fastq', "3:35 files[0].glob: glob '**/*.fastq' is ambiguous: it contains * 3 times"],
    ['/raw/*.fastq', "3:35 files[0].glob: glob '/raw/*.fastq' leads out of the folder in which torc runs"],
    ['raw/../../*.fastq', "3:35 files[0].glob: glob 'raw/../../*.fastq' leads out of the folder in which torc runs"],
    ['raw/a.fastq', "3:35 files[0].glob: glob 'raw/a.fastq' contains no *; a single file is written as path"],
    ['raw/?.fastq', "3:35 files[0].glob: glob 'raw/?.fastq' contains ?"],
    [
      'odd/*.fastq',
      `3:35 files[0].glob: glob 'odd/*.fastq' matches "odd/a b.fastq", and "a b" cannot be a value: it contains a space`,
    ],
  ])('%s is refused with its place, and nothing else is reported', (glob, message) => {
    const reading = read(flow(raw(glob)), ['raw/a.fastq', 'odd/a b.fastq']);
    expect(errorsOf(reading)).toEqual([expect.stringContaining(message)]);
  });

  it.each([
    ["  - { name: raw, glob: 'raw/*.fastq' }\n", "files[0].name: glob 'raw/*.fastq' needs a name with one parameter"],
    ["  - { name: '{a}_{b}', glob: 'raw/*.fastq' }\n", "'{a}_{b}' contains a and b"],
    ["  - { name: 'raw_{sample}', glob: 'raw/*.fastq', path: x }\n", 'files[0].path: glob'],
    ["  - { name: 'raw_{sample}' }\n", 'missing field `path`'],
  ])('%j is refused', (files, message) => {
    expect(errorsOf(read(flow(files), ['raw/a.fastq']))).toContainEqual(expect.stringContaining(message));
  });

  it('a parameter that the file lists itself gets no values from files', () => {
    expect(errorsOf(read(flow(raw('raw/*.fastq'), 'parameters: { sample: [a] }\n'), ['raw/a.fastq']))).toEqual([
      "2:23 parameters.sample: glob 'raw/*.fastq' gives values to 'sample', which is in parameters, too",
    ]);
  });

  it('where files cannot be looked at, as on the page, a pattern is refused', () => {
    const { problems } = readSpec(
      { text: flow(raw('raw/*.fastq')), name: 'flow', format: 'yaml' },
      { readFile: () => '' },
    );
    expect(problems.map(({ message }) => message)).toEqual([
      "glob 'raw/*.fastq' is matched where the files are: use torc run or torc create",
    ]);
  });
});

it('each value of a pattern, put in place of its star, is the path of a file, and no value is found twice', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'b', '.', '_'), minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.uniqueArray(name), name, name, (names, start, end) => {
      const glob = readGlob(`${start}*${end}`);
      if (typeof glob === 'string') return;
      const values = valuesOf(glob, { listFolder: () => names, fileExists: () => false });
      expect(names).toEqual(expect.arrayContaining(values.map((value) => `${start}${value}${end}`)));
      expect(new Set(values).size).toBe(values.length);
      expect(values.every((value) => faultOfValue(value) === undefined)).toBe(true);
    }),
  );
});

it.each(['a b', 'a;b', '$(x)', "it's", 'a,b', '{x}', '-rf', 'a\nb', 'a\u{FFFD}', '*', 'a|b', ''])(
  '%j is not a value: a command would read it as something else',
  (value) => expect(faultOfValue(value)).toBeDefined(),
);
it.each(['a', '001', 'S1_L001', 'größe', '1.5', 'a-b', 'x=1', '+1'])('%j is a value', (value) =>
  expect(faultOfValue(value)).toBeUndefined(),
);
