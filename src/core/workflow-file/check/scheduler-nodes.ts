import type { Draft } from '../link/draft.ts';
import { templateOf } from '../expand/template.ts';
import type { Complain } from '../problems/problems.ts';

// A list of a million jobs is useless.
const MOST_JOBS = 20;

/**
 * An allocation of several nodes takes jobs of one node, or of exactly its size: a job of two nodes in an allocation of
 * four would leave two idle. Checked only if an action requests allocations of that scheduler.
 */
export function checkSchedulerNodes({ spec, jobs }: Draft, complain: Complain): void {
  const acting = new Set(
    (spec.actions ?? [])
      .filter((action) => action.action_type === 'schedule_nodes' && action.scheduler_type === 'slurm')
      .map((action) => action.scheduler),
  );
  const nodesOf = new Map(
    (spec.slurm_schedulers ?? []).flatMap(({ name, nodes = 1 }, index) =>
      name !== undefined && nodes > 1 && acting.has(name) ? [[name, { nodes, index }] as const] : [],
    ),
  );
  if (nodesOf.size === 0) return;
  const wanted = new Map((spec.resource_requirements ?? []).map(({ name, num_nodes: nodes = 1 }) => [name, nodes]));
  const misfits = new Map<string, { names: string[]; count: number }>();
  for (const { spec: job, axes, count, name } of jobs.families.all) {
    if (job.scheduler === undefined || job.resource_requirements === undefined) continue;
    const [scheduler, requirements] = [templateOf(job.scheduler, axes), templateOf(job.resource_requirements, axes)];
    for (let combination = 0; combination < count; combination += 1) {
      const bound = scheduler.render(combination);
      const has = nodesOf.get(bound)?.nodes;
      const needs = wanted.get(requirements.render(combination)) ?? 1;
      if (has === undefined || needs <= 1 || needs === has) continue;
      const misfit = misfits.get(bound) ?? { names: [], count: 0 };
      misfits.set(bound, misfit);
      misfit.count += 1;
      if (misfit.names.length < MOST_JOBS) misfit.names.push(name.render(combination));
    }
  }
  for (const [scheduler, { names, count }] of misfits) {
    const { nodes = 1, index = 0 } = nodesOf.get(scheduler) ?? {};
    const more = count > names.length ? `, … ${count - names.length} more` : '';
    complain({
      code: 'SCHEDULER_NODES',
      message:
        `Scheduler node validation failed:\n  - Scheduler '${scheduler}' allocates ${nodes} nodes but jobs ` +
        `(${names.join(', ')}${more}) request a different multi-node count; use 1 or ${nodes} nodes`,
      path: ['slurm_schedulers', index, 'nodes'],
      found: String(nodes),
    });
  }
}
