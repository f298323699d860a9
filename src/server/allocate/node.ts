import type { ComputeNode, NewComputeNode } from '../../core/contract/node.ts';
import { refuseBadLabels, sortedLabels } from '../../core/lifecycle/placement/labels.ts';
import { foundRow } from '../records/find.ts';
import { computeNodeOf } from '../records/node/queries.ts';
import { presentFields } from '../records/present.ts';
import { nonNegativeSize } from '../records/requirements/fields.ts';
import { createForeignCheck } from '../records/scheduler/foreign.ts';
import type { Store } from '../records/store.ts';
import { columnValuesOf } from '../store/columns.ts';
import { type AllocateQueries, nodeChanges, nodeColumns } from './queries.ts';
import { createActionRecords } from '../records/action/claims.ts';
import { createHeldAttempts } from '../records/job/held-attempts.ts';

/**
 * `is_active` of a node whose runner has never set it: it reads as false, and neither the list of active nodes nor that
 * of inactive ones contains it. Torc 1.0.0 stores null, which this column does not accept.
 */
const NOT_SAID = -1;

const SIZES = ['num_cpus', 'memory_gb', 'num_gpus', 'num_nodes'] as const;

/** With a negative one, sums over nodes would be wrong. */
function refuseNegativeSizes(body: { readonly [F in (typeof SIZES)[number]]?: number | undefined }): void {
  for (const field of SIZES) nonNegativeSize(field, body[field] ?? 0);
}

/** Registers a runner for its workflow. */
export const registerNode = ({ db, find, changes }: Store, queries: AllocateQueries) => {
  const refuseForeign = createForeignCheck(db);
  return (body: NewComputeNode): ComputeNode => {
    find.workflow(body.workflow_id);
    refuseNegativeSizes(body);
    const { scheduler_config_id: schedulerId, compute_node_type: schedulerType } = body;
    refuseForeign(body.workflow_id, { schedulerId, schedulerType }, 'scheduler_config_id');
    refuseBadLabels(body.labels);
    const labels = sortedLabels(body.labels);
    const id = queries.insertNode.insert({
      ...columnValuesOf(body, nodeColumns),
      is_active: Number(body.is_active ?? NOT_SAID),
      scheduler: body.scheduler === undefined || body.scheduler === null ? null : JSON.stringify(body.scheduler),
      labels: labels.length === 0 ? null : JSON.stringify(labels),
    });
    changes.record(body.workflow_id, 'compute_node_started', [
      {
        compute_node_id: id,
        hostname: body.hostname,
        pid: body.pid,
        num_cpus: body.num_cpus,
        memory_gb: body.memory_gb,
        num_gpus: body.num_gpus,
        compute_node_type: body.compute_node_type,
      },
    ]);
    return { ...presentFields(body), id };
  };
};

/** Changes the record of a runner; a runner that ends sends `is_active: false`. */
export const changeNode = (store: Store, queries: AllocateQueries) => {
  const { changes } = store;
  const takeLeave = createLeave(store, queries);
  return (id: number, body: Partial<{ [F in keyof NewComputeNode]: NewComputeNode[F] | undefined }>): ComputeNode => {
    const read = () => computeNodeOf(foundRow(queries.getNode.get({ id }), 'compute_node', id));
    read();
    refuseNegativeSizes(body);
    queries.updateNode.run({ id, ...columnValuesOf(body, nodeChanges) });
    const after = read();
    if (body.is_active === false) {
      const { returned, running } = takeLeave(after);
      changes.record(after.workflow_id, 'compute_node_stopped', [
        {
          compute_node_id: id,
          hostname: after.hostname,
          pid: after.pid,
          duration_seconds: after.duration_seconds,
          compute_node_type: after.compute_node_type,
          ...(returned === 0 ? {} : { returned_jobs: returned }),
          ...(running === 0 ? {} : { running_jobs: running }),
        },
      ]);
    }
    return after;
  };
};

/** The number of ids that an event names; of more it gives the number. */
const NAMED = 20;

/**
 * Handles the jobs of a deregistered runner, in the same transaction.
 *
 * Jobs that are pending in its name were never started, because it no longer starts jobs: they become ready again.
 * Attempts that it still held have ended. A job that runs in its name stays, because nothing proves that its process
 * ended: an event says so, and recovery on the runner's host checks it.
 */
const createLeave = ({ db, changes, now }: Store, queries: AllocateQueries) => {
  const held = createHeldAttempts(db, changes);
  const actions = createActionRecords(db, now);
  return ({ id: nodeId, workflow_id: workflowId, hostname }: ComputeNode) => {
    const unstarted = queries.unstarted.all({ workflowId, nodeId }).map(({ id }) => id);
    for (const id of unstarted) {
      queries.letGo.run({ id });
      queries.giveBack.run({ id });
    }
    if (unstarted.length > 0) {
      const reason = 'the runner was deregistered';
      changes.record(workflowId, 'jobs_returned', [{ compute_node_id: nodeId, reason, job_ids: unstarted }]);
      changes.record(workflowId, 'jobs_ready', [{ jobs: unstarted.length }]);
    }
    queries.letGoAhead.run({ nodeId });
    held.overWithNode(workflowId, nodeId);
    actions.settle({ workflowId, nodeId }, {}, `compute node ${nodeId} was deregistered without reporting its end`);

    const running = queries.runningIn.all({ workflowId, nodeId }).map(({ id }) => id);
    if (running.length > 0) {
      const message = `Compute node ${nodeId} on host ${hostname} was deregistered while ${running.length} of its jobs were running; they stay running until a runner on that host proves that their processes are gone`;
      const data = {
        category: 'compute_node',
        message,
        compute_node_id: nodeId,
        jobs: running.length,
        job_ids: running.slice(0, NAMED),
      };
      queries.writeEvent.run({ workflowId, timestamp: now(), data: JSON.stringify(data) });
    }
    return { returned: unstarted.length, running: running.length };
  };
};
