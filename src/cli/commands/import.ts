import { type Command, command } from '../command.ts';
import { Failure } from '../failure.ts';
import { integer, optionsOf } from '../option.ts';
import { readInput } from '../read-input.ts';

/** Options of every converter. */
const conversionOptions = optionsOf([
  { flags: '-o, --output <file>', says: 'workflow file to write, .yaml or .json (default: standard output)' },
  { flags: '--partial', says: 'write the workflow also if something that changes its result had to be left out' },
]);

const importMake = command({
  words: 'import make <makefile> [targets...]',
  says: 'Convert a makefile to a workflow file: each recipe that make would run becomes a job with its files.',
  more: 'Your own GNU make resolves variables, pattern rules and includes. It prints the recipes and runs none, but as always the $(shell …) of the makefile, rules of included files, and recipe lines that begin with +. A report on standard error names what is not the same in the workflow.',
  options: conversionOptions,
  offline: true,
  async run(context, [path, targets], { output, partial }) {
    const { convertMakefile } = await import('../../operations/convert/make.ts');
    const { writeConversion } = await import('../write-conversion.ts');
    if (path === '-') throw new Failure('make reads the makefile, so it has to be a file, not standard input');
    // For its error, which says what is expected.
    readInput(path, 'a makefile');
    const conversion = await convertMakefile({ path, targets: targets ?? [], environment: context.environment });
    await writeConversion(context, conversion, { output, partial });
  },
});

const importSnakemake = command({
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
    const { convertSnakefile } = await import('../../operations/convert/snakemake.ts');
    const { writeConversion } = await import('../write-conversion.ts');
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

const importCwl = command({
  words: 'import cwl <process> [inputs]',
  says: 'Convert a tool or workflow of the Common Workflow Language (CWL) with its inputs to a workflow file.',
  more: 'Each tool becomes a job in a folder of its own, each step that is scattered one for each item. References such as $(inputs.file.path) are resolved; JavaScript is not run: a step that needs it is left out. A report on standard error names what is not the same in the workflow, and where each output lies.',
  options: [
    {
      flags: '--container <runtime>',
      says: 'run tools with a DockerRequirement in containers of this runtime',
      choices: ['apptainer', 'podman', 'docker'],
    },
    ...conversionOptions,
  ],
  offline: true,
  async run(context, [path, inputs], { container: runtime, output, partial }) {
    const { convertCwlFile } = await import('../../operations/convert/cwl.ts');
    const { writeConversion } = await import('../write-conversion.ts');
    if (path === '-')
      throw new Failure('a process of CWL names other files relative to itself, so it has to be a file');
    await writeConversion(context, convertCwlFile({ path, inputs, runtime }), { output, partial });
  },
});

const importSlurmArray = command({
  words: 'import slurm-array <script>',
  says: 'Convert a batch script with #SBATCH --array to a workflow file: one job with a parameter.',
  more: 'Each job runs the script itself, with SLURM_ARRAY_TASK_ID and the other variables that a task of the array has. A report on standard error names every line that is not the same in the workflow.',
  options: [
    {
      flags: '--array <tasks>',
      says: 'the tasks, as for sbatch: 1-10, 1,3,5-7 or 0-15:4%2 (default: those of the script)',
    },
    ...conversionOptions,
  ],
  offline: true,
  async run(context, [path], { array, output, partial }) {
    const { convertSlurmArray } = await import('../../core/convert/slurm-array/convert.ts');
    const { writeConversion } = await import('../write-conversion.ts');
    if (path === '-') throw new Failure('jobs run the script, so it has to be a file, not standard input');
    const conversion = convertSlurmArray({ text: readInput(path, 'a batch script'), path, array });
    await writeConversion(context, conversion, { output, partial });
  },
});

/** The converters: what converts and what writes is loaded when it runs, because help and completion load all options. */
export const importCommands: readonly Command[] = [importMake, importSnakemake, importCwl, importSlurmArray];
