import type { RunnerUse } from '../../core/contract/view.ts';
import type { Store } from '../records/store.ts';
import { beginSlice } from '../store/slices.ts';
import { keptOf } from '../kept.ts';
import { eachPart, ROWS } from '../store/parts.ts';
import type { FactQueries } from './queries.ts';

/** Counts the running jobs of each runner by their requirements. */
export function createRunnerUse({ find }: Store, queries: FactQueries) {
  const read = async (workflowId: number): Promise<RunnerUse> => {
    const found = new Map<string, RunnerUse[number]>();
    await eachPart(beginSlice(), (after) => {
      const rows = queries.running.all({ workflowId, after, limit: ROWS });
      for (const { compute_node_id: runner, resource_requirements_id: requirements } of rows) {
        if (runner === null) continue;
        const key = `${runner} ${requirements}`;
        const of = found.get(key);
        if (of === undefined)
          found.set(key, { compute_node_id: runner, resource_requirements_id: requirements, jobs: 1 });
        else of.jobs += 1;
      }
      return rows;
    });
    return [...found.values()];
  };
  return keptOf(find, read);
}
