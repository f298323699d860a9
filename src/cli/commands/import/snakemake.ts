import { command } from '../../command.ts';
import { Failure } from '../../failure.ts';
import { integer } from '../../option.ts';
import { readInput } from '../../read-input.ts';
import { conversionOptions } from './options.ts';

export const importSnakemake = command({
  words: 'import snakemake <snakefile> [targets...]',
  says: 'Convert a Snakefile to a workflow file: each job that Snakemake would run becomes a job with its files.',
  more: 'Your own Snakemake resolves wildcards and functions; it runs the Python of the Snakefile and no job. A rule with a script, an environment or a container becomes a job in which Snakemake runs this rule. A report on standard error names what is not the same in the workflow.',
  options: [
    {
      flags: '--cores <n>',
      says: 'no job gets more CPUs (default: those of this machine)',
      read: integer('--cores', 1),
    },
    ...conversionOptions,
  ],
  offline: true,
  async run(context, [path, targets], { cores, output, partial }) {
    const { convertSnakefile } = await import('../../../operations/convert/snakemake.ts');
    const { writeConversion } = await import('./write-conversion.ts');
    if (path === '-') throw new Failure('Snakemake reads the Snakefile, so it has to be a file, not standard input');
    // For its error, which says what is expected.
    readInput(path, 'a Snakefile');
    const conversion = await convertSnakefile({
      path,
      targets: targets ?? [],
      cores,
      environment: context.environment,
    });
    await writeConversion(context, conversion, { output, partial });
  },
});
