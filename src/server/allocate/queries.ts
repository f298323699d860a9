import type { ComputeNode } from '../../core/contract/node.ts';
import type { SlurmScheduler } from '../../core/contract/scheduling.ts';
import type { Database, Value } from '../store/database.ts';
import { contains, createListing } from '../store/listing.ts';
import { computeNodeOf, type ComputeNodeRow, schedulerOf, type SlurmSchedulerRow } from '../store/node-row.ts';

interface NodeFilters {
  workflow_id?: number | undefined;
  hostname?: string | undefined;
  is_active?: boolean | undefined;
}

export const allocateQueries = (db: Database) => ({
  insertNode: db.prepare<Record<string, Value>>(`
    insert into compute_node (
      workflow_id, hostname, pid, start_time, end_time, duration_seconds, is_active, num_cpus, memory_gb, num_gpus,
      num_nodes, time_limit, scheduler_config_id, compute_node_type, scheduler, labels, process
    ) values (
      :workflow_id, :hostname, :pid, :start_time, :end_time, :duration_seconds, :is_active, :num_cpus, :memory_gb,
      :num_gpus, :num_nodes, :time_limit, :scheduler_config_id, :compute_node_type, :scheduler, :labels, :process
    )`),
  getNode: db.prepare<{ id: number }, ComputeNodeRow>('select * from compute_node where id = :id'),
  updateNode: db.prepare<Record<string, Value>>(`
    update compute_node set
      hostname = coalesce(:hostname, hostname),
      pid = coalesce(:pid, pid),
      end_time = coalesce(:end_time, end_time),
      duration_seconds = coalesce(:duration_seconds, duration_seconds),
      is_active = coalesce(:is_active, is_active),
      sample_count = coalesce(:sample_count, sample_count),
      peak_cpu_percent = coalesce(:peak_cpu_percent, peak_cpu_percent),
      avg_cpu_percent = coalesce(:avg_cpu_percent, avg_cpu_percent),
      peak_memory_bytes = coalesce(:peak_memory_bytes, peak_memory_bytes),
      avg_memory_bytes = coalesce(:avg_memory_bytes, avg_memory_bytes)
    where id = :id`),
  listNodes: createListing<NodeFilters, ComputeNodeRow, ComputeNode>(
    db,
    {
      columns: 'compute_node.*',
      from: 'compute_node',
      filters: {
        workflow_id: 'compute_node.workflow_id = :workflow_id',
        hostname: contains('compute_node.hostname', 'hostname'),
        is_active: 'compute_node.is_active = :is_active',
      },
      sortable: {
        id: 'compute_node.id',
        workflow_id: 'compute_node.workflow_id',
        hostname: 'compute_node.hostname',
        pid: 'compute_node.pid',
        start_time: 'compute_node.start_time',
        duration_seconds: 'compute_node.duration_seconds',
        is_active: 'compute_node.is_active',
        num_cpus: 'compute_node.num_cpus',
        memory_gb: 'compute_node.memory_gb',
        num_gpus: 'compute_node.num_gpus',
        num_nodes: 'compute_node.num_nodes',
      },
      idColumn: 'compute_node.id',
    },
    computeNodeOf,
  ),
  listSchedulers: createListing<{ workflow_id?: number | undefined }, SlurmSchedulerRow, SlurmScheduler>(
    db,
    {
      columns: 'slurm_scheduler.*',
      from: 'slurm_scheduler',
      filters: { workflow_id: 'slurm_scheduler.workflow_id = :workflow_id' },
      sortable: {
        id: 'slurm_scheduler.id',
        name: 'slurm_scheduler.name',
        account: 'slurm_scheduler.account',
        nodes: 'slurm_scheduler.nodes',
        partition: 'slurm_scheduler.partition',
        qos: 'slurm_scheduler.qos',
        walltime: 'slurm_scheduler.walltime',
      },
      idColumn: 'slurm_scheduler.id',
    },
    schedulerOf,
  ),
});

export type AllocateQueries = ReturnType<typeof allocateQueries>;
