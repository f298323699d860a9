import type { Client } from '../../client/client.ts';
import { nextCommand } from '../../core/lifecycle/next-command.ts';
import { knownWorkflow } from '../../client/compat/known.ts';
import { placeOf } from '../../core/lifecycle/place.ts';
import type { WorkflowKind } from './recover.ts';

/** The command that runs the jobs of a recovery; undefined where it has submitted allocations for them. */
export async function nextOf(client: Client, workflowId: number, kind: WorkflowKind): Promise<string | undefined> {
  return kind === 'slurm' ? undefined : nextCommand(placeOf(await knownWorkflow(client, workflowId)));
}
