import type { Client } from '../../client/client.ts';
import type { Exported } from './document.ts';

/** Concurrent requests: the server writes those that arrive together in one transaction. */
const TOGETHER = 32;

/** The node of results whose node is not in the file: it was deleted, or the file was written without nodes. */
const UNKNOWN_NODE = {
  hostname: 'unknown',
  pid: 0,
  start_time: '1970-01-01T00:00:00.000Z',
  num_cpus: 0,
  memory_gb: 0,
  num_gpus: 0,
  num_nodes: 1,
  compute_node_type: 'local',
};

/**
 * Stores the results of a document with the compute nodes that they name, as history: no job has run here.
 *
 * The workflow counts its runs on from them, otherwise the first run here would end jobs that have already ended.
 */
export async function recreateResults(
  client: Client,
  { compute_nodes: nodes, results }: Exported,
  workflowId: number,
  jobs: ReadonlyMap<number, number>,
): Promise<void> {
  const nodeIds = new Map<number, number>();
  for (const node of nodes) {
    const body = { ...node, workflow_id: workflowId, is_active: false };
    nodeIds.set(node.id, (await client.createComputeNode({ body })).id);
  }
  if (results.some(({ compute_node_id: id }) => !nodeIds.has(id))) {
    const body = { ...UNKNOWN_NODE, workflow_id: workflowId, is_active: false };
    const unknownId = (await client.createComputeNode({ body })).id;
    for (const { compute_node_id: id } of results) if (!nodeIds.has(id)) nodeIds.set(id, unknownId);
  }
  for (const batch of batchesOf(results)) {
    const stored = batch.map((result) =>
      client.createResult({
        body: {
          ...result,
          workflow_id: workflowId,
          job_id: jobs.get(result.job_id) as number,
          compute_node_id: nodeIds.get(result.compute_node_id) as number,
        },
      }),
    );
    await Promise.all(stored);
  }
  const lastRun = results.reduce((last, { run_id: run }) => Math.max(last, run), 0);
  for (let run = 0; run < lastRun; run += 1) await client.resetStatus({ params: { id: workflowId } });
}

/**
 * Batches in the order of runs and attempts, none of which has two results of one job: requests of a batch may arrive
 * in any order, and the result that arrives last is the current one of its job.
 */
function batchesOf(results: Exported['results']): Exported['results'][] {
  const inOrder = results.toSorted((a, b) => a.run_id - b.run_id || (a.attempt_id ?? 1) - (b.attempt_id ?? 1));
  const seen = new Map<number, number>();
  const rounds: Exported['results'][] = [];
  for (const result of inOrder) {
    const round = seen.get(result.job_id) ?? 0;
    seen.set(result.job_id, round + 1);
    (rounds[round] ??= []).push(result);
  }
  return rounds.flatMap((round) =>
    Array.from({ length: Math.ceil(round.length / TOGETHER) }, (_, index) =>
      round.slice(index * TOGETHER, (index + 1) * TOGETHER),
    ),
  );
}
