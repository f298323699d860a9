import { greatest } from '../../../core/quantity/extremes.ts';
import { covers } from '../../../core/lifecycle/placement/labels.ts';
import type { ComputeNode } from '../../../core/contract/node.ts';
import type { ExecutionConfig, WorkflowStatus } from '../../../core/contract/workflow.ts';
import { allEnded, type createCounts } from '../../records/job/counts.ts';
import { createHeldAttempts } from '../../records/job/held-attempts.ts';
import type { Store } from '../../records/store.ts';
import type { StatusQueries, WorkflowTime } from './queries.ts';
import { possibleWalltime } from './walltime.ts';
import { createCountTime } from './count-time.ts';
import { MOST_GRACE_SECONDS, type TimeLeft } from '../../../core/allocation/usable-time.ts';
import { timeOfNode } from '../../../core/lifecycle/placement/obstacles.ts';

interface Ready {
  readonly labels: readonly string[];
  readonly runtimeSeconds: number;
  readonly jobs: () => number;
}

interface Node {
  readonly labels: readonly string[];
  /** Until its allocation ends; undefined if it has no end. */
  readonly time: TimeLeft | undefined;
}

/** The status of a workflow: counts, times, runners, and why ready jobs cannot be claimed. */
export const createStatus = (store: Store, queries: StatusQueries, counts: ReturnType<typeof createCounts>) => {
  const { db, changes, find, now, clockSetMs } = store;
  const held = createHeldAttempts(db, changes);
  const countTime = createCountTime(store, queries);
  const walltime = (times: WorkflowTime | undefined, createdMs: number) => {
    if (times === undefined) return {};
    const seconds = possibleWalltime(times, { ageMs: now() - createdMs, clockSetMs: clockSetMs() }, now());
    return seconds === undefined ? {} : { walltime_seconds: seconds };
  };
  return async (workflowId: number): Promise<WorkflowStatus> => {
    find.run(workflowId);
    await countTime(workflowId);
    const row = find.workflow(workflowId);
    const { name, user, is_canceled: isCanceled, run_id: runId, execution_config: config } = row;
    const execution = config === null ? undefined : (JSON.parse(config) as ExecutionConfig);
    const byStatus = counts(workflowId);
    const holders = held.holders(workflowId);
    const times = queries.time.get({ workflowId });
    const allocations = (status: string) => queries.allocations.get({ workflowId, status })?.allocations ?? 0;
    const labelsOf = (text: string | null) => (text === null ? [] : (JSON.parse(text) as string[]));
    const nodes = queries.activeNodes.all({ workflowId }).map((row): Node => ({
      labels: labelsOf(row.labels),
      time: timeOfNode(
        {
          ...row,
          process: row.process === null ? undefined : (JSON.parse(row.process) as ComputeNode['process']),
        },
        execution,
        now(),
      ),
    }));
    const ready = queries.readyClasses.all({ workflowId }).map(({ id, labels, runtime_s: runtimeSeconds }): Ready => ({
      labels: labelsOf(labels),
      runtimeSeconds,
      jobs: () => queries.readyOfClass.get({ id })?.jobs ?? 0,
    }));
    return {
      workflow_id: workflowId,
      workflow_name: name,
      workflow_user: user,
      total_jobs: Object.values(byStatus).reduce((sum, jobs) => sum + jobs, 0),
      jobs_by_status: byStatus,
      total_exec_time_minutes: times?.minutes ?? 0,
      ...walltime(times, Date.parse(row.timestamp)),
      active_compute_nodes: nodes.length,
      pending_scheduled_nodes: allocations('pending'),
      active_scheduled_nodes: allocations('active'),
      is_complete: isCanceled === 1 || allEnded(byStatus),
      is_canceled: isCanceled === 1,
      ...blockedByRuntime(ready, nodes),
      ...unservedLabels(ready, nodes),
      run_id: runId,
      ...(row.being_created_at_ms === null ? {} : { is_being_created: true }),
      ...(holders.length === 0 ? {} : { held_attempts: holders }),
    };
  };
};

/** What a runner takes, and at least what Torc 1.0.0 adds to its time here: the field is part of its API. */
const longestOf = ({ usableSeconds: usable, claimableSeconds: claimable }: TimeLeft) =>
  usable === 0 ? 0 : Math.max(claimable, usable + MOST_GRACE_SECONDS);

/** Ready jobs without labels that would take longer than any runner has left. */
function blockedByRuntime(ready: readonly Ready[], nodes: readonly Node[]) {
  const ends = nodes.flatMap(({ time }) => (time === undefined ? [] : [Math.floor(time.leftSeconds)]));
  const remaining = ends.length === 0 ? {} : { max_allocation_remaining_seconds: greatest(ends) };
  const unlabelled = nodes.filter(({ labels }) => labels.length === 0);
  const limits = unlabelled.flatMap(({ time }) => (time === undefined ? [] : [longestOf(time)]));
  if (limits.length === 0 || limits.length < unlabelled.length) return { runtime_blocked_ready_jobs: 0, ...remaining };

  const most = greatest(limits);
  const waiting = ready.filter(({ labels }) => labels.length === 0);
  const blocked = waiting
    .filter(({ runtimeSeconds }) => runtimeSeconds > most)
    .reduce((sum, { jobs }) => sum + jobs(), 0);
  const longest =
    waiting.length === 0 ? {} : { longest_ready_runtime_seconds: greatest(waiting.map((each) => each.runtimeSeconds)) };
  return { runtime_blocked_ready_jobs: blocked, ...longest, ...remaining };
}

/** Ready jobs by their set of labels, for the sets that no runner covers. */
function unservedLabels(ready: readonly Ready[], nodes: readonly Node[]) {
  const unserved: Record<string, number> = {};
  for (const { labels, jobs } of ready) {
    if (labels.length === 0 || nodes.some((node) => covers(node.labels, labels))) continue;
    const key = labels.join(',');
    unserved[key] = (unserved[key] ?? 0) + jobs();
  }
  return Object.keys(unserved).length === 0 ? {} : { unserved_ready_labels: unserved };
}
