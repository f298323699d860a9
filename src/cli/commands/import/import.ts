import type { ArrayDialect } from '../../../convert/array/dialect.ts';
import type { Conversion } from '../../../convert/conversion.ts';
import { type Command, command } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { Failure } from '../../command/failure.ts';
import { integerOption, option, optionsOf } from '../../command/option.ts';
import { readInput } from '../../terminal/read-input.ts';
import type { ConversionOptions } from './write-conversion.ts';

/** Options of every converter. */
const conversionOptions = optionsOf([
  option('-o, --output <file>', 'workflow file to write, .yaml or .json (default: standard output)'),
  option('--partial', 'write the workflow also if something that changes its result had to be left out'),
]);

/** Converts a file and writes the workflow, with the report; `why` says why it cannot be standard input. */
async function convert(
  context: Context,
  { path, why }: { readonly path: string; readonly why: string },
  { output, partial }: ConversionOptions,
  read: () => Promise<Conversion>,
): Promise<void> {
  if (path === '-') throw new Failure(`${why}, so it has to be a file, not standard input`);
  const { writeConversion } = await import('./write-conversion.ts');
  await writeConversion(context, await read(), { output, partial });
}

const importMake = command('import make <makefile> [targets...]', {
  says: 'Convert a makefile to a workflow file: each recipe that make would run becomes a job with its files.',
  example: 'Makefile all -o pipeline.yaml',
  more: 'Your own GNU make resolves variables, pattern rules and includes. It prints the recipes and runs none, but as always the $(shell …) of the makefile, rules of included files, and recipe lines that begin with + or contain $(MAKE). A report on standard error names what is not the same in the workflow.',
  options: conversionOptions,
  offline: true,
  run: (context, [path, targets = []], values) =>
    convert(context, { path, why: 'make reads the makefile' }, values, async () => {
      const { convertMakefile } = await import('../../../operations/create/convert/make.ts');
      // For its error, which says what is expected.
      readInput(path, 'a makefile');
      return convertMakefile({ path, targets, environment: context.environment });
    }),
});

const importSnakemake = command('import snakemake <snakefile> [targets...]', {
  says: 'Convert a Snakefile to a workflow file: each job that Snakemake would run becomes a job with its files.',
  example: 'Snakefile -o pipeline.yaml',
  more: 'Your own Snakemake resolves wildcards and functions; it runs the Python of the Snakefile and no job. A rule with a script, an environment or a container becomes a job in which Snakemake runs this rule. A report on standard error names what is not the same in the workflow.',
  options: [
    option('--cores <n>', 'no job gets more CPUs (default: those of this machine)', {
      read: integerOption(1),
    }),
    ...conversionOptions,
  ],
  offline: true,
  run: (context, [path, targets = []], { cores, ...values }) =>
    convert(context, { path, why: 'Snakemake reads the Snakefile' }, values, async () => {
      const { convertSnakefile } = await import('../../../operations/create/convert/snakemake.ts');
      // For its error, which says what is expected.
      readInput(path, 'a Snakefile');
      return convertSnakefile({ path, targets, cores, environment: context.environment });
    }),
});

const importCwl = command('import cwl <process> [inputs]', {
  says: 'Convert a tool or workflow of the Common Workflow Language (CWL) with its inputs to a workflow file.',
  example: 'flow.cwl inputs.yaml -o flow.yaml',
  more: 'Each tool becomes a job in a folder of its own, each step that is scattered one for each item. References such as $(inputs.file.path) are resolved; JavaScript is not run: a step that needs it is left out. A report on standard error names what is not the same in the workflow, and where each output lies.',
  options: [
    option('--container <runtime>', 'run tools with a DockerRequirement in containers of this runtime', {
      choices: ['apptainer', 'podman', 'docker'],
    }),
    ...conversionOptions,
  ],
  offline: true,
  run: (context, [path, inputs], { container: runtime, ...values }) =>
    convert(context, { path, why: 'a process of CWL names other files relative to itself' }, values, async () => {
      const { convertCwlFile } = await import('../../../operations/create/convert/cwl.ts');
      return convertCwlFile({ path, inputs, runtime });
    }),
});

const importSlurmArray = command('import slurm-array <script>', {
  says: 'Convert a batch script with #SBATCH --array, or a script that submits several, to a workflow file.',
  example: 'align.sbatch -o align.yaml',
  more: 'Each job runs the script itself, with SLURM_ARRAY_TASK_ID and the other variables that a task of the array has; an array is one job with a parameter. In a script that calls sbatch, --dependency becomes depends_on. A report on standard error names every line that is not the same in the workflow.',
  options: [
    option('--array <tasks>', 'the tasks, as for sbatch: 1-10, 1,3,5-7 or 0-15:4%2 (default: those of the script)'),
    option('--args <words>', 'arguments of the script, as behind it on the command line of sbatch'),
    ...conversionOptions,
  ],
  offline: true,
  run: (context, [path], { array, args, ...values }) =>
    convert(context, { path, why: 'jobs run the script' }, values, async () => {
      const { slurmArrays } = await import('../../../convert/slurm-array/convert.ts');
      return scriptOrDriver({ path, array, args }, slurmArrays);
    }),
});

const importPbsArray = command('import pbs-array <script>', {
  says: 'Convert a batch script with #PBS -J, or a script that submits several to PBS, to a workflow file.',
  example: 'align.pbs -o align.yaml',
  more: 'Each job runs the script itself, with PBS_ARRAY_INDEX and the other variables that a task of the array has, from the folder from which you run torc, or from your home where the script does not go to PBS_O_WORKDIR. In a script that calls qsub, -W depend=afterok becomes depends_on. A report on standard error names every line that is not the same in the workflow.',
  options: [
    option('--array <tasks>', 'the tasks, as for qsub -J: 1-10, 0-15:4 or 1-100%10 (default: those of the script)'),
    ...conversionOptions,
  ],
  offline: true,
  run: (context, [path], { array, ...values }) =>
    convert(context, { path, why: 'jobs run the script' }, values, async () => {
      const { pbsArrays } = await import('../../../convert/pbs-array/convert.ts');
      return scriptOrDriver({ path, array }, pbsArrays);
    }),
});

/** A script with an array, or one that submits several. */
async function scriptOrDriver(
  {
    path,
    array,
    args,
  }: { readonly path: string; readonly array?: string | undefined; readonly args?: string | undefined },
  dialect: ArrayDialect,
): Promise<Conversion> {
  const text = readInput(path, 'a batch script');
  const { isDriver } = await import('../../../convert/array/driver.ts');
  if (array === undefined && args === undefined && isDriver(text, dialect)) {
    const { convertDriver } = await import('../../../convert/array/convert-driver.ts');
    return convertDriver({ text, path, readFile: (each) => readInput(each, 'a batch script') }, dialect);
  }
  const { convertArray } = await import('../../../convert/array/convert.ts');
  return convertArray({ text, path, array, args }, dialect);
}

/** Each loads what converts when it runs, because help and completion load all options. */
export const importCommands: readonly Command[] = [
  importMake,
  importSnakemake,
  importCwl,
  importSlurmArray,
  importPbsArray,
];
