import { withSubstitute } from '../../../client/compat/unknown-route.ts';
import type { Staged } from '../../../core/workflow-file/plan/execution-plan.ts';
import { command } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import type { FamilyPicture } from '../../output/family-graph.ts';
import { planOrWorkflow, warnIfUninitialized } from '../../spec/plan-or-workflow.ts';

export const workflowsGraph = command('workflows graph <spec-or-id>', {
  says: 'Draw what depends on what, by families of jobs: of a file, or of an existing workflow with how far each family is.',
  more: 'A family are the jobs whose names, and the names of the jobs that they depend on, differ only in numbers. A dependency that follows from others is not drawn; -f json has all.',
  async run(context, [given]) {
    const { output } = context;
    output.recordOnly('graph');
    const found = await graphOf(context, given);
    const { familyCounts, familyGraphLines } = await import('../../output/family-graph.ts');
    const text = [
      `Graph of ${found.name}: ${familyCounts(found)}`,
      ...(found.families.length === 0 ? [] : ['', ...familyGraphLines(found, output.width)]),
    ].join('\n');
    output.record('graph', found, text);
  },
});

type NamedGraph = FamilyPicture & { readonly workflow_id?: number; readonly name: string };

async function graphOf(context: Context, given: string): Promise<NamedGraph> {
  const found = await planOrWorkflow(context, given);
  if ('plan' in found) return graphOfPlan(found.plan);
  const { id } = found;
  const { client } = await context.service();
  const { name } = await client.getWorkflow({ params: { id } });
  await warnIfUninitialized(context, id);
  const graph = await withSubstitute(client.getWorkflowGraph({ params: { id } }), async () => {
    const { stagedWorkflow } = await import('../../../client/staged-workflow.ts');
    return graphOfPlan(await stagedWorkflow(client, id));
  });
  return { workflow_id: id, name, ...graph };
}

/** Families that are shown of a file, the largest; a server shows as many of a workflow. */
const MOST_FAMILIES = 300;

async function graphOfPlan(plan: Staged): Promise<NamedGraph> {
  const { planFamilies } = await import('../../../core/workflow-file/plan/plan-families.ts');
  const { families, edges } = planFamilies(plan);
  const largest = new Set(families.toSorted((one, other) => other.jobs - one.jobs).slice(0, MOST_FAMILIES));
  const keys = new Set([...largest].map(({ key }) => key));
  const leftOut = families.filter((family) => !largest.has(family));
  return {
    name: plan.workflow.name,
    families: families.filter((family) => largest.has(family)),
    edges: edges.filter(({ from, to }) => keys.has(from) && keys.has(to)),
    families_left_out: leftOut.length,
    jobs_left_out: leftOut.reduce((sum, { jobs }) => sum + jobs, 0),
  };
}
