import { existsSync } from 'node:fs';
import type { Workflow } from '../../../core/contract/workflow.ts';
import type { Plan } from '../../../core/workflow-file/plan/plan.ts';
import type { Choice } from '../../../operations/update/choice.ts';
import { recognized } from '../../../operations/update/recognize.ts';
import { workflowOption } from '../../choose/choose-record.ts';
import { chooseWorkflow, decide, isPersonThere } from '../../choose/choose-workflow.ts';
import type { Context } from '../../command/context.ts';
import { Failure, UsageError } from '../../command/failure.ts';
import { option, optionsOf, type ValuesOf } from '../../command/option.ts';
import { dateText } from '../../output/local-time.ts';
import { foldedNames } from '../../output/reruns.ts';
import { grouped } from '../../../core/quantity/count-text.ts';
import { MissingDatabase } from '../../standalone/missing-database.ts';

export const updateOptions = optionsOf([
  option(
    '--update',
    'run only what is out of date, with what depends on it; with a file, what is new or changed in the file as well',
  ),
  {
    ...workflowOption,
    says: 'with --update: the workflow to change, by id or name; required if several are of this file',
  },
  option('--new', 'create another workflow even if there is one from this file, without a question'),
  option('-y, --yes', 'do not ask: update the workflow of the file, or create it, and run what is out of date'),
  option(
    '--force <name>',
    'run these jobs again, by name or pattern (train_*), with what depends on them; may be repeated',
    {
      many: true,
    },
  ),
  option(
    '--only <name>',
    'run only these jobs, with what they need and what of it is out of date: a name, a pattern (train_*) or the path of a file to make; may be repeated',
    { many: true },
  ),
  option(
    '--touch',
    'run nothing, and take jobs as made whose outputs are there, such as those of another program or of an earlier workflow',
  ),
  option('--dry-run', 'show what would run, and why, and change nothing'),
]);

type UpdateValues = ValuesOf<typeof updateOptions>;

/** What becomes of a workflow file: another workflow, a changed one, or only a report. */
export type Chosen =
  | { readonly kind: 'create' }
  | {
      readonly kind: 'updated';
      readonly id: number;
      readonly looked: boolean;
      /** Where only some jobs are to run. */
      readonly choice: Choice | undefined;
    }
  | { readonly kind: 'reported' };

/** Whether jobs that are out of date run without a question. */
export const updatesUnasked = (
  { configuration }: Context,
  { update, yes, force, only, touch }: UpdateValues,
): boolean =>
  update === true ||
  yes === true ||
  touch === true ||
  force !== undefined ||
  only !== undefined ||
  configuration['client.run.update'];

/** Refuses options that contradict each other, or a workflow that is no file. */
export function refuseUpdateOptions(
  { update, new: isNew, workflowId, force, touch }: UpdateValues,
  isFile: boolean,
): void {
  if (touch === true && force !== undefined)
    throw new UsageError('--touch runs nothing and --force runs jobs again: use one of them');
  if (update === true && isNew === true)
    throw new UsageError('--update changes the workflow of the file and --new creates another one: use one of them');
  if (force !== undefined && isNew === true)
    throw new UsageError('--force runs jobs of a workflow again and --new creates another one: use one of them');
  if (workflowId !== undefined && update !== true)
    throw new UsageError('--workflow-id names the workflow that --update changes');
  if (!isFile && isNew === true)
    throw new UsageError('--new needs a workflow file, not the id or the name of a workflow');
}

/**
 * Updates the workflow of the file, if that is wanted: by an option, or if the user agrees on a terminal. Without a terminal and
 * without options, another workflow is created, as always; a hint names the option.
 */
