import { Refusal } from '../../core/contract/refusals.ts';
import { shellWords } from '../../core/text/shell-words.ts';
import { reportOf, type Conversion } from '../conversion.ts';
import { uniqueNames } from '../unique-names.ts';
import { directivesByName, readScript } from './directives.ts';
import { readIndices } from './indices.ts';
import { convertTask } from './task.ts';

interface ArrayScript {
  readonly text: string;
  /** As jobs find it from the folder in which they run. */
  readonly path: string;
  /** The `--array` of the command line of sbatch, which wins over that of the script. */
  readonly array?: string | undefined;
  /** The arguments of the script, as behind it on the command line of sbatch. */
  readonly args?: string | undefined;
}

/**
 * A batch script with `#SBATCH --array` as one job with a parameter.
 *
 * Throws: `CONVERSION_REFUSED` if sbatch would refuse the script, or it is no array.
 */
export function convertSlurmArray({ text, path, array, args }: ArrayScript): Conversion {
  const report = reportOf(path);
  const script = readScript(text);
  if (script === undefined)
    throw new Refusal(
      'CONVERSION_REFUSED',
      `${path}:1: a batch script begins with #! and a program, and sbatch refuses it`,
    );
  const directives = directivesByName(script.directives);
  const tasks = array ?? directives.get('array')?.value;
  if (tasks === undefined)
    throw new Refusal(
      'CONVERSION_REFUSED',
      `${path}: there is no line #SBATCH --array; if it was given to sbatch, give it here as --array 1-10`,
    );
  const indices = readIndices(tasks);
  const name = uniqueNames()(nameOfScript(path, directives.get('job-name')?.value));
  const { job, requirements, handler } = convertTask(
    { script, path, directives, indices, args: args === undefined ? undefined : argumentsOf(args), name },
    report,
  );
  return {
    workflow: {
      name,
      description: `${path}, an array of Slurm`,
      jobs: [job],
      ...(requirements === undefined ? {} : { resource_requirements: [requirements] }),
      ...(handler === undefined ? {} : { failure_handlers: [handler] }),
    },
    notes: report.notes,
  };
}

/** The name of its jobs in Slurm, or that of the file. */
export const nameOfScript = (path: string, jobName: string | undefined): string =>
  jobName ?? path.replace(/^.*\//, '').replace(/\.\w+$/, '');

function argumentsOf(text: string | undefined): readonly string[] {
  const words = shellWords(text ?? '');
  if (words === undefined)
    throw new Refusal(
      'CONVERSION_REFUSED',
      `--args ${text}: a quote has no end; write it as on the command line of sbatch`,
    );
  return words;
}
