import { agrees, noPrompts } from '../../agree.ts';
import { chooseWorkflow } from '../../choose-workflow.ts';
import { beginRun } from '../../../operations/begin-run.ts';
import type { Command } from '../../command.ts';
import { tellPreparation } from '../../output/preparation.ts';
import { reinitialize } from '../../../operations/initialize.ts';
import { counted } from '../../../core/quantity/count-text.ts';

export const workflowsResetStatus: Command = {
  words: 'workflows reset-status [workflow]',
  says: 'Begin a new run with all jobs uninitialized, or with --failed-only those that failed and everything downstream.',
  options: [
    { flags: '--failed-only', says: 'only jobs that failed, were terminated or canceled, and everything downstream' },
    { flags: '-r, --reinitialize', says: 'and make them ready at once' },
    { flags: '--force', says: 'even if jobs run or input files are missing' },
    noPrompts,
  ],
  async run(context, [given], options) {
    const { output } = context;
    output.recordOnly('reset-status');
    const id = await chooseWorkflow(context, given);
    const failedOnly = options['failedOnly'] === true;
    const question = `Reset ${failedOnly ? 'the failed jobs' : 'all jobs'} of workflow ${id}?`;
    if (!(await agrees(context, options, { question, otherwise: 'Nothing was reset.' }))) return;

    const { client } = await context.service();
    const force = options['force'] === true;
    const tell = tellPreparation(output);
    await beginRun(client, id, { force, tell });
    const messages: string[] = [];
    const errors: string[] = [];
    const done = { workflow_reset: true, job_reset: false, reinitialize: false };
    try {
      const query = { failed_only: failedOnly || undefined };
      const { updated_count: count } = await client.resetJobStatus({ params: { id }, query });
      done.job_reset = true;
      messages.push(`Reset ${counted(count, 'job')} of workflow ${id}`);
      if (options['reinitialize'] === true) {
        await reinitialize(client, id, { force, tell, newRun: false });
        done.reinitialize = true;
        messages.push(`Reinitialized workflow ${id}`);
      }
    } catch (error) {
      // Completed steps stay, so they are reported together with the error.
      errors.push((error as Error).message);
      output.error((error as Error).message);
      context.exitWith(1);
    }
    if (messages.length === 0 && output.format !== 'json') return;
    output.record(
      'reset-status',
      {
        status: errors.length === 0 ? 'success' : 'error',
        workflow_id: id,
        failed_only: failedOnly,
        operations: done,
        messages,
        ...(errors.length === 0 ? {} : { errors }),
      },
      messages.join('\n'),
    );
  },
};
