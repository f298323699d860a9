import { existsSync } from 'node:fs';
import type { Plan } from '../../core/workflow-file/plan/plan.ts';
import { chooseWorkflow } from '../choose/choose-workflow.ts';
import type { Context } from '../command/context.ts';
import { Failure } from '../command/failure.ts';

/** What `<spec-or-id>` names: the plan of a file, or a workflow of the server. */
export async function planOrWorkflow(context: Context, given: string): Promise<{ plan: Plan } | { id: number }> {
  if (given !== '-' && !existsSync(given)) {
    if (/[./]/.test(given)) throw new Failure(`'${given}' is neither a workflow file nor a workflow id`);
    return { id: await chooseWorkflow(context, given) };
  }
  const { readSpecFile } = await import('./read-spec.ts');
  const { formatAmongOthers } = await import('../../core/workflow-file/problems/problems.ts');
  const { fewAlike } = await import('../../core/workflow-file/problems/few-alike.ts');
  const { plan, problems } = readSpecFile(given, context, { strict: false });
  if (plan === undefined) throw new Failure(fewAlike(problems).map(formatAmongOthers).join('\n'));
  return { plan };
}

/** Dependencies that files imply are stored by the initialization. */
export async function warnIfUninitialized({ service, output }: Context, id: number): Promise<void> {
  const { client } = await service();
  const { is_uninitialized: isUninitialized } = await client.isUninitialized({ params: { id } });
  if (isUninitialized)
    output.warn(
      `workflow ${id} is not initialized: its dependencies do not include those implied by files and user data yet`,
    );
}
