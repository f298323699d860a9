import { expect, test } from 'vitest';
import { convertSnakemake } from '../../src/convert/snakemake/convert.ts';
import { each } from '../../src/core/lists/sequence.ts';
import { planned } from '../spec/reading.ts';
import { printedJob } from '../support/snakemake.ts';

/**
 * Wildcards that users of Snakemake and of what stands around it reported trouble with, as values of an entry with parameters: every
 * job reads, writes and runs what Snakemake printed.
 */

interface Row {
  readonly report: string;
  readonly trouble: string;
  /** Its jobs by the values of their wildcards, in an order in which Snakemake may print them. */
  readonly values: readonly Readonly<Record<string, string>>[];
  /** An output with wildcards. */
  readonly output: string;
  /** The entries, by their names, and the parameters at the top. */
  readonly entries: readonly string[];
  readonly parameters: Readonly<Record<string, string>>;
}

const only = (name: string, values: readonly string[]) => values.map((value) => ({ [name]: value }));

const REPORTS: readonly Row[] = [
  {
    report: 'snakemake/snakemake issue 2513',
    trouble: 'values with a point or an underscore are not read right',
    values: only('node', ['NOR_141', 'DEU_131', 'FRA.141']),
    output: 'results/networks/lcoh_{node}.csv',
    entries: ['r_{node}'],
    parameters: { node: '[DEU_131, FRA.141, NOR_141]' },
  },
  {
    report: 'jdblischak/smk-simple-slurm issue 7',
    trouble: 'names that are made of values with a slash fail without a message',
    values: only('path', ['a/one', 'b/two']),
    output: '{path}.done',
    entries: ['r_{label}'],
    parameters: { path: '[a/one, b/two]', label: '[a_one, b_two]' },
  },
  {
    report: 'snakemake/snakemake pull request 2659',
    trouble: 'a value with a comma becomes two',
    values: only('bar', ['abc,d', 'x', 'y']),
    output: 'test2/{bar}_1.txt',
    entries: ['r_abc_d', 'r_{bar}'],
    parameters: { bar: '[x, y]' },
  },
  {
    report: 'snakemake/snakemake issue 1240',
    trouble: 'one value is the beginning of another, and a job gets the wrong one',
    values: ['12456.fa', '12456', '12456.fa.1'].flatMap((family) => only('family', [family])),
    output: 'results/{family}.chr1.g.vcf.gz',
    entries: ['r_{family}'],
    parameters: { family: '[12456, 12456.fa, 12456.fa.1]' },
  },
  {
    report: 'snakemake/snakemake issue 3190',
    trouble: 'values of digits, dashes and underscores are taken for something else',
    values: only('sample', ['001-K_S_Ac_C_Ac_15', '002-K_S_Ac_C_Al_15', '003-K_S_Al_C_Ac_15']),
    output: '{sample}/15.fasta',
    entries: ['r_{sample}'],
    parameters: { sample: '[001-K_S_Ac_C_Ac_15, 002-K_S_Ac_C_Al_15, 003-K_S_Al_C_Ac_15]' },
  },
  {
    report: 'snakemake/snakemake issue 2470',
    trouble: 'values with leading zeros lose them',
    values: only('month', ['01', '02', '12']),
    output: 'data-{month}.txt',
    entries: ['r_{month}'],
    parameters: { month: "['01', '02', 12]" },
  },
  {
    report: 'snakemake/snakemake issue 733',
    trouble: 'numbers are in the order 1, 10, 100, 2',
    values: only('sample', ['1', '10', '11', '2', '3', '4', '5', '6', '7', '8', '9']),
    output: 'result/{sample}/{sample}.phy.treefile',
    entries: ['r_{sample}'],
    parameters: { sample: '1:11' },
  },
  {
    report: 'KoesGroup/Snakemake_ChIPseq_PE issue 9',
    trouble: 'pairs of values become all combinations, or the first pair alone',
    values: [
      { treatment: 'ATAC1', control: 'ATAC4' },
      { treatment: 'ATAC2', control: 'ATAC5' },
      { treatment: 'ATAC3', control: 'ATAC6' },
    ],
    output: 'bed/{treatment}_vs_{control}_peaks.narrowPeak',
    entries: ['r_{treatment}_{control}'],
    parameters: { treatment: '[ATAC1, ATAC2, ATAC3]', control: '[ATAC4, ATAC5, ATAC6]' },
  },
];

test.each(REPORTS)(
  'a converted Snakefile has every job as it was where elsewhere $trouble ($report)',
  ({ values, output, entries, parameters }) => {
    const jobs = values.map((wildcards) => {
      const path = output.replaceAll(/\{(\w+)\}/g, (_, name: string) => wildcards[name] ?? '');
      const list = Object.entries(wildcards).map(([name, value]) => `${name}=${value}`);
      return { path, printed: printedJob('r', { output: path, wildcards: list.join(', ') }, `run 1 12 ATAC ${path}`) };
    });
    const { workflow, notes } = convertSnakemake({
      files: [{ path: 'Snakefile', text: 'rule r:\n  shell: "x"\n' }],
      printed: jobs.map(({ printed }) => printed).join('\n'),
    });
    expect(notes).toEqual([]);
    expect((workflow['jobs'] as { name: string }[]).map(({ name }) => name)).toEqual(entries);
    expect(workflow['parameters']).toEqual(parameters);
    const plan = planned(workflow);
    const made = [...each(plan.jobs)].map(
      ({ command, outputFiles }) =>
        `${command.split('\n').at(-1)} > ${[...outputFiles].map((at) => plan.files.at(at).path).join(' ')}`,
    );
    const asked = jobs.map(({ path }) => `run 1 12 ATAC ${path} > ${path}`);
    expect(made.toSorted()).toEqual(asked.toSorted());
  },
);
