import type { NewComputeNode, ComputeNode } from '../../core/contract/node.ts';
import { refuseBadLabels, sortedLabels } from '../../core/contract/labels.ts';
import { createLeave } from './leave.ts';
import { found } from '../records/find.ts';
import { computeNodeOf } from '../records/node/row.ts';
import { present } from '../records/present.ts';
import { createForeignCheck } from '../records/scheduler/foreign.ts';
import type { Store } from '../records/store.ts';
import type { AllocateQueries } from './queries.ts';

const text = (value: unknown) => (value === undefined || value === null ? null : JSON.stringify(value));

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
      workflow_id: body.workflow_id,
      hostname: body.hostname,
      pid: body.pid,
      start_time: body.start_time,
      end_time: body.end_time ?? null,
      duration_seconds: body.duration_seconds ?? null,
      is_active: Number(body.is_active ?? NOT_SAID),
      num_cpus: body.num_cpus,
      memory_gb: body.memory_gb,
      num_gpus: body.num_gpus,
      num_nodes: body.num_nodes,
      time_limit: body.time_limit ?? null,
      scheduler_config_id: body.scheduler_config_id ?? null,
      compute_node_type: body.compute_node_type,
      scheduler: text(body.scheduler),
      labels: labels.length === 0 ? null : JSON.stringify(labels),
      process: text(body.process),
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
    return { ...present(body), id };
  };
};

/** Changes the record of a runner; a runner that ends sends `is_active: false`. */
export const changeNode = (store: Store, queries: AllocateQueries) => {
  const { changes } = store;
  const takeLeave = createLeave(store, queries);
  return (id: number, body: Partial<{ [F in keyof NewComputeNode]: NewComputeNode[F] | undefined }>): ComputeNode => {
    const read = () => computeNodeOf(found(queries.getNode.get({ id }), 'compute_node', id));
    read();
    queries.updateNode.run({
      id,
      hostname: body.hostname ?? null,
      pid: body.pid ?? null,
      end_time: body.end_time ?? null,
      duration_seconds: body.duration_seconds ?? null,
      is_active: body.is_active === undefined || body.is_active === null ? null : Number(body.is_active),
      sample_count: body.sample_count ?? null,
      peak_cpu_percent: body.peak_cpu_percent ?? null,
      avg_cpu_percent: body.avg_cpu_percent ?? null,
      peak_memory_bytes: body.peak_memory_bytes ?? null,
      avg_memory_bytes: body.avg_memory_bytes ?? null,
    });
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
