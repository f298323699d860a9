import { withSubstitute } from '../../../client/compat/unknown-route.ts';
import type { WorkflowStatus } from '../../../core/contract/workflow.ts';
import { chooseWorkflow, latestWorkflow } from '../../choose/choose-workflow.ts';
import { command } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
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
      const families = context.output.format === 'table' ? await familyLines(context, facts.status) : [];
      context.output.record('status', statusRecord(facts), statusLines(facts, context.hint, families).join('\n'));
      for (const line of unservedLabelLines(facts, context.hint)) context.output.warn(line);
    },
  });

/** Families that are drawn: more are no summary. */
const MOST_FAMILIES = 20;
/** Jobs of a workflow whose families are asked for: the server reads all of them, a million in a second. */
const MOST_JOBS = 100_000;

/** The graph of the families, where there are several; of many only how to see it. */
async function familyLines({ service, output, hint }: Context, status: WorkflowStatus): Promise<string[]> {
  const { workflow_id: id, total_jobs: jobs } = status;
  if (jobs < 2 || jobs > MOST_JOBS) return [];
  const { client } = await service();
  const graph = await withSubstitute(client.getWorkflowGraph({ params: { id } }), () => Promise.resolve(undefined));
  if (graph === undefined || graph.families.length < 2) return [];
  const { familyCounts, familyGraphLines } = await import('../../output/family-graph.ts');
  return graph.families.length > MOST_FAMILIES
    ? [`${familyCounts(graph)}; to see them: ${hint(`torc workflows graph ${id}`)}`]
    : familyGraphLines(graph, output.width - 2);
}

/** Under both names of the command. */
export const status = statusCommand('status [workflow]');
export const workflowsStatus = statusCommand('workflows status [workflow]');
