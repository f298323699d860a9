import { statusCode } from '../../core/contract/job.ts';
import type { WorkflowTimeline } from '../../core/contract/view.ts';
import { type Attempt, createBins } from '../../core/lifecycle/time-bins.ts';
import type { Store } from '../records/store.ts';
import { beginSlice } from '../store/slices.ts';
import { createKept } from './kept.ts';
import { eachPart, ROWS } from './parts.ts';
import { FAILED, type ViewQueries } from './queries.ts';

const BINS = 120;
const FAILED_CODES: ReadonlySet<number> = new Set(FAILED.map((status) => statusCode[status]));

/** Attempts of the current run over time. */
export function createTimelines({ find, now }: Store, queries: ViewQueries) {
  const attemptsOf = createKept(async (workflowId) => {
    const attempts = await readAttempts(queries, workflowId, find.run(workflowId).run_id);
    return { attempts, timeline: await timelineOf(attempts, BINS) };
  });
  const timelineOf = async (attempts: readonly Attempt[], bins: number): Promise<WorkflowTimeline> => {
    const [first] = attempts;
    if (first === undefined) return { bin_seconds: 0, running: [], ended: [], failed: [] };
    let [from, to] = [first.startSeconds, -Infinity];
    for (const { startSeconds, endSeconds = now() / 1000 } of attempts) {
      if (startSeconds < from) from = startSeconds;
      if (endSeconds > to) to = endSeconds;
    }
    const builder = createBins(from, to, bins);
    const slice = beginSlice();
    for (const [index, each] of attempts.entries()) {
      builder.add(each);
      if (index % ROWS === 0 && slice.isOver) await slice.pause();
    }
    const { running, ended, failed, binSeconds } = builder.finish();
    return { from: new Date(Math.round(from * 1000)).toISOString(), bin_seconds: binSeconds, running, ended, failed };
  };
  return async (workflowId: number, bins = BINS): Promise<WorkflowTimeline> => {
    find.run(workflowId);
    const { attempts, timeline } = await attemptsOf(workflowId);
    return bins === BINS ? timeline : timelineOf(attempts, bins);
  };
}

/** Attempts whose times are not times are left out. */
async function readAttempts(queries: ViewQueries, workflowId: number, runId: number): Promise<Attempt[]> {
  const slice = beginSlice();
  const attempts: Attempt[] = [];
  await eachPart(slice, (after) => {
    const rows = queries.ended.all({ workflowId, after, limit: ROWS });
    for (const { run_id: run, status, end_s: endSeconds, seconds } of rows)
      if (run === runId && endSeconds !== null)
        attempts.push({ startSeconds: endSeconds - seconds, endSeconds, hasFailed: FAILED_CODES.has(status) });
    return rows;
  });
  await eachPart(slice, (after) => {
    const rows = queries.running.all({ workflowId, after, limit: ROWS });
    for (const { start_time: start } of rows) {
      const startMs = Date.parse(start ?? '');
      if (!Number.isNaN(startMs)) attempts.push({ startSeconds: startMs / 1000, hasFailed: false });
    }
    return rows;
  });
  return attempts;
}
