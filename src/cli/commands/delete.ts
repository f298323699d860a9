import { openBatch } from '../../cluster/open-batch.ts';
import { counted } from '../../core/quantity/count-text.ts';
import { cancelAllocations, openAllocations } from '../../operations/submit/cancel-allocations.ts';
import { agrees, noPrompts } from '../choose/agree.ts';
import { chooseWorkflow } from '../choose/choose-workflow.ts';
import { command } from '../command/command.ts';
import { Failure, Interrupted } from '../command/failure.ts';
import { option } from '../command/option.ts';

export const remove = command('delete <workflow...>', {
  says: 'Delete workflows with everything that belongs to them.',
  options: [noPrompts, option('--force', 'the same as --no-prompts')],
  async run(context, [given], options) {
    const { output, settings } = context;
    output.recordOnly('workflow');
    const ids: number[] = [];
    for (const each of given) ids.push(await chooseWorkflow(context, each));
    const { client } = await context.service();
    const deleted = [];
    let failed = 0;
    for (const id of ids) {
      try {
        const workflow = await client.getWorkflow({ params: { id } });
        if (workflow.user !== settings.user) {
          throw new Failure(`Cannot delete workflow owned by user '${workflow.user}' (you are '${settings.user}')`);
        }
        const { length: open } = await openAllocations(client, id);
        const live = open === 0 ? '' : ` Its ${counted(open, 'allocation')} in the queue will be canceled.`;
        const question = `Delete workflow ${id} (${workflow.name})?${live}`;
        const isForced = options.force === true;
        if (!isForced && !(await agrees(context, options, { question, otherwise: `Workflow ${id} was not deleted.` })))
          continue;
        if (open > 0) {
          await client.cancelWorkflow({ params: { id } });
          // Asked again: while the question was open, more may have been submitted.
          const left = await openAllocations(client, id);
          const { errors } = await cancelAllocations(client, openBatch(context.environment), id, left);
          if (errors.length > 0) throw new Failure(errors.join('; '));
        }
        deleted.push(await client.deleteWorkflow({ params: { id } }));
      } catch (error) {
        if (error instanceof Interrupted) throw error;
        failed += 1;
        const { message } = error as Error;
        output.error(new RegExp(`\\bworkflow ${id}\\b`).test(message) ? message : `workflow ${id}: ${message}`);
      }
    }
    if (output.format === 'json') output.record('delete', deleted, '');
    else for (const { id, name } of deleted) output.text(`Deleted workflow ${id} (${name})`);
    if (deleted.length === 0 && failed > 0) context.exitWith(1);
  },
});
