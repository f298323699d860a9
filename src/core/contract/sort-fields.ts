import { sortedNames } from '../job/fields.ts';

/**
 * The fields by which lists may be sorted (`sort_by`), by their tables: the server has a column for each, and commands
 * refuse others. The server itself sorts by the id instead, as Torc 1.0.0 does.
 */
export const sortFields = {
  workflow: ['id', 'name', 'user', 'description', 'timestamp', 'project', 'run_id', 'is_archived', 'is_canceled'],
  job: sortedNames,
  file: ['id', 'name', 'path', 'st_mtime', 'workflow_id'],
  user_data: ['id', 'name', 'data', 'is_ephemeral', 'workflow_id'],
  event: ['id', 'workflow_id', 'timestamp', 'data'],
  result: [
    'id',
    'job_id',
    'workflow_id',
    'run_id',
    'attempt_id',
    'compute_node_id',
    'return_code',
    'exec_time_minutes',
    'completion_time',
    'status',
    'peak_memory_bytes',
    'avg_memory_bytes',
    'peak_cpu_percent',
    'avg_cpu_percent',
  ],
  compute_node: [
    'id',
    'workflow_id',
    'hostname',
    'pid',
    'start_time',
    'duration_seconds',
    'is_active',
    'num_cpus',
    'memory_gb',
    'num_gpus',
    'num_nodes',
  ],
  scheduled_compute_node: ['id', 'scheduler_id', 'scheduler_config_id', 'status'],
  resource_requirements: ['id', 'workflow_id', 'name', 'num_cpus', 'num_gpus', 'num_nodes', 'memory', 'runtime'],
  ro_crate_entity: ['id', 'entity_id', 'entity_type', 'file_id'],
} as const;
