import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSpec } from '../read/read.ts';
import { globPath, readGlob } from './glob.ts';
import { faultOfValue, rowsOf } from './match.ts';

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
        const code = paths.includes(folder) ? 'ENOTDIR' : 'ENOENT';
        if (names(folder).length === 0) throw Object.assign(new Error(`there is no folder ${folder}`), { code });
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
    expect(plan?.globs).toEqual([{ glob: 'raw/*.fastq', parameters: ['sample'], rows: [['001'], ['b']] }]);
    expect([0, 1].map((number) => plan?.jobs.at(number)).map((job) => [job?.name, job?.command])).toEqual([
      ['sort_001', 'sort raw/001.fastq'],
      ['sort_b', 'sort raw/b.fastq'],
    ]);
  });

  it('a star may stand for a folder', () => {
    const { plan } = read(flow(raw('raw/*/reads.fastq')), ['raw/x/reads.fastq', 'raw/y/other.fastq']);
    expect(plan?.globs[0]?.rows).toEqual([['x']]);
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
    [
      'raw/a.fastq',
      "3:35 files[0].glob: glob 'raw/a.fastq' contains no * and no name in braces; a single file is written as path",
    ],
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
    [
      "  - { name: 'raw_{a}', glob: 'raw/{a}_{b}.fastq' }\n",
      "files[0].name: glob 'raw/{a}_{b}.fastq' needs a name with its parameters, a and b; 'raw_{a}' contains a",
    ],
    ["  - { name: 'raw_{a}_{b}', glob: 'raw/{a}_*.fastq' }\n", 'contains * beside names in braces'],
    ["  - { name: 'raw_{a}_{b}', glob: 'raw/{a}{b}.fastq' }\n", 'is ambiguous: nothing separates {a} from {b}'],
    ["  - { name: 'raw_{a}', glob: 'raw/{a:q}.fastq' }\n", 'contains {a:q}; what stands for text is a name'],
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

const lanes = `name: flow
files:
  - { name: 'raw_{sample}_{lane}', glob: 'raw/{sample}_{lane}.fastq' }
  - { name: 'bam_{sample}_{lane}', path: '{sample}_{lane}.bam', use_parameters: [sample, lane] }
  - { name: 'merged_{sample}', path: '{sample}.bam', use_parameters: [sample] }
jobs:
  - { name: 'align_{lane}_{sample}', use_parameters: [lane, sample], command: 'align \${files.input.raw_{sample}_{lane}} > \${files.output.bam_{sample}_{lane}}' }
  - { name: 'merge_{sample}', use_parameters: [sample], input_file_regexes: ['^bam_{sample}_'], command: 'merge > \${files.output.merged_{sample}}' }
`;
const commandsOf = ({ plan }: ReturnType<typeof read>) =>
  Array.from({ length: plan?.jobs.length ?? 0 }, (_, number) => plan?.jobs.at(number).command ?? '');

describe('files by pattern with several parameters', () => {
  const there = ['raw/b_L2.fastq', 'raw/a_L1.fastq', 'raw/a_L2.fastq', 'raw/readme.txt'];

  it('each name in braces gives its values, and only combinations that are there make jobs, in whatever order they are named', () => {
    const reading = read(lanes, there);
    expect(reading.problems).toEqual([]);
    expect(reading.plan?.globs).toEqual([
      {
        glob: 'raw/{sample}_{lane}.fastq',
        parameters: ['sample', 'lane'],
        rows: [
          ['a', 'L1'],
          ['a', 'L2'],
          ['b', 'L2'],
        ],
      },
    ]);
    expect(commandsOf(reading)).toEqual([
      'align raw/a_L1.fastq > a_L1.bam',
      'align raw/a_L2.fastq > a_L2.bam',
      'align raw/b_L2.fastq > b_L2.bam',
      'merge > a.bam',
      'merge > b.bam',
    ]);
  });

  it('combinations stand beside the values of other parameters', () => {
    const text = `name: flow
parameters: { k: [21, 31] }
files: [{ name: 'raw_{sample}_{lane}', glob: 'raw/{sample}_{lane}.fastq' }]
jobs: [{ name: 'j_{sample}_{k}_{lane}', use_parameters: [sample, k, lane], command: '{sample} {k} {lane}' }]
`;
    expect(commandsOf(read(text, there)).toSorted()).toEqual([
      'a 21 L1',
      'a 21 L2',
      'a 31 L1',
      'a 31 L2',
      'b 21 L2',
      'b 31 L2',
    ]);
  });

  it('names may stand in folders, and the same one twice: what is no folder and what differs does not match', () => {
    const text = flow(`  - { name: 'raw_{sample}_{run}', glob: 'raw/{run}/{sample}/{sample}_{run}.fq' }\n`).replace(
      '{files.input.raw_{sample}}',
      'x',
    );
    const { plan } = read(text, [
      'raw/r1/a/a_r1.fq',
      'raw/r1/a/b_r1.fq',
      'raw/r2/c/c_r1.fq',
      'raw/note',
      'raw/r2/d/d_r2.fq',
    ]);
    expect(plan?.globs[0]?.rows).toEqual([
      ['r1', 'a'],
      ['r2', 'd'],
    ]);
  });

  it('a file that can be read in two ways is refused, and one whose folder leaves a single way is not', () => {
    expect(errorsOf(read(lanes, ['raw/a_b_L1.fastq']))).toEqual([
      `3:42 files[0].glob: glob 'raw/{sample}_{lane}.fastq' is ambiguous: in "raw/a_b_L1.fastq" {sample} may be "a" or "a_b"; separate the parts by text that no value contains, or list the values in a parameters_file`,
    ]);
    const text = flow(`  - { name: 'raw_{sample}_{lane}', glob: 'raw/{sample}/{sample}_{lane}.fq' }\n`);
    expect(read(text, ['raw/a_b/a_b_L1.fq']).plan?.globs[0]?.rows).toEqual([['a_b', 'L1']]);
  });

  const withReference = (glob: string, name: string) =>
    lanes.replace('jobs:', `  - { name: '${name}', glob: '${glob}' }\njobs:`);

  it('a second pattern may give some of the parameters, with the same values; others are missing files', () => {
    const text = withReference('ref/{sample}.fa', 'ref_{sample}');
    expect(errorsOf(read(text, [...there, 'ref/a.fa', 'ref/b.fa']))).toEqual([]);
    expect(errorsOf(read(text, [...there, 'ref/a.fa', 'ref/c.fa']))).toEqual([
      "6:35 files[3].glob: glob 'ref/{sample}.fa' gives 'sample' other values than glob 'raw/{sample}_{lane}.fastq': ref/b.fa, raw/c_{lane}.fastq are missing",
    ]);
  });

  it('two patterns that share a parameter and give others beside it are ambiguous', () => {
    const text = withReference('ref/{sample}_{part}.fa', 'ref_{sample}_{part}');
    expect(errorsOf(read(text, [...there, 'ref/a_1.fa', 'ref/b_1.fa']))).toEqual([
      "6:42 files[3].glob: glob 'ref/{sample}_{part}.fa' is ambiguous: it gives values to 'sample' together with 'part', and glob 'raw/{sample}_{lane}.fastq' together with 'lane'; which belong together is unknown",
    ]);
  });
});

it('each row of a pattern, put in place of its parameters, is the path of a file; none is found twice, and each file that fits is found', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '.', '_'), minLength: 1, maxLength: 4 });
  const name = fc.string({ unit: fc.constantFrom('a', 'b', '.', '_'), minLength: 1, maxLength: 7 });
  const pattern = fc.oneof(
    fc.tuple(text, text).map(([start, end]) => `${start}*${end}`),
    fc.tuple(text, text, text).map(([start, middle, end]) => `${start}{p}${middle}{q}${end}`),
    fc.tuple(text, text).map(([middle, end]) => `{p}${middle}{q}${middle}{p}${end}`),
  );
  fc.assert(
    fc.property(fc.uniqueArray(name), pattern, (names, written) => {
      const glob = readGlob(written, 'p');
      if (typeof glob === 'string') return;
      const rows = rowsOf(glob, { listFolder: () => names, fileExists: () => false });
      const fits = (each: string) => {
        if (each.startsWith('.') && !glob.template.startsWith('.')) return false;
        const seen = new Set<string>();
        const expression = glob.template
          .split(/\{(\w)\}/)
          .map((piece, at) =>
            at % 2 === 0
              ? piece.replaceAll('.', '\\.')
              : seen.has(piece)
                ? `\\k<${piece}>`
                : (seen.add(piece), `(?<${piece}>.+)`),
          );
        return new RegExp(`^${expression.join('')}$`).test(each);
      };
      if (!Array.isArray(rows)) {
        expect(fits(rows.path) && rows.values[0] !== rows.values[1]).toBe(true);
        return;
      }
      const paths = rows.map((row) =>
        globPath(glob, new Map(glob.parameters.map((each, at) => [each, row[at] as string]))),
      );
      expect(paths.toSorted()).toEqual(names.filter(fits).toSorted());
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
