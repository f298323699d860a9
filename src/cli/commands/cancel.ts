import { openBatch } from '../../cluster/open-batch.ts';
import type { WorkflowStatus } from '../../core/contract/workflow.ts';
import { countOf, UNSUCCESSFUL } from '../../core/job/statuses.ts';
import { counted } from '../../core/quantity/count-text.ts';
import { cancelAllocations, openAllocations } from '../../operations/submit/cancel-allocations.ts';
import { agrees, noPrompts } from '../choose/agree.ts';
import { openWorkflow } from '../choose/choose-workflow.ts';
import { command } from '../command/command.ts';

export const cancel = command('cancel [workflow]', {
  says: 'Cancel a workflow: no job starts any more, and runners end its running jobs.',
  options: [noPrompts],
  async run(context, [given], options) {
    const { output } = context;
    output.recordOnly('cancel');
    const { id, client } = await openWorkflow(context, given);
    const found = await client.getWorkflowStatus({ params: { id } });
    const workflow = `workflow ${id} (${found.workflow_name})`;
    const end = endBefore(found);
    const ended = end === undefined ? '' : `Workflow ${id} (${found.workflow_name}) ${end.words}`;
    const left = end === undefined ? 0 : (await openAllocations(client, id)).length;
    const question = end === undefined ? `Cancel ${workflow}?` : `${ended}. Cancel its ${counted(left, 'allocation')}?`;
    const isAsked = end === undefined || left > 0;
    if (isAsked && !(await agrees(context, options, { question, otherwise: 'Not canceled.', isNeeded: true }))) return;
    if (end === undefined) await client.cancelWorkflow({ params: { id } });
    const { jobIds, errors } = isAsked
      ? await cancelAllocations(client, openBatch(context.environment), id, await openAllocations(client, id))
      : { jobIds: [], errors: [] };
    for (const error of errors) output.error(error);
    const many = jobIds.length === 0 ? '' : `${counted(jobIds.length, 'allocation')}: ${jobIds.join(', ')}`;
    const status = errors.length > 0 ? 'partial_success' : (end?.status ?? 'success');
    output.record(
      'cancel',
      { workflow_id: id, status, canceled_slurm_jobs: jobIds.map(String), errors },
      end === undefined
        ? `Canceled ${workflow}${many === '' ? '' : ` and ${many}`}`
        : `${ended}; ${many === '' ? 'nothing was changed' : `canceled ${many}`}`,
    );
    if (errors.length > 0) context.exitWith(1);
  },
});

/** How a workflow ended before it is canceled; undefined while a job of it waits or runs, and without jobs. */
function endBefore(found: WorkflowStatus) {
  if (found.is_canceled) return { status: 'already_canceled', words: 'was canceled before' };
  if (!found.is_complete || found.total_jobs === 0) return undefined;
  const isSuccess = countOf(found.jobs_by_status, UNSUCCESSFUL) === 0;
  return { status: 'already_complete', words: isSuccess ? 'had completed' : 'had ended' };
}
