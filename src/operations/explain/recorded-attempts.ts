import type { Client } from '../../client/client.ts';
import type { RecordedAttempt } from '../../core/attempt/history.ts';
import { type ExitCodes, storedEndOf } from '../../core/attempt/judge.ts';
import type { ComputeNode } from '../../core/contract/node.ts';
import type { Result } from '../../core/contract/result.ts';

/** Attempts that a person reads, the last ones; programs get all of them, those before without the name of their host. */
export const MOST_ATTEMPTS = 20;

type Nodes = ReadonlyMap<number, ComputeNode>;

/** The runners of the last attempts, and another one. Those that were deleted are left out. */
export async function nodesOf(
  client: Client,
  results: readonly Result[],
  other: number | null | undefined,
): Promise<Nodes> {
  const last = results.toSorted((a, b) => a.id - b.id).slice(-MOST_ATTEMPTS);
  const ids = new Set([...last.map((each) => each.compute_node_id), ...(other ? [other] : [])]);
  const nodes = await Promise.all(
    [...ids].map((id) => client.getComputeNode({ params: { id } }).catch(() => undefined)),
  );
  return new Map(nodes.flatMap((node) => (node === undefined ? [] : [[node.id, node] as const])));
}

export const recordedAttemptOf = (result: Result, nodes: Nodes, codes: ExitCodes): RecordedAttempt => ({
  ...storedEndOf(result, codes),
  run: result.run_id,
  attempt: result.attempt_id ?? 1,
  seconds: Math.max(0, result.exec_time_minutes * 60),
  endedAt: result.completion_time,
  nodeId: result.compute_node_id,
  hostname: nodes.get(result.compute_node_id)?.hostname,
});
