import { type AttemptList, createAttemptList, RETRY } from '../../core/lifecycle/timeline/attempt-list.ts';
import type { Store } from '../records/store.ts';
import { beginSlice } from '../store/slices.ts';
import { createKept } from '../kept.ts';
import { eachPart, numbers, ROWS } from '../store/parts.ts';
import type { ViewQueries } from './queries.ts';

/** The attempts of the current run of a workflow. What has passed does not change: a time before the last reading needs no other one. */
export function createAttemptsOf({ find, now }: Store, queries: ViewQueries) {
  const readingOf = createKept(async (workflowId) => {
    const runId = find.run(workflowId).run_id;
    return { runId, list: await readAttempts(queries, workflowId, runId, now() / 1000) };
  });
  return async (workflowId: number, toSeconds = Infinity): Promise<AttemptList> => {
    const { run_id: runId } = find.run(workflowId);
    const held = await readingOf.held(workflowId);
    const isEnough = held.runId === runId && toSeconds < held.list.nowSeconds;
    return (isEnough ? held : await readingOf(workflowId)).list;
  };
}
export type AttemptsOf = ReturnType<typeof createAttemptsOf>;

/** Replies that are made of a reading of the attempts, and kept with it: the newest ones, `most` at most. */
export function createKeptReplies<Reply>(most: number) {
  const repliesOf = new WeakMap<AttemptList, Map<string, Promise<Reply>>>();
  return (list: AttemptList, key: string, make: () => Promise<Reply>): Promise<Reply> => {
    const replies = repliesOf.get(list) ?? new Map<string, Promise<Reply>>();
    repliesOf.set(list, replies);
    const before = replies.get(key);
    if (before !== undefined) return before;
    for (const oldest of [...replies.keys()].slice(0, Math.max(0, replies.size + 1 - most))) replies.delete(oldest);
    const reply = make();
    replies.set(key, reply);
    reply.catch(() => replies.delete(key));
    return reply;
  };
}

/** Reads all attempts of a run in slices. Attempts whose times are not times are left out. */
async function readAttempts(
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
