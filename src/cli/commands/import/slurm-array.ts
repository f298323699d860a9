import { command } from '../../command.ts';
import { Failure } from '../../failure.ts';
import { readInput } from '../../read-input.ts';
import { conversionOptions } from './options.ts';

export const importSlurmArray = command({
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
    const { convertSlurmArray } = await import('../../../core/convert/slurm-array/convert.ts');
    const { writeConversion } = await import('./write-conversion.ts');
    if (path === '-') throw new Failure('jobs run the script, so it has to be a file, not standard input');
    const conversion = convertSlurmArray({ text: readInput(path, 'a batch script'), path, array });
    await writeConversion(context, conversion, { output, partial });
  },
});
