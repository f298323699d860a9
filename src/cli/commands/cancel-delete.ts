import { agrees, noPrompts } from '../agree.ts';
import { chooseWorkflow } from '../choose-workflow.ts';
import type { Command } from '../command.ts';
import { Failure } from '../failure.ts';

export const cancel: Command = {
  words: 'cancel [workflow]',
  says: 'Cancel a workflow: no job starts any more, and runners end its running jobs.',
  options: [noPrompts],
  async run(context, [workflow], options) {
    const { output } = context;
    output.recordOnly('cancel');
    const id = await chooseWorkflow(context, workflow);
    const { client } = await context.service();
    const { name } = await client.getWorkflow({ params: { id } });
    const question = `Cancel workflow ${id} (${name})?`;
    if (!(await agrees(context, options, { question, otherwise: 'Not canceled.' }))) return;
    await client.cancelWorkflow({ params: { id } });
    output.record(
      'cancel',
      { workflow_id: id, status: 'success', canceled_slurm_jobs: [], errors: [] },
      `Canceled workflow ${id} (${name})`,
    );
  },
};

export const remove: Command = {
  words: 'delete <workflow...>',
  says: 'Delete workflows with everything that belongs to them.',
  options: [noPrompts, { flags: '--force', says: 'the same as --no-prompts' }],
  async run(context, [given], options) {
    const { output, settings } = context;
    output.recordOnly('workflow');
    const ids: number[] = [];
    for (const each of given as readonly string[]) ids.push(await chooseWorkflow(context, each));
    const { client } = await context.service();
    const deleted = [];
    let failed = 0;
    for (const id of ids) {
      try {
        const workflow = await client.getWorkflow({ params: { id } });
        if (workflow.user !== settings.user) {
          throw new Failure(`Cannot delete workflow owned by user '${workflow.user}' (you are '${settings.user}')`);
        }
        const question = `Delete workflow ${id} (${workflow.name})?`;
        const isForced = options['force'] === true;
        if (!isForced && !(await agrees(context, options, { question, otherwise: `Workflow ${id} was not deleted.` })))
          continue;
        deleted.push(await client.deleteWorkflow({ params: { id } }));
      } catch (error) {
        failed += 1;
        output.error(`workflow ${id}: ${(error as Error).message}`);
      }
    }
    if (output.format === 'json') output.record('delete', deleted, '');
    else for (const { id, name } of deleted) output.text(`Deleted workflow ${id} (${name})`);
    if (deleted.length === 0 && failed > 0) context.exitWith(1);
  },
};
