import { command } from '../../command.ts';
import { Failure } from '../../failure.ts';
import { readInput } from '../../read-input.ts';
import { conversionOptions } from './options.ts';

export const importMake = command({
  words: 'import make <makefile> [targets...]',
  says: 'Convert a makefile to a workflow file: each recipe that make would run becomes a job with its files.',
  more: 'Your own GNU make resolves variables, pattern rules and includes. It prints the recipes and runs none, but as always the $(shell …) of the makefile, rules of included files, and recipe lines that begin with +. A report on standard error names what is not the same in the workflow.',
  options: conversionOptions,
  offline: true,
  async run(context, [path, targets], { output, partial }) {
    const { convertMakefile } = await import('../../../operations/convert/make.ts');
    const { writeConversion } = await import('./write-conversion.ts');
    if (path === '-') throw new Failure('make reads the makefile, so it has to be a file, not standard input');
    // For its error, which says what is expected.
    readInput(path, 'a makefile');
    const conversion = await convertMakefile({ path, targets: targets ?? [], environment: context.environment });
    await writeConversion(context, conversion, { output, partial });
  },
});
