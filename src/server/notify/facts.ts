import type { CauseCode } from '../../core/contract/cause-code.ts';
import { statusOf } from '../../core/contract/job.ts';
import type { ComputeNode } from '../../core/contract/node.ts';
import type { Unclaimable } from '../../core/contract/unclaimable.ts';
import type { WorkflowStatus } from '../../core/contract/workflow.ts';
import { countOf, HELD, OPEN } from '../../core/job/statuses.ts';
import { unclaimableWords } from '../../core/lifecycle/placement/unclaimable.ts';
import type { GoneRunner, NotifyFacts } from '../../core/notify/digest.ts';
import { parseMoment } from '../../core/quantity/moment.ts';
import type { Store } from '../records/store.ts';
import { beginSlice } from '../store/slices.ts';
import type { NotifyQueries } from './queries.ts';

/** What other modules of the server answer. */
export interface NotifyAsk {
  readonly statusOf: (workflowId: number) => Promise<WorkflowStatus>;
  readonly unclaimableOf: (workflowId: number) => Unclaimable;
}

export interface NotifyLook {
  /** Without the time since which it waits: a row of the database has that. */
  readonly facts: NotifyFacts;
  /** Jobs wait, and neither a runner nor an allocation is there. */
  readonly isIdle: boolean;
}

export interface LookOptions {
  /** Changes up to this id were looked at before. */
  readonly after: number;
  readonly countsHours: boolean;
  /** Runners that still count as active are lost: the command that they are part of has ended. */
  readonly areLost: boolean;
}

/** Characters of the change log in one read: a few milliseconds. */
const READ = 64 * 1024;
/** Jobs in one statement: 3 ms. */
const JOBS = 2_000;

/** Reads the state of a workflow as far as messages are about it. */
export const createNotifyFacts = (
  store: Store,
  queries: NotifyQueries,
  /** When a runner spoke last; it may have spoken before this server listened. */
  lastWord: LastWord,
) => {
  const { changes, find, now, windows } = store;

  /** Runners that were proven lost by now: their jobs run again. */
  const lostSince = (workflowId: number, after: number): GoneRunner[] => {
    const lost: GoneRunner[] = [];
    for (let from = after + 1, isEnd = false; !isEnd;) {
      const stretch = changes.read(workflowId, from, ['jobs_requeued'], READ);
      for (const { entries } of stretch.changes)
        for (const entry of entries as { compute_node_id: number; reason: string; jobs: unknown[] }[])
          lost.push({
            host: queries.host.get({ id: entry.compute_node_id })?.hostname ?? 'a host that is not known',
            jobs: entry.jobs.length,
            reason: entry.reason,
          });
      from = stretch.lastId + 1;
      isEnd = stretch.isEnd;
    }
    return lost;
  };

  const coreHours = async (workflowId: number): Promise<number> => {
    const slice = beginSlice();
    let minutes = 0;
    for (let window = windows.next(workflowId, 0, JOBS); window !== undefined;) {
      minutes += queries.coreMinutes.get({ workflowId, after: window.after, upto: window.upto })?.minutes ?? 0;
      window = windows.next(workflowId, window.upto, JOBS);
      if (slice.isOver) await slice.pause();
    }
    return minutes / 60;
  };

  return async (
    workflowId: number,
    { statusOf: askStatus, unclaimableOf }: NotifyAsk,
    { after, countsHours, areLost }: LookOptions,
  ): Promise<NotifyLook> => {
    const status = await askStatus(workflowId);
    const { jobs_by_status: counts } = status;
    const active = queries.runners.all({ workflowId });
    const hasBegun = active.length > 0 || queries.hadRunner.get({ workflowId }) !== undefined;
    const allocations = status.pending_scheduled_nodes + status.active_scheduled_nodes;
    const isOpen = countOf(counts, OPEN) > 0 && !status.is_canceled;
    const isIdle =
      isOpen &&
      hasBegun &&
      (areLost || active.length === 0) &&
      allocations === 0 &&
      (areLost || countOf(counts, HELD) === 0);
    const failed = queries.failure.get({ workflowId });
    const gone = areLost
      ? active.map(({ hostname: host }) => ({
          host,
          jobs: active.length === 1 ? countOf(counts, HELD) : 0,
          reason: 'the command that it is part of has ended',
        }))
      : [];
    const hours = countsHours ? await coreHours(workflowId) : undefined;
    return {
      isIdle,
      facts: {
        workflow: { id: workflowId, name: status.workflow_name, user: status.workflow_user },
        runId: status.run_id ?? find.run(workflowId).run_id,
        counts,
        isCanceled: status.is_canceled,
        hasBegun,
        wallSeconds: status.walltime_seconds ?? undefined,
        failure: failed && {
          jobId: failed.id,
          jobName: failed.name,
          status: statusOf(failed.status),
          returnCode: failed.return_code,
          cause: failed.cause,
          causeCode: failed.cause_code as CauseCode | null,
        },
        lost: [...lostSince(workflowId, after), ...(isOpen ? gone : [])],
        runners: areLost ? [] : active.map((row) => liveRunner(row, now(), lastWord)),
        allocations,
        reasons: isIdle ? unclaimableOf(workflowId).reasons.map(unclaimableWords) : [],
        coreHours: hours,
        nowMs: now(),
      },
    };
  };
};

type LastWord = (nodeId: number, startMs: number) => number | undefined;
type ActiveRow = ReturnType<NotifyQueries['runners']['all']>[number];

/** Its clock may be minutes from that of the server: the difference is in its process. */
function liveRunner(row: ActiveRow, nowMs: number, lastWord: LastWord) {
  const process = row.process === null ? undefined : (JSON.parse(row.process) as ComputeNode['process']);
  const [startMs, endMs] = [parseMoment(row.start_time), parseMoment(row.end_time)];
  const aheadMs = (process?.clock_ahead_seconds ?? 0) * 1000;
  const left =
    startMs === undefined || endMs === undefined
      ? undefined
      : { seconds: (endMs - nowMs - aheadMs) / 1000, ofSeconds: (endMs - startMs) / 1000 };
  // Runners of Torc, which have no such record, use other routes: what they say is not heard.
  const lastWordMs = process === undefined ? undefined : lastWord(row.id, (startMs ?? nowMs) - aheadMs);
  return { host: row.hostname, left, lastWordMs };
}
