import { ServiceError } from '../../../client/errors.ts';
import type { Job } from '../../../core/contract/job.ts';
import { agrees, noPrompts } from '../../choose/agree.ts';
import { openWorkflow } from '../../choose/choose-workflow.ts';
import { chooseJob, workflowOption } from '../../choose/choose-record.ts';
import { type Command, command } from '../../command/command.ts';
import { counted } from '../../../core/quantity/count-text.ts';

const remove = command('jobs delete <job...>', {
  says: 'Delete jobs, with their results; none is deleted if one does not exist.',
  options: [workflowOption],
  async run(context, [given], options) {
    const { output, exitWith } = context;
    output.recordOnly('jobs delete');
    const chosen = new Set<number>();
    for (const each of given) chosen.add(await chooseJob(context, each, options.workflowId));
    const ids = [...chosen];
    const { client } = await context.service();
    const missing: number[] = [];
    for (const id of ids) {
      try {
        await client.getJob({ params: { id } });
      } catch (error) {
        if (!(error instanceof ServiceError && error.status === 404)) throw error;
        missing.push(id);
      }
    }
    if (missing.length > 0) {
      const message = `${missing.length === 1 ? `job ${missing[0]} was` : `jobs ${missing.join(', ')} were`} not found (404); nothing was deleted`;
      output.error(message);
      if (output.format === 'json') output.record('jobs delete', { error: message, missing_ids: missing }, '');
      exitWith(1);
      return;
    }
    const deleted: Job[] = [];
    for (const id of ids) deleted.push(await client.deleteJob({ params: { id } }));
    output.record(
      'jobs delete',
      { items: deleted },
      deleted.map(({ id, name }) => `Deleted job ${id} (${name})`).join('\n'),
    );
  },
});

const removeAll = command('jobs delete-all [workflow]', {
  says: 'Delete all jobs of a workflow, with their results.',
  options: [noPrompts],
  async run(context, [given], options) {
    const { output } = context;
    output.recordOnly('jobs delete-all');
    const { id, client } = await openWorkflow(context, given);
    const { total_count: count } = await client.listJobs({ query: { workflow_id: id, limit: 1 } });
    if (count === 0) {
      const message = `No jobs found for workflow ID: ${id}`;
      output.record('jobs delete-all', { deleted: 0, message }, message);
      return;
    }
    const question = `Delete ${counted(count, 'job')} of workflow ${id}?`;
    if (!(await agrees(context, options, { question, otherwise: 'Nothing was deleted.' }))) return;
    const answer = await client.deleteJobs({ query: { workflow_id: id } });
    output.record('jobs delete-all', answer, `Deleted ${counted(answer.count, 'job')} of workflow ${id}`);
  },
});

export const jobDeletion: readonly Command[] = [remove, removeAll];
