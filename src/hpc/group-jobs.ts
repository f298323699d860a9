import { parseMemory } from '../core/quantity/bytes.ts';
import { parseDuration } from '../core/quantity/duration.ts';
import type { Graph } from '../core/workflow-file/graph/graph.ts';
import { itemsOf } from '../core/lists/int-list.ts';
import type { Plan } from '../core/workflow-file/plan/plan.ts';
import type { JobGroup } from './job-group.ts';

const MEGABYTE = 2 ** 20;
const STANDARD_RUNTIME_SECONDS = 3600;

/** The jobs of a workflow in groups, with the reasons for which some are in none. */
export function groupJobs(plan: Plan): { groups: JobGroup[]; warnings: string[] } {
  const waits = waitsFor(plan.graph)(() => true);
  const byKey = new Map<string, JobGroup & { jobs: { name: string; number: number }[] }>();
  let labelled = 0;
  const withoutNeeds: string[] = [];
  for (let number = 0; number < plan.jobs.length; number += 1) {
    const job = plan.jobs.at(number);
    const needs =
      job.resourceRequirements === undefined ? undefined : plan.resourceRequirements[job.resourceRequirements];
    if ((job.settings.labels ?? []).length > 0) labelled += 1;
    else if (needs === undefined) withoutNeeds.push(job.name);
    else {
      const isDeferred = waits(number);
      const key = `${job.resourceRequirements} ${isDeferred}`;
      const group = byKey.get(key) ?? {
        requirements: [needs.name],
        cpus: needs.num_cpus,
        memoryMb: parseMemory(needs.memory) / MEGABYTE,
        gpus: needs.num_gpus ?? 0,
        nodes: needs.num_nodes ?? 1,
        runtimeSeconds: needs.runtime === undefined ? STANDARD_RUNTIME_SECONDS : parseDuration(needs.runtime),
        isDeferred,
        jobs: [],
      };
      byKey.set(key, group);
      group.jobs.push({ name: job.name, number });
    }
  }
  const warnings = [
    ...(labelled === 0
      ? []
      : [
          `${labelled} job(s) with labels are left out: runners take them only with --label, so submit their allocations yourself`,
        ]),
    ...(withoutNeeds.length === 0
      ? []
      : [
          `${withoutNeeds.length} job(s) have no resource_requirements and are left out: ${withoutNeeds.slice(0, 5).join(', ')}${withoutNeeds.length > 5 ? ', …' : ''}`,
        ]),
  ];
  return { groups: [...byKey.values()], warnings };
}

/**
 * Whether a job waits for one of these jobs, directly.
 *
 * A node between jobs (a file, a pattern) is looked at once, however many jobs wait for it.
 */
export const waitsFor =
  ({ jobs, waitsFor: lists }: Graph) =>
  (isOne: (job: number) => boolean): ((job: number) => boolean) => {
    const between = new Map<number, boolean>();
    const leads = (node: number): boolean => {
      if (node < jobs) return isOne(node);
      const known = between.get(node);
      if (known !== undefined) return known;
      // Nodes between jobs form no circle: a file is written by jobs only.
      const found = itemsOf(lists, node).some(leads);
      between.set(node, found);
      return found;
    };
    return (job) => itemsOf(lists, job).some(leads);
  };
