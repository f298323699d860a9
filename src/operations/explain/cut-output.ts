import type { Client } from '../../client/client.ts';
import { shortageWords } from '../../core/attempt/full-disk.ts';
import type { KnownJob } from '../../core/contract/known.ts';
import type { JobFacts } from '../../core/lifecycle/explain/job-facts.ts';
import { currentEndOf } from '../../core/lifecycle/explain/known-job.ts';

/** Events of runners are few; of a workflow with many the newest count. */
const MOST_EVENTS = 100;

/** Whether the runner of the last attempt of a job found no room for its output: it says so at its end, with the names of some jobs. */
export async function cutOutputOf(client: Client, known: KnownJob): Promise<JobFacts['outputCut']> {
  const { result } = currentEndOf(known);
  if (result === undefined) return undefined;
  const query = { workflow_id: result.workflow_id, category: 'output_cut', limit: MOST_EVENTS };
  const { items } = await client.listEvents({ query: { ...query, sort_by: 'timestamp', reverse_sort: true } });
  for (const { data } of items) {
    const { compute_node_id: node, job_names: names, lacking, folder } = data as Record<string, unknown>;
    const isNamed = Array.isArray(names) && names.includes(known.job.name);
    if (node === result.compute_node_id && isNamed)
      return { why: shortageWords(String(lacking)), folder: String(folder) };
  }
  return undefined;
}
