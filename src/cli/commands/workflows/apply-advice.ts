import type { Adjustment, UsedJob } from '../../../core/lifecycle/resources/used-jobs.ts';
import type { Plan } from '../../../core/workflow-file/plan/plan.ts';
import type { Source } from '../../../core/workflow-file/text/read-text.ts';
import { formatProblem } from '../../../core/workflow-file/problems/problems.ts';
import { confirm } from '../../choose/choose-workflow.ts';
import type { Context } from '../../command/context.ts';
import { Failure } from '../../command/failure.ts';
import { option } from '../../command/option.ts';

export const applyOptions = [
  option('--apply <file>', 'write the advice into this workflow file; its changes are shown first'),
  option('-y, --yes', 'with --apply: do not ask'),
] as const;

interface AppliedAdvice {
  /** What is different in the file, as a `diff -U0` says it; undefined without a file. */
  readonly diff: readonly string[] | undefined;
  /** The user did not agree: nothing was written, and nothing else shall change. */
  readonly isRefused: boolean;
}

interface ApplyOptions {
  readonly file: string | undefined;
  readonly isAgreed: boolean;
  readonly isDryRun: boolean;
}

/** Writes adjustments into the file of a workflow, once the user has seen the changes and agreed to them. */
export async function applyAdvice(
  context: Context,
  advised: { readonly jobs: readonly UsedJob[]; readonly adjustments: readonly Adjustment[] },
  { file, isAgreed, isDryRun }: ApplyOptions,
): Promise<AppliedAdvice> {
  if (file === undefined) {
    if (isAgreed) throw new Failure('--yes answers the question of --apply FILE, which is missing');
    return { diff: undefined, isRefused: false };
  }
  if (file === '-') throw new Failure('--apply changes a file; standard input is none');
  const { output, settings } = context;
  const { specText } = await import('../../spec/read-spec.ts');
  const { adviseFile } = await import('../../../operations/resources/advise-file.ts');
  const text = specText(file);
  const { readSpecHere } = await import('../../../operations/create/create.ts');
  const { isAcceptable } = await import('../../../core/workflow-file/read/read.ts');
  const planOf = (source: Source): Plan => {
    const reading = readSpecHere(source, { maxJobs: settings.maxJobs });
    if (reading.plan !== undefined && isAcceptable(reading, { skipsChecks: true })) return reading.plan;
    const [first] = reading.problems.filter(({ severity }) => severity === 'error');
    throw new Failure(first === undefined ? `${file} is no workflow` : formatProblem(first));
  };
  const { diff, write } = adviseFile({ name: file, text }, advised, planOf);
  if (isDryRun || diff.length === 0) return { diff, isRefused: false };
  if (!isAgreed) {
    if (output.format === 'json') throw new Failure('--apply asks before it writes; a script needs --yes');
    output.detail([`--- ${file}`, `+++ ${file}, as advised`, ...diff].join('\n'));
    if (!(await confirm(context, `Write these changes into ${file}?`))) {
      const isAnswer = process.stdin.isTTY === true;
      if (!isAnswer) context.exitWith(1);
      output.detail(`Nothing was changed.${isAnswer ? '' : ' Use --yes to continue without asking.'}`);
      return { diff, isRefused: true };
    }
  }
  if (specText(file) !== text)
    throw new Failure(`${file} was changed by another program meanwhile; nothing was written`);
  await write();
  return { diff, isRefused: false };
}

/** What was done with the file, for a person and for programs. */
export const appliedLines = ({ diff }: AppliedAdvice, { file, isAgreed, isDryRun }: ApplyOptions): string[] =>
  diff === undefined
    ? []
    : diff.length === 0
      ? [`${file} stays as it is`]
      : [`${isDryRun ? 'Would change' : 'Changed'} ${file}`, ...(isDryRun || isAgreed ? diff : [])];

export const appliedJson = ({ diff }: AppliedAdvice, { file, isDryRun }: ApplyOptions) =>
  diff === undefined ? {} : { file, file_changed: diff.length > 0 && !isDryRun, file_diff: diff };
