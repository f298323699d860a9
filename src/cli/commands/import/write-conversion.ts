import { leavesOut, noteText, reportComments, type Conversion } from '../../../convert/conversion.ts';
import { counted } from '../../../core/quantity/count-text.ts';
import { fewAlike } from '../../../core/workflow-file/problems/few-alike.ts';
import { formatProblem } from '../../../core/workflow-file/problems/problems.ts';
import { formatOfName } from '../../../core/workflow-file/text/read-text.ts';
import { writeText, type WrittenFormat } from '../../../core/workflow-file/text/write-text.ts';
import { planHere } from '../../../operations/create/create.ts';
import { writeWhole } from '../../../operations/whole-file.ts';
import type { Context } from '../../command/context.ts';
import { Failure } from '../../command/failure.ts';

export interface ConversionOptions {
  readonly output: string | undefined;
  readonly partial: boolean | undefined;
}

/**
 * Writes the workflow of a conversion, with the report as comments and on standard error. Nothing is written if something was left out that may
 * change the result, unless a part is asked for.
 */
export async function writeConversion(
  context: Context,
  conversion: Conversion,
  asked: ConversionOptions,
): Promise<void> {
  const { output, settings } = context;
  const { workflow, notes } = conversion;
  const format = formatFor(asked.output, output.format === 'json');
  for (const note of notes) output.detail(noteText(note));
  const { plan, problems } = planHere(workflow, asked.output ?? 'the workflow', { maxJobs: settings.maxJobs });
  for (const problem of fewAlike(problems)) output.detail(formatProblem(problem));
  if (plan === undefined || problems.some(({ severity }) => severity === 'error'))
    throw new Failure('The converted workflow is not valid, see above. Nothing was written.');
  const left = notes.filter(({ isLeftOut }) => isLeftOut).length;
  if (leavesOut(conversion) && asked.partial !== true)
    throw new Failure(
      `${counted(left, 'thing')} that may change the result ${left === 1 ? 'was' : 'were'} left out. Nothing was written; --partial writes the rest.`,
    );
  // JSON has no comments.
  const comments = format === 'yaml' ? reportComments(conversion) : '';
  const text = `${comments}${writeText(workflow, format, true).trimEnd()}`;
  const summary = `${counted(plan.jobs.length, 'job')}, ${counted(plan.files.length, 'file')}, ${counted(notes.length - left, 'note')}, ${left} left out`;
  if (asked.output === undefined) output.text(text);
  else await writeWhole(asked.output, (write) => write(text));
  output.notice(
    asked.output === undefined
      ? summary
      : `Wrote ${asked.output}: ${summary}. Try it: torc create ${asked.output} --dry-run`,
  );
}

function formatFor(path: string | undefined, isJson: boolean): WrittenFormat {
  if (path === undefined) return isJson ? 'json' : 'yaml';
  const format = formatOfName(path);
  if (format === undefined || format === 'kdl')
    throw new Failure(`${path}: a workflow file is written as YAML or JSON; use a name that ends in .yaml or .json`);
  return format;
}
