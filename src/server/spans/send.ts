import { createPost } from '../../telemetry/send/http.ts';
import { countOf, HELD } from '../../core/job/statuses.ts';
import { allEnded, createCounts } from '../records/job/counts.ts';
import type { Store } from '../records/store.ts';
import { type EndedRow, spanQueries, type TracedWorkflowRow } from './queries.ts';
import { type Span, spanOfRun, spansOfEnd, spansText, traceIdOf, type SpanTimes } from './spans.ts';

/** Where spans are sent: a receiver of OTLP by HTTP and JSON. */
export interface SpanTarget {
  /** Spans go to `/v1/traces` below it. */
  readonly endpoint: string;
  /** A login, for instance. */
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** How often the server looks for ends; a test shortens it. */
  readonly everyMs?: number;
}

export interface SpanSender {
  /** Sends what has ended, for a time that who ends the server can wait. */
  close(): Promise<void>;
}

const EVERY_MS = 5_000;
/** Attempts in a request: 200 KiB, 2 ms of the main thread. */
const MOST_ENDS = 200;
const ANSWER_MS = 10_000;
/** A command that ends waits for its server, which waits for this. */
const CLOSE_MS = 2_000;
/** While the receiver is away: every 5 s, then at longer and longer intervals up to this number of them. */
const LONGEST_PAUSE = 12;

interface Read {
  readonly spans: readonly Span[];
  readonly last: number;
  readonly isAll: boolean;
}

interface EndedRuns {
  readonly keys: readonly string[];
  readonly spans: readonly Span[];
}
const NO_RUNS: EndedRuns = { keys: [], spans: [] };

/**
 * Sends the spans of attempts, jobs and runs after they ended, from what is stored: nothing is done where a job starts or ends.
 *
 * The results are the queue. What was sent is not written down: a server that is killed has lost the spans of its last seconds,
 * and one that starts begins with what ends from then on.
 */
export function createSpanSender(
  { db }: Pick<Store, 'db'>,
  { endpoint, headers, serviceName, everyMs = EVERY_MS }: SpanTarget,
  onNotice: (words: string, facts: Readonly<Record<string, unknown>>) => void = () => {},
): SpanSender {
  const queries = spanQueries(db);
  const countsOf = createCounts(db);
  const post = createPost({ root: `${endpoint.replace(/\/+$/, '')}/v1/`, atMostMs: ANSWER_MS });
  /** Runs with attempts that ended, until the run has. */
  const runs = new Map<string, { readonly workflowId: number; readonly runId: number; readonly times: SpanTimes }>();
  let last = queries.lastResult.get({})?.id ?? 0;
  let failures = 0;
  let pause = 0;
  let isClosed = false;

  const read = (): Read => {
    // Ids of results are used again after the last ones were deleted.
    last = Math.min(last, queries.lastResult.get({})?.id ?? 0);
    const rows = queries.ended.all({ after: last, limit: MOST_ENDS });
    const workflows = new Map<number, TracedWorkflowRow | undefined>();
    for (const { workflow_id: id } of rows) if (!workflows.has(id)) workflows.set(id, queries.workflow.get({ id }));
    const spans = rows.flatMap((row) => {
      const workflow = workflows.get(row.workflow_id);
      if (workflow === undefined) return [];
      addTo(row);
      return spansOfEnd(row, traceIdOf(workflow, row.run_id));
    });
    return { spans, last: rows.at(-1)?.id ?? last, isAll: rows.length < MOST_ENDS };
  };
  const addTo = ({ workflow_id: workflowId, run_id: runId, started_ms: startedMs, ended_ms: endedMs }: EndedRow) => {
    if (startedMs === null || endedMs === null) return;
    const key = `${workflowId} ${runId}`;
    const before = runs.get(key)?.times ?? { startedMs, endedMs };
    const times = { startedMs: Math.min(before.startedMs, startedMs), endedMs: Math.max(before.endedMs, endedMs) };
    runs.set(key, { workflowId, runId, times });
  };
  /** The roots of runs that have ended; a run that was left for another one has none. */
  const endedRuns = (): EndedRuns => {
    const found = [...runs].flatMap(([key, { workflowId, runId, times }]) => {
      const workflow = queries.workflow.get({ id: workflowId });
      if (workflow === undefined || workflow.run_id !== runId) return [{ key, spans: [] }];
      const counts = countsOf(workflowId);
      // Jobs of a canceled workflow that wait are left as they are.
      const isOver = allEnded(counts) || (workflow.is_canceled === 1 && countOf(counts, HELD) === 0);
      return isOver ? [{ key, spans: [spanOfRun(workflow, counts, times)] }] : [];
    });
    return { keys: found.map(({ key }) => key), spans: found.flatMap(({ spans }) => spans) };
  };
  /** Whether the receiver has them, or never will. */
  const deliver = async (spans: readonly Span[]): Promise<boolean> => {
    if (spans.length === 0) return true;
    const delivery = await post('traces', spansText(spans, serviceName), headers).catch((error: unknown) => ({
      kind: 'later' as const,
      reason: (error as Error).message,
    }));
    if (delivery.kind !== 'delivered' && failures === 0)
      onNotice('Spans cannot be sent', { reason: delivery.reason, lost: delivery.kind === 'refused' });
    if (delivery.kind === 'delivered' && failures > 0) onNotice('Spans are sent again', { failures });
    failures = delivery.kind === 'delivered' ? 0 : failures + 1;
    return delivery.kind !== 'later';
  };
  const sendAll = async (): Promise<void> => {
    for (let isAll = false; !isAll && !isClosed;) {
      const found = read();
      // With the last ends, and before anything else can end: a run that has ended by now has no further ones.
      const over = found.isAll ? endedRuns() : NO_RUNS;
      if (!(await deliver([...found.spans, ...over.spans]))) return;
      last = found.last;
      isAll = found.isAll;
      for (const key of over.keys) runs.delete(key);
    }
  };

  let current: Promise<void> | undefined;
  const send = () =>
    (current ??= sendAll().finally(() => {
      pause = Math.min(failures, LONGEST_PAUSE);
      current = undefined;
    }));
  const sendLast = async () => {
    clearInterval(timer);
    const late = new Promise((resolve) => void setTimeout(resolve, CLOSE_MS).unref());
    // What is under way may have begun before the last end.
    await Promise.race([Promise.resolve(current).then(send), late]);
    isClosed = true;
  };
  let closed: Promise<void> | undefined;
  const timer = setInterval(() => {
    pause -= 1;
    if (pause < 0) void send();
  }, everyMs).unref();
  return { close: () => (closed ??= sendLast()) };
}
