import type { Client } from '../../client/client.ts';
import { pause } from '../../client/long-timers.ts';
import type { BatchRecords } from '../../cluster/batch/batch-system.ts';
import { endOfAllocationIn, wordsOfEnd } from '../../core/allocation/allocation-end.ts';
import type { Result } from '../../core/contract/result.ts';
import { slurmJobOf } from './find.ts';

interface CompleteOptions {
  /** Undefined where there is no Slurm. */
  readonly slurm: Pick<BatchRecords, 'account'> | undefined;
  readonly nowMs: () => number;
  /** Asks so often, once a second, while Slurm is still ending an allocation. */
  readonly mostLooks?: number;
}

/** The newest of a code that may lack the word of Slurm: every correction of records looks for them. */
const MOST = 1_000;
const PAGE = 200;
const NEWEST_FIRST = { sort_by: 'completion_time', reverse_sort: true } as const;
/** What the accounting does not say within a day it has forgotten. */
const LATE_MS = 86_400_000;
const LOOK_MS = 1_000;

/**
 * Stores with attempts that ended with their allocation how Slurm ended it: `allocation 7 ended CANCELLED by 1000`.
 *
 * Their runner reports them while the allocation is being ended. What the accounting then says is not final, and often the runner does
 * not live until it is. Returns how many results were completed.
 */
export async function completeCauses(
  client: Client,
  workflowId: number,
  { slurm, nowMs, mostLooks = 1 }: CompleteOptions,
): Promise<number> {
  if (slurm === undefined) return 0;
  let completed = 0;
  const results = await withoutWord(client, workflowId, nowMs());
  if (results.length === 0) return 0;
  const nodes = new Map<number, number | undefined>();
  for (const id of new Set(results.map((result) => result.compute_node_id)))
    nodes.set(id, slurmJobOf(await client.getComputeNode({ params: { id } })));
  let left = results.filter((result) => nodes.get(result.compute_node_id) !== undefined);
  for (let look = 1; left.length > 0; look += 1) {
    const allocationOf = (result: Result) => nodes.get(result.compute_node_id) as number;
    const account = await slurm.account([...new Set(left.map(allocationOf))]).catch(() => undefined);
    if (account === undefined) break;
    const open: Result[] = [];
    for (const result of left) {
      const state = account.jobs.get(allocationOf(result));
      if (state?.state !== 'ended') {
        if (state !== undefined) open.push(result);
        continue;
      }
      const cause = wordsOfEnd(allocationOf(result), state.word);
      await client.updateResult({ params: { id: result.id }, body: { cause } });
      completed += 1;
    }
    const isDone = open.length === 0 || look >= mostLooks;
    left = isDone ? [] : open;
    if (!isDone) await pause(LOOK_MS);
  }
  return completed;
}

/**
 * Those whose cause does not have the word of Slurm, the newest first. A page without any ends the list: what is older was completed with
 * those that were new then.
 */
async function withoutWord(client: Client, workflowId: number, nowMs: number): Promise<Result[]> {
  const found = new Map<number, Result>();
  for (const code of ['allocation', 'stopped'] as const) {
    const query = { workflow_id: workflowId, cause_code: code, all_runs: true, ...NEWEST_FIRST };
    for (let offset = 0; offset < MOST; offset += PAGE) {
      const { items, has_more: hasMore } = await client.listResults({ query: { ...query, offset, limit: PAGE } });
      const lacking = items.filter(
        ({ cause_code: own, cause, completion_time: at }) =>
          // A server that does not know the filter lists all results.
          own === code && endOfAllocationIn(cause ?? '') === undefined && nowMs - Date.parse(at) < LATE_MS,
      );
      for (const each of lacking) found.set(each.id, each);
      if (!hasMore || lacking.length === 0) break;
    }
  }
  return [...found.values()];
}
