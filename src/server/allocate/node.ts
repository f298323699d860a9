import type { NewComputeNode, ComputeNode } from '../../core/contract/node.ts';
import { refuseBadLabels, sortedLabels } from '../../core/contract/labels.ts';
import { createLeave } from './leave.ts';
import { foundRow } from '../records/find.ts';
import { computeNodeOf } from '../records/node/row.ts';
import { presentFields } from '../records/present.ts';
import { createForeignCheck } from '../records/scheduler/foreign.ts';
import type { Store } from '../records/store.ts';
import { columnValuesOf } from '../store/columns.ts';
import { type AllocateQueries, nodeChanges, nodeColumns } from './queries.ts';

/**
 * `is_active` of a node whose runner has never set it: it reads as false, and neither the list of active nodes nor that
 * of inactive ones contains it. Torc 1.0.0 stores null, which this column does not accept.
 */
const NOT_SAID = -1;

/** Registers a runner for its workflow. */
export const registerNode = ({ db, find, changes }: Store, queries: AllocateQueries) => {
  const refuseForeign = createForeignCheck(db);
  return (body: NewComputeNode): ComputeNode => {
    find.workflow(body.workflow_id);
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
