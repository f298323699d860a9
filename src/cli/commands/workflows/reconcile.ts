import { chooseWorkflow } from '../../choose/choose-workflow.ts';
import { command } from '../../command/command.ts';
import { integerOption, option } from '../../command/option.ts';
import { counted } from '../../../core/quantity/count-text.ts';

export const workflowsReconcile = command('workflows reconcile <workflow> <run>', {
  says: 'Send the results in journals of runners to the server after an outage.',
  more: 'Searches all folders below --base-dir without following links. It can be repeated at any time: results that the server knows, or that a later run has superseded, are refused, which is not an error. Exits with 1 if a journal could not be read.',
  options: [
    option('--base-dir <folder>', 'where to look: the output folder of the runners, or one above', { default: '.' }),
  ],
  async run(context, [givenWorkflow, givenRun], options) {
    const { output } = context;
    output.recordOnly('reconcile');
    const id = await chooseWorkflow(context, givenWorkflow);
    const runId = integerOption(0)(givenRun, 'run');
    const baseDir = options.baseDir;
    const { client } = await context.service();
    const { reconcile } = await import('../../../operations/reconcile/reconcile.ts');
    const done = await reconcile(client, { workflowId: id, runId, baseDir });
    const { unreadable, files, rejections, total, accepted } = done;
    for (const { path, reason } of unreadable) output.warn(`skipped: ${path}: ${reason}`);
    if (files.length === 0)
      output.warn(
        `there is no journal of workflow ${id}, run ${runId} below ${baseDir} (offline_results_wf${id}_r${runId}_*.db)`,
      );
    for (const file of files) {
      output.notice(`${file.path}: ${counted(file.completions, 'result')}, ${file.accepted} accepted`);
      for (const fault of file.faults) output.error(`${file.path}: ${fault}`);
    }
    for (const { message, count } of rejections)
      output.detail(`rejected: ${counted(count, 'result')}${count === 1 ? '' : ', for one'}: ${message}`);
    if (files.some(({ faults }) => faults.length > 0)) context.exitWith(1);
    output.record(
      'reconcile',
      { files: files.length, total_completions: total, accepted, rejected: total - accepted },
      `Reconciled workflow ${id}, run ${runId}: ${counted(files.length, 'journal')} with ${counted(total, 'result')}, ${accepted} accepted, ${total - accepted} rejected`,
    );
  },
});
