import { existsSync } from 'node:fs';
import type { Workflow } from '../../../core/contract/workflow.ts';
import type { Plan } from '../../../core/workflow-file/plan/plan.ts';
import { recognized } from '../../../operations/update/recognize.ts';
import { workflowOption } from '../../choose/choose-record.ts';
import { chooseWorkflow, decide } from '../../choose/choose-workflow.ts';
import type { Context } from '../../command/context.ts';
import { Failure, UsageError } from '../../command/failure.ts';
import { option, optionsOf, type ValuesOf } from '../../command/option.ts';
import { dateText } from '../../output/local-time.ts';

export const updateOptions = optionsOf([
  option(
    '--update',
    'change the workflow that was created from this file: only what is new or changed, and what depends on it, runs',
  ),
  {
    ...workflowOption,
    says: 'with --update: the workflow to change, by id or name; required if several are of this file',
  },
  option('--new', 'create another workflow even if there is one from this file, without a question'),
  option('--dry-run', 'with --update: show what would change and run, and change nothing'),
]);

type UpdateValues = ValuesOf<typeof updateOptions>;

/** What becomes of a workflow file: another workflow, a changed one, or only a report. */
export type Chosen =
  | { readonly kind: 'create' }
  | { readonly kind: 'updated'; readonly id: number }
  | { readonly kind: 'reported' };

/** Refuses options that contradict each other, or a workflow that is no file. */
export function refuseUpdateOptions({ update, new: isNew, dryRun, workflowId }: UpdateValues, isFile: boolean): void {
  if (update === true && isNew === true)
    throw new UsageError('--update changes the workflow of the file and --new creates another one: use one of them');
  if (dryRun === true && update !== true)
    throw new UsageError('--dry-run shows what --update would change; torc create --dry-run FILE checks a file');
  if (workflowId !== undefined && update !== true)
    throw new UsageError('--workflow-id names the workflow that --update changes');
  if (!isFile && (update === true || isNew === true))
    throw new UsageError('--update and --new need a workflow file, not the id or the name of a workflow');
}

/**
 * Updates the workflow of the file, if that is wanted: with `--update`, or if the user agrees on a terminal. Without a
 * terminal and without options, another workflow is created, as always; a hint names the option.
 */
export async function chooseUpdate(context: Context, path: string, plan: Plan, options: UpdateValues): Promise<Chosen> {
  if (options.new === true) return { kind: 'create' };
  const { settings, output } = context;
  const { specFileOf } = await import('../../spec/read-spec.ts');
  const { client } = await context.service();
  const specFile = specFileOf(path);
  const file: File = { plan, specFile };
  const isDryRun = options.dryRun === true;
  if (options.workflowId !== undefined)
    return apply(context, await chooseWorkflow(context, options.workflowId), file, { isDryRun });
  const { name } = plan.workflow;
  const found = await recognized(client, { ...file, user: settings.user, name, fileExists: existsSync });
  const [newest, ...others] = found;
  if (options.update === true) {
    if (newest === undefined)
      throw new Failure(
        `no workflow of user ${settings.user} was created from this file or is named "${name}", so there is none to update; without --update it is created, and --workflow-id names another one`,
      );
    if (others.length > 0)
      throw new Failure(
        `${listed(found, specFile)}\n--workflow-id says which of them is updated; ${context.hint('torc workflows archive true ID')} sets others aside`,
      );
    return apply(context, newest.id, file, { isDryRun });
  }
  if (newest === undefined) return { kind: 'create' };
  if (process.stdin.isTTY !== true || path === '-' || output.format === 'json') {
    const which = others.length > 0 ? ' --workflow-id ID' : '';
    output.notice(
      `${listed(found, specFile)}${others.length > 0 ? '\n' : '; '}--update${which} changes it instead of creating another one, --new ends this hint`,
    );
    return { kind: 'create' };
  }
  output.notice(`${listed(found, specFile)}${others.length > 0 ? '' : '.'}`);
  await apply(context, newest.id, file, { isDryRun: true });
  const which = others.length > 0 ? ' (the newest)' : '';
  if (!(await decide(context, `Update workflow ${newest.id}${which}? Otherwise another one is created.`)))
    return { kind: 'create' };
  return apply(context, newest.id, file, { isDryRun: false, isShown: true });
}

interface File {
  readonly plan: Plan;
  readonly specFile: string | undefined;
}

/** One workflow in a sentence, several in a list. */
function listed(found: readonly Workflow[], specFile: string | undefined): string {
  const [newest, ...others] = found;
  if (newest === undefined) return '';
  const isOfFile = specFile !== undefined && newest.spec_file === specFile;
  if (others.length === 0)
    return isOfFile
      ? `Workflow ${newest.id}, "${newest.name}", was created from this file (${dateText(newest.timestamp)})`
      : `Workflow ${newest.id} is named "${newest.name}", too (created ${dateText(newest.timestamp)})`;
  const lines = found.map(({ id, name, timestamp }) => `  ${id}, "${name}", created ${dateText(timestamp)}`);
  return [
    `${found.length} workflows ${isOfFile ? 'were created from this file' : 'have the name of this file'}:`,
    ...lines,
  ].join('\n');
}

async function apply(
  context: Context,
  id: number,
  { plan, specFile }: File,
  /** `isShown`: the user has seen the jobs already. */
  { isDryRun, isShown = false }: { readonly isDryRun: boolean; readonly isShown?: boolean },
): Promise<Chosen> {
  const { client } = await context.service();
  const { updateFromPlan } = await import('../../../operations/update/update-plan.ts');
  const { reportUpdate } = await import('../../output/plan-difference.ts');
  const updated = await updateFromPlan(client, id, plan, { isDryRun, specFile, looksAtFiles: true });
  reportUpdate(context, id, updated, { isDryRun, isShown, globs: plan.globs });
  return isDryRun ? { kind: 'reported' } : { kind: 'updated', id };
}
