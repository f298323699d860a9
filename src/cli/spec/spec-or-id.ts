import { existsSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { Unreachable } from '../../client/errors.ts';
import type { Plan } from '../../core/workflow-file/plan/plan.ts';
import type { Source } from '../../core/workflow-file/text/read-text.ts';
import type { ValueMap } from '../../core/workflow-file/text/value.ts';
import { workflowNamed } from '../choose/choose-workflow.ts';
import type { Context } from '../command/context.ts';
import { Failure } from '../command/failure.ts';
import { idOrName } from '../choose/id-or-name.ts';
import type { Client } from '../../client/client.ts';
import { limitsOfOptions, type WorkflowSettingValues, withSettings } from '../command/workflow-settings.ts';

/** A file, by its name or because it exists; anything else is the id or the name of a workflow. */
export function isSpec(given: string): boolean {
  return given === '-' || /\.(ya?ml|json5?|kdl)$/i.test(given) || (existsSync(given) && statSync(given).isFile());
}

/** The workflow that is given by its id or its name. */
export async function existingWorkflow(context: Context, given: string): Promise<number> {
  const words = `'${given}' is neither a valid workflow spec file nor a workflow ID`;
  const id = Number(given);
  if (Number.isSafeInteger(id) && id > 0) return id;
  // No name of a workflow that people use: a file that is not there.
  if (Number.isFinite(id) || given.includes('/')) throw new Failure(words);
  const meant = idOrName('workflow', given);
  if ('id' in meant) return meant.id;
  const named = await workflowNamed(context, meant.name).catch((cause: unknown) => {
    if (!(cause instanceof Unreachable)) throw cause;
    throw new Failure(
      `${words}, and the server, which may have a workflow of this name, does not answer: ${cause.message}`,
      {
        cause,
      },
    );
  });
  if (named !== undefined) return named;
  throw new Failure(
    `${words}, and no workflow of user ${context.settings.user} has this name; ${context.hint('torc workflows list')} shows their names`,
  );
}

/** Files of other programs, by the names that these give them, and the converter of each. */
const OTHERS: readonly (readonly [name: RegExp, what: string, converter: string, page: string])[] = [
  [/^(?:Snakefile|.*\.smk)$/, 'Snakemake', 'snakemake', 'coming-from-snakemake.md'],
  [/^(?:GNUmakefile|[Mm]akefile|.*\.mk)$/, 'Make', 'make', 'coming-from-make.md'],
  [/\.(?:sbatch|slurm)$/, 'Slurm', 'slurm-array', 'coming-from-slurm-arrays.md'],
];

function refuseOfOthers(path: string): void {
  const found = OTHERS.find(([name]) => name.test(basename(path)));
  if (found === undefined) return;
  const [, what, converter, page] = found;
  const how = `'torc import ${converter} ${path} -o flow.yaml' converts it, and `;
  throw new Failure(
    `'${path}' is a file of ${what}, and torc reads workflow files in YAML, JSON, JSON5 and KDL; ${how}docs/how-to/${page} shows how to write it as one`,
  );
}

/**
 * The plan of a valid workflow file. `change` may give the file once more with what it lacks; its plan is then that of the new one.
 */
export async function planOfFile(
  context: Context,
  path: string,
  options: ReadingOptions,
  change?: (source: Source, plan: Plan) => Promise<ValueMap | undefined>,
): Promise<Plan> {
  refuseOfOthers(path);
  const { readAndReport, acceptedPlan, specText } = await import('./read-spec.ts');
  const strict = options.strict === true;
  const source = { text: specText(path), name: path };
  const plan = await acceptedPlan(context, readAndReport(source, context, { strict }), {
    skipChecks: options.skipChecks === true,
  });
  const changed = await change?.(source, plan);
  if (changed === undefined) return withSettings(plan, options);
  const { writeText } = await import('../../core/workflow-file/text/write-text.ts');
  const again = readAndReport({ text: writeText(changed, 'json'), name: path, format: 'json' }, context, { strict });
  // What is to be said of the file was said.
  return withSettings(again.plan ?? (await acceptedPlan(context, again, { skipChecks: true })), options);
}

interface ReadingOptions extends WorkflowSettingValues {
  readonly strict?: boolean | undefined;
  readonly skipChecks?: boolean | undefined;
}

/** Sets what options give, of a workflow that exists; its other limits and settings stay. */
export async function setSettings(client: Client, id: number, options: WorkflowSettingValues): Promise<void> {
  const limits = limitsOfOptions(options);
  const { rerunBy: rerun } = options;
  if (Object.keys(limits).length === 0 && rerun === undefined) return;
  const { name, user, limits: before, execution_config: execution } = await client.getWorkflow({ params: { id } });
  const body = {
    name,
    user,
    ...(Object.keys(limits).length === 0 ? {} : { limits: { ...before, ...limits } }),
    ...(rerun === undefined ? {} : { execution_config: { mode: 'direct' as const, ...execution, rerun } }),
  };
  await client.updateWorkflow({ params: { id }, body });
}
