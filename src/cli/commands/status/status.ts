import { chooseWorkflow, latestWorkflow } from '../../choose/choose-workflow.ts';
import { command } from '../../command/command.ts';
import { option } from '../../command/option.ts';

const statusCommand = (words: 'status [workflow]' | 'workflows status [workflow]') =>
  command(words, {
    says: 'Show the status of a workflow; without an id of the one that you created last.',
    options: [option('--watch', 'show what it does until it ends, as torc top')],
    async run(context, [workflow], { watch }) {
      const id = workflow === undefined ? await latestWorkflow(context) : await chooseWorkflow(context, workflow);
      if (watch === true) {
        const { showTop } = await import('./show-top.ts');
        return showTop(context, id, { once: false, intervalSeconds: undefined });
      }
      const { client } = await context.service();
      const { gatherStatus } = await import('../../../operations/report/facts/status-facts.ts');
      const { statusLines, statusRecord, unservedLabelLines } =
        await import('../../../operations/report/views/status.ts');
      const facts = await gatherStatus(client, id, context.environment);
      context.output.record('status', statusRecord(facts), statusLines(facts, context.hint).join('\n'));
      for (const line of unservedLabelLines(facts, context.hint)) context.output.warn(line);
    },
  });

/** Under both names of the command. */
export const status = statusCommand('status [workflow]');
export const workflowsStatus = statusCommand('workflows status [workflow]');
