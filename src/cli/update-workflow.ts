import type { Workflow } from '../core/contract/workflow.ts';
import type { Plan } from '../core/workflow-file/plan/plan.ts';
import { recognized } from '../operations/recognize.ts';
import { confirm } from './choose-workflow.ts';
import type { Context } from './context.ts';
import { Failure, UsageError } from './failure.ts';
import { optionsOf, type ValuesOf } from './option.ts';
import { dateText } from './output/local-time.ts';

export const updateOptions = optionsOf([
  {
    flags: '--update',
    says: 'change the workflow that was created from this file: only what is new or changed, and what depends on it, runs',
  },
  { flags: '--new', says: 'create another workflow even if there is one from this file, without a question' },
  { flags: '--dry-run', says: 'with --update: show what would change and run, and change nothing' },
]);

type UpdateValues = ValuesOf<typeof updateOptions>;

/** What becomes of a workflow file: another workflow, a changed one, or only a report. */
export type Chosen =
  | { readonly kind: 'create' }
  | { readonly kind: 'updated'; readonly id: number }
  | { readonly kind: 'reported' };

/** Refuses options that contradict each other, or a workflow that is no file. */
export function refuseUpdateOptions({ update, new: isNew, dryRun }: UpdateValues, isFile: boolean): void {
  if (update === true && isNew === true)
    throw new UsageError('--update changes the workflow of the file and --new creates another one: use one of them');
  if (dryRun === true && update !== true)
    throw new UsageError('--dry-run shows what --update would change; torc create --dry-run FILE checks a file');
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
  const { client } = await context.service();
  const { name } = plan.workflow;
  const found = await recognized(client, { user: settings.user, name });
  if (options.update === true) {
    if (found === undefined)
      throw new Failure(
        `no workflow of user ${settings.user} is named "${name}", so there is none to update; without --update it is created`,
      );
    return apply(context, found.id, plan, { isDryRun: options.dryRun === true });
  }
  if (found === undefined) return { kind: 'create' };
  if (process.stdin.isTTY !== true || path === '-' || output.format === 'json') {
    output.notice(`${described(found)}; --update changes it instead of creating another one, --new ends this hint`);
    return { kind: 'create' };
  }
  output.notice(`${described(found)}.`);
  await apply(context, found.id, plan, { isDryRun: true });
  if (!(await confirm(context, `Update workflow ${found.id}? Otherwise another one is created.`)))
    return { kind: 'create' };
  return apply(context, found.id, plan, { isDryRun: false, isShown: true });
}

const described = ({ id, name, timestamp }: Workflow) =>
  `Workflow ${id} is named "${name}", too (created ${dateText(timestamp)})`;

async function apply(
  context: Context,
  id: number,
  plan: Plan,
  /** `isShown`: the user has seen the jobs already. */
  { isDryRun, isShown = false }: { readonly isDryRun: boolean; readonly isShown?: boolean },
): Promise<Chosen> {
  const { client } = await context.service();
  const { updateFromPlan } = await import('../operations/update-plan.ts');
  const { reportUpdate } = await import('./output/plan-difference.ts');
  reportUpdate(context, id, await updateFromPlan(client, id, plan, { isDryRun }), {
    isDryRun,
    isShown,
    globs: plan.globs,
  });
  return isDryRun ? { kind: 'reported' } : { kind: 'updated', id };
}
