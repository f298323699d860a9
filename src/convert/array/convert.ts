import { Refusal } from '../../core/contract/refusals.ts';
import { shellWords } from '../../core/text/shell-words.ts';
import { reportOf, type Conversion } from '../conversion.ts';
import { uniqueNames } from '../unique-names.ts';
import type { ArrayDialect } from './dialect.ts';
import { readIndices } from './indices.ts';
import { directivesByName, readBatchScript, type Script } from './script.ts';
import { convertTask } from './task.ts';

export interface ArrayScript {
  readonly text: string;
  /** As jobs find it from the folder in which they run. */
  readonly path: string;
  /** The tasks that the command line of the submission gives, which win over those of the script. */
  readonly array?: string | undefined;
  /** The arguments of the script, as behind it on that command line. */
  readonly args?: string | undefined;
}

/** An array script as one job with a parameter. Throws `CONVERSION_REFUSED` if it would not be submitted, or is no array. */
export function convertArray({ text, path, array, args }: ArrayScript, dialect: ArrayDialect): Conversion {
  const report = reportOf(path);
  const script = batchScriptOf(text, path, dialect);
  const directives = directivesByName(script.directives);
  const tasks = array ?? directives.get('array')?.value;
  if (tasks === undefined) throw new Refusal('CONVERSION_REFUSED', `${path}: ${dialect.noArray}`);
  const indices = readIndices(tasks, dialect.indexRules);
  const name = uniqueNames()(nameOfScript(path, directives.get('job-name')?.value));
  const { job, requirements, handler } = convertTask(
    {
      script,
      path,
      directives,
      indices,
      args: args === undefined ? undefined : argumentsOf(args, dialect.program),
      name,
    },
    dialect,
    report,
  );
  return {
    workflow: {
      name,
      description: `${path}, an array of ${dialect.system}`,
      jobs: [job],
      ...(requirements === undefined ? {} : { resource_requirements: [requirements] }),
      ...(handler === undefined ? {} : { failure_handlers: [handler] }),
    },
    notes: report.notes,
  };
}

/** Throws `CONVERSION_REFUSED` if the batch system would refuse the script. */
export function batchScriptOf(text: string, path: string, dialect: ArrayDialect): Script {
  const script = readBatchScript(text, dialect.marker, dialect.readOptions);
  if (script.interpreter === undefined && dialect.needsInterpreter)
    throw new Refusal(
      'CONVERSION_REFUSED',
      `${path}:1: a batch script begins with #! and a program, and ${dialect.program} refuses it`,
    );
  return script;
}

/** The name of its jobs in the batch system, or that of the file. */
export const nameOfScript = (path: string, jobName: string | undefined): string =>
  jobName ?? path.replace(/^.*\//, '').replace(/\.\w+$/, '');

function argumentsOf(text: string, program: string): readonly string[] {
  const words = shellWords(text);
  if (words === undefined)
    throw new Refusal(
      'CONVERSION_REFUSED',
      `--args ${text}: a quote has no end; write it as on the command line of ${program}`,
    );
  return words;
}