export async function chooseUpdate(context: Context, path: string, plan: Plan, options: UpdateValues): Promise<Chosen> {
  const { settings, output } = context;
  const isDryRun = options.dryRun === true;
  const { specFileOf } = await import('../../spec/read-spec.ts');
  const specFile = specFileOf(path);
  const { only } = options;
  const file: File = { plan, specFile, force: options.force ?? [], only };
  // Before anything is created or changed.
  if (only !== undefined) await refuseBadChoice(context, file, isDryRun);
  const found = options.new === true ? [] : await workflowsOf(context, file, options);
  const [newest, ...others] = found;
  const isUnasked = updatesUnasked(context, options);
  if (newest === undefined) {
    if (options.update === true || file.force.length > 0)
      throw new Failure(
        `no workflow of user ${settings.user} was created from this file or is named "${plan.workflow.name}", so there is none to update; without --update it is created, and --workflow-id names another one`,
      );
    if (!isDryRun) return { kind: 'create' };
    if (options.touch === true)
      throw new UsageError(
        '--touch --dry-run needs a workflow, and none was created from this file: torc create does that',
      );
    await reportCreation(output, file);
    return { kind: 'reported' };
  }
  if (isUnasked && others.length > 0)
    throw new Failure(
      `${listed(found, specFile)}\n--workflow-id says which of them is updated; ${context.hint('torc workflows archive true ID')} sets others aside`,
    );
  if (isUnasked || isDryRun) return apply(context, newest.id, file, { isDryRun, looksAtFiles: options.touch !== true });
  if (!isPersonThere(output) || path === '-') {
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

/** The workflows that the file may be an update of, or the one that is named. A dry run without a database finds none. */
async function workflowsOf(
  context: Context,
  { plan, specFile }: File,
  { workflowId, dryRun }: UpdateValues,
): Promise<readonly WorkflowOfFile[]> {
  try {
    const { client } = await context.service();
    if (workflowId !== undefined)
      return [await client.getWorkflow({ params: { id: await chooseWorkflow(context, workflowId) } })];
    const { name } = plan.workflow;
    return await recognized(client, { specFile, user: context.settings.user, name, fileExists: existsSync });
  } catch (error) {
    if (dryRun !== true || workflowId !== undefined || !(error instanceof MissingDatabase)) throw error;
    return [];
  }
}

/** Refuses a server that does not know choices, and words that mean no job of the file. */
async function refuseBadChoice(context: Context, { plan, only = [] }: File, isDryRun: boolean): Promise<void> {
  const { chosenInPlan, refuseWithoutChoices } = await import('../../../operations/update/choice.ts');
  chosenInPlan(plan, only);
  // A dry run needs no server, and makes none.
  if (!isDryRun) await refuseWithoutChoices((await context.service()).client);
}

/** Reports a workflow that would be created. */
async function reportCreation(output: Context['output'], { plan, only }: File): Promise<void> {
  const { name } = plan.workflow;
  const jobs = plan.jobs.length;
  const all = Array.from({ length: jobs }, (_, number) => plan.jobName(number));
  const names =
    only === undefined ? all : (await import('../../../operations/update/choice.ts')).chosenInPlan(plan, only);
  const which =
    names.length < jobs
      ? `${grouped(names.length)} of its ${grouped(jobs)} jobs`
      : jobs === 1
        ? 'its job'
        : `all of its ${grouped(jobs)} jobs`;
  const text = [
    `No workflow was created from this file. "${name}" would be created, and ${which} would run:`,
    ...foldedNames(names),
  ].join('\n');
  output.record('dry run', { dry_run: true, creates: true, workflow_name: name, jobs: names }, text);
}

interface File {
  readonly plan: Plan;
  readonly specFile: string | undefined;
  /** Names of jobs that run again in any case. */
  readonly force: readonly string[];
  /** Only these jobs run, with what they need. */
  readonly only: readonly string[] | undefined;
}

type WorkflowOfFile = Awaited<ReturnType<typeof recognized>>[number];

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
  { plan, specFile, force, only }: File,
  /** `isShown`: the user has seen the jobs already. */
  {
    isDryRun,
    isShown = false,
    looksAtFiles = true,
  }: { readonly isDryRun: boolean; readonly isShown?: boolean; readonly looksAtFiles?: boolean },
): Promise<Chosen> {
  const { client } = await context.service();
  if (!isDryRun) {
    // What a killed runner of this host holds is no longer under way.
    const { recoverHere } = await import('../../../operations/orphans/recover-here.ts');
    await recoverHere(client, await client.getWorkflow({ params: { id } }), context.output.warn);
  }
  const { updateFromPlan } = await import('../../../operations/update/update-plan.ts');
  const { reportUpdate } = await import('../../output/plan-difference.ts');
  const updated = await updateFromPlan(client, id, plan, {
    isDryRun,
    specFile,
    looksAtFiles,
    force,
    only: looksAtFiles ? only : undefined,
    acceptsLoss: isShown || force.length > 0,
  });
  reportUpdate(context, id, updated, { isDryRun, isShown, globs: plan.globs });
  if (isDryRun) return { kind: 'reported' };
  return { kind: 'updated', id, looked: updated.unseenIn === undefined, choice: updated.choice };
}
