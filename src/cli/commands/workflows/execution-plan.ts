import { existsSync } from 'node:fs';
import type { ExecutionPlan } from '../../../core/workflow-file/plan/execution-plan.ts';
import { chooseWorkflow } from '../../choose/choose-workflow.ts';
import { command } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { Failure } from '../../command/failure.ts';

export const executionPlanCommand = command('workflows execution-plan <spec-or-id>', {
  says: 'Show which jobs of a workflow become ready when: for a file, or for an existing workflow by its id.',
  async run(context, [given]) {
    const path = given;
    const { output } = context;
    const found = path === '-' || existsSync(path) ? await ofFile(context, path) : await ofWorkflow(context, path);
    const text = textOf(found);
    if (output.format === 'csv') output.text(text);
    else output.record('execution plan', found, text);
  },
});

async function ofFile(context: Context, path: string): Promise<ExecutionPlan> {
  const { readSpecFile } = await import('../../spec/read-spec.ts');
  const { executionPlan: planned } = await import('../../../core/workflow-file/plan/execution-plan.ts');
  const { formatAmongOthers } = await import('../../../core/workflow-file/problems/problems.ts');
  const { fewAlike } = await import('../../../core/workflow-file/problems/few-alike.ts');
  const { plan, problems } = readSpecFile(path, context, { strict: false });
  if (plan === undefined) throw new Failure(fewAlike(problems).map(formatAmongOthers).join('\n'));
  return planned(plan);
}

async function ofWorkflow(context: Context, given: string): Promise<ExecutionPlan> {
  if (/[./]/.test(given)) throw new Failure(`'${given}' is neither a workflow file nor a workflow id`);
  const id = await chooseWorkflow(context, given);
  const { stagedWorkflow } = await import('../../../client/staged-workflow.ts');
  const { executionPlan: planned } = await import('../../../core/workflow-file/plan/execution-plan.ts');
  const { client } = await context.service();
  const { is_uninitialized: isUninitialized } = await client.isUninitialized({ params: { id } });
  if (isUninitialized)
    context.output.warn(
      `workflow ${id} is not initialized: its dependencies do not include those implied by files and user data yet`,
    );
  return planned(await stagedWorkflow(client, id), { source: 'database', workflow_id: id });
}

function textOf(found: ExecutionPlan): string {
  return [
    `Execution plan of ${found.workflow_name}: ${found.total_jobs} jobs in ${found.total_events} events`,
    ...found.events.flatMap((event) => [
      '',
      `${event.id}: ${event.trigger_description}`,
      ...event.scheduler_allocations.map(
        (each) => `  allocate: ${each.num_allocations} × ${each.scheduler} (${each.scheduler_type})`,
      ),
      `  ready: ${some(event.jobs_becoming_ready)}`,
      ...(event.unlocks_events.length === 0 ? [] : [`  then: ${some(event.unlocks_events)}`]),
    ]),
  ].join('\n');
}

/** Names that are shown of a long list. */
const SHOWN = 20;

const some = (names: readonly string[]) =>
  names.length <= SHOWN ? names.join(', ') : `${names.slice(0, SHOWN).join(', ')} and ${names.length - SHOWN} more`;
