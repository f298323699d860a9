/**
 * How long does the conversion of a Snakefile with many jobs take?
 *
 * `node bench/convert.ts`: what Snakemake prints of 2,000 and of 20,000 jobs of two rules with a wildcard, and of 20,000 jobs that have
 * nothing in common. Ten times the jobs take about ten times as long.
 */
import { convertSnakemake } from '../src/convert/snakemake/convert.ts';
import { printedJob } from '../tests/support/snakemake.ts';
import { argumentsOf } from './support/arguments.ts';
import { createFigures } from './support/figures.ts';
import { machine } from './support/processes.ts';

argumentsOf({});
const { note, print } = createFigures();

const twoRules = (jobs: number): string[] =>
  Array.from({ length: jobs / 2 }, (_, n) => [
    printedJob('one', { output: `one/${n}.txt`, wildcards: `n=${n}` }, `echo ${n} > one/${n}.txt`),
    printedJob('two', { input: `one/${n}.txt`, output: `two/${n}.txt`, wildcards: `n=${n}` }, `wc -l one/${n}.txt`),
  ]).flat();
const unlike = (jobs: number): string[] =>
  Array.from({ length: jobs }, (_, n) =>
    printedJob('one', { output: `o/${n}`, wildcards: `n=${n}` }, `x ${(n * 7_919) % 104_729}`),
  );

function measure(what: string, printed: readonly string[], entries: number): number {
  const begun = performance.now();
  const { workflow } = convertSnakemake({
    files: [{ path: 'Snakefile', text: 'rule one:\n  shell: "x"\nrule two:\n  shell: "x"\n' }],
    printed: printed.join('\n'),
  });
  const milliseconds = performance.now() - begun;
  if ((workflow['jobs'] as readonly object[]).length !== entries) throw new Error(`${what}: not ${entries} entries`);
  note(`${what}: convert`, milliseconds, 'ms');
  return milliseconds;
}

console.log(machine());
for (let round = 1; round <= 3; round += 1) {
  const few = measure('2,000 jobs', twoRules(2_000), 2);
  const many = measure('20,000 jobs', twoRules(20_000), 2);
  note('20,000 jobs beside 2,000', many / few, '×', { atMost: 20 });
  measure('20,000 jobs that have nothing in common', unlike(20_000), 20_000);
}
print();
