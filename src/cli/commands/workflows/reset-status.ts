import { agrees, noPrompts } from '../../choose/agree.ts';
import { chooseWorkflow } from '../../choose/choose-workflow.ts';
import { command } from '../../command/command.ts';
import { reportPreparation } from '../../output/preparation.ts';
import { resetWorkflow } from '../../../operations/run/reset-workflow.ts';
import { counted } from '../../../core/quantity/count-text.ts';
import { option } from '../../command/option.ts';

export const workflowsResetStatus = command('workflows reset-status [workflow]', {
  says: 'Begin a new run with all jobs uninitialized, or with --failed-only those that failed and everything downstream.',
  example: '1 --failed-only --reinitialize',
  options: [
    option('--failed-only', 'only jobs that failed, were terminated or canceled, and everything downstream'),
    option('-r, --reinitialize', 'and make them ready at once'),
    option('--force', 'even if jobs run or input files are missing'),
    noPrompts,
  ],
  async run(context, [given], options) {
    const { output } = context;
    output.recordOnly('reset-status');
    const id = await chooseWorkflow(context, given);
    const failedOnly = options.failedOnly === true;
    const question = `Reset ${failedOnly ? 'the failed jobs' : 'all jobs'} of workflow ${id}?`;
    if (!(await agrees(context, options, { question, otherwise: 'Nothing was reset.', isNeeded: true }))) return;

    const { client } = await context.service();
    const { updatedCount, isReinitialized, error } = await resetWorkflow(client, id, {
      failedOnly,
      reinitializes: options.reinitialize === true,
      force: options.force === true,
      report: reportPreparation(output),
    });
    const messages = [
      ...(updatedCount === undefined ? [] : [`Reset ${counted(updatedCount, 'job')} of workflow ${id}`]),
      ...(isReinitialized ? [`Reinitialized workflow ${id}`] : []),
    ];
    if (error !== undefined) {
      output.error(error.message);
      context.exitWith(1);
    }
    if (messages.length === 0 && output.format !== 'json') return;
    output.record(
      'reset-status',
      {
        status: error === undefined ? 'success' : 'error',
        workflow_id: id,
        failed_only: failedOnly,
        operations: { workflow_reset: true, job_reset: updatedCount !== undefined, reinitialize: isReinitialized },
        messages,
        ...(error === undefined ? {} : { errors: [error.message] }),
      },
      messages.join('\n'),
    );
  },
});
