import { type AttemptList, createAttemptList, RETRY } from '../../core/lifecycle/attempt-list.ts';
import { beginSlice } from '../store/slices.ts';
import { eachPart, numbers, ROWS } from './parts.ts';
import type { ViewQueries } from './queries.ts';

/** Reads all attempts of a run in slices. Attempts whose times are not times are left out. */
export async function readAttempts(
  queries: ViewQueries,
  workflowId: number,
  runId: number,
  nowSeconds: number,
): Promise<AttemptList> {
  const slice = beginSlice();
  const list = createAttemptList(nowSeconds);
  for (let [after, isEnd] = [0, false]; !isEnd;) {
    const part = queries.ended.get({ workflowId, runId, after, limit: ROWS });
    addEnded(part);
    after = part?.last ?? after;
    isEnd = (part?.length ?? 0) < ROWS;
    if (slice.isOver) await slice.pause();
  }
  await eachPart(slice, (after) => {
    const rows = queries.running.all({ workflowId, after, limit: ROWS });
    for (const { id, compute_node_id: runnerId, attempt_id: attempt, start_time: start } of rows) {
      const startSeconds = Date.parse(start ?? '') / 1000;
      const marks = attempt > 1 ? RETRY : 0;
      if (!Number.isNaN(startSeconds))
        list.add({ jobId: id, resultId: 0, runnerId: runnerId ?? 0, startSeconds, endSeconds: NaN, marks });
    }
    return rows;
  });
  return list.finish();

  function addEnded(part: ReturnType<ViewQueries['ended']['get']>): void {
    if (part === undefined) return;
    const [jobs, nodes, tookMs] = [numbers(part.jobs), numbers(part.nodes), numbers(part.tookMs)];
    const [marks, endsMs] = [JSON.parse(part.marks), JSON.parse(part.endsMs)] as (number | null)[][];
    for (const [at, resultId] of numbers(part.ids).entries()) {
      const [mark, endMs] = [marks?.[at] ?? null, endsMs?.[at] ?? null];
      if (mark === null || endMs === null) continue;
      list.add({
        jobId: jobs[at] as number,
        resultId,
        runnerId: nodes[at] as number,
        startSeconds: (endMs - (tookMs[at] as number)) / 1000,
        endSeconds: endMs / 1000,
        marks: mark,
      });
    }
  }
}
