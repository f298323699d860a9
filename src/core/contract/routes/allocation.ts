import * as z from 'zod';
import {
  NewLocalScheduler,
  RemoteWorker,
  RunningJob,
  NewScheduledComputeNode,
  SlurmJobCorrelation,
  NewSlurmStats,
  SlurmStats,
} from '../allocation.ts';
import { NewComputeNode } from '../node.ts';
import { NewSlurmScheduler } from '../scheduling.ts';
import { cursor, id, integer, maybe, page, paging, queryFlag, queryInteger, text } from '../shape.ts';
import { BULK_MEBIBYTES, ofWorkflow, type Route, route, workflowRoute } from './route.ts';
import { recordRoutes } from './record-routes.ts';

const slurmSchedulers = recordRoutes({ path: '/slurm_schedulers', table: 'slurm_scheduler', shape: NewSlurmScheduler });
const computeNodes = recordRoutes({ path: '/compute_nodes', table: 'compute_node', shape: NewComputeNode });
const allocations = recordRoutes({
  path: '/scheduled_compute_nodes',
  table: 'scheduled_compute_node',
  shape: NewScheduledComputeNode,
});
const localSchedulers = recordRoutes({ path: '/local_schedulers', table: 'local_scheduler', shape: NewLocalScheduler });

/** Machines: runners, schedulers, allocations, hosts reached by ssh. */
export const allocationRoutes = {
  createSlurmScheduler: slurmSchedulers.create('Create a Slurm scheduler record.'),
  listSlurmSchedulers: slurmSchedulers.list('List the Slurm schedulers of a workflow.'),
  createComputeNode: computeNodes.create('Register a runner.'),
  listComputeNodes: computeNodes.list('List the runners of a workflow.', {
    hostname: text.optional(),
    is_active: queryFlag.optional(),
    /** addition: only runners in whose name jobs are pending or running, or only the others. */
    holds_jobs: queryFlag.optional(),
    /** addition: only runners that are active or in whose name jobs are pending or running, or only the others. */
    may_hold_jobs: queryFlag.optional(),
    /** addition: only runners inside of Slurm, or only the others. */
    in_slurm: queryFlag.optional(),
    scheduled_compute_node_id: queryInteger.optional(),
    ...cursor,
  }),
  getComputeNode: computeNodes.get('Get one runner.'),
  updateComputeNode: computeNodes.update(
    'Change a runner; fields that are left out keep their value.',
    NewComputeNode.partial(),
  ),
  deleteComputeNode: computeNodes.delete('Delete a runner that holds no jobs.'),
  deleteComputeNodes: {
    ...computeNodes.deleteAll('Delete all runners of a workflow; refused if one of them holds jobs.'),
    kind: 'work',
  },
  getSlurmScheduler: slurmSchedulers.get('Get one Slurm scheduler.'),
  updateSlurmScheduler: slurmSchedulers.update(
    'Change a Slurm scheduler; fields that are left out keep their value.',
    NewSlurmScheduler.partial(),
  ),
  deleteSlurmScheduler: slurmSchedulers.delete('Delete a Slurm scheduler.'),
  deleteSlurmSchedulers: slurmSchedulers.deleteAll('Delete all Slurm schedulers of a workflow.'),
  createScheduledComputeNode: allocations.create('Create an allocation record.'),
  createScheduledComputeNodes: allocations.createMany(
    'scheduled_compute_nodes',
    'Create allocation records of one workflow, all or none (addition).',
  ),
  changeScheduledComputeNodes: workflowRoute('PUT', '/workflows/{id}/scheduled_compute_nodes', 'write', {
    says: 'Change those of these allocations that still have the status `from`, and name them (addition). `array_record_id` makes them tasks of a job array, numbered from the id of that record; the status `planned` makes them none. `max_queued` goes to their plans.',
    body: z.object({
      ids: z.array(id),
      from: text,
      status: text,
      held: maybe(text),
      scheduler_id: maybe(integer),
      array_job_id: maybe(integer),
      array_record_id: maybe(id),
      max_queued: maybe(integer),
    }),
    reply: z.object({ changed: z.array(id) }),
    bodyMebibytes: BULK_MEBIBYTES,
  }),
  listScheduledComputeNodes: allocations.list('List the allocations of a workflow.', {
    scheduler_id: queryInteger.optional(),
    scheduler_config_id: queryInteger.optional(),
    status: text.optional(),
    /** addition: only allocations that are pending or active, or only the others. */
    is_open: queryFlag.optional(),
    ...cursor,
  }),
  getScheduledComputeNode: allocations.get('Get one allocation.'),
  updateScheduledComputeNode: allocations.update(
    'Change an allocation; fields that are left out keep their value.',
    NewScheduledComputeNode.partial(),
  ),
  deleteScheduledComputeNode: allocations.delete('Delete an allocation.'),
  deleteScheduledComputeNodes: allocations.deleteAll('Delete all allocations of a workflow.'),
  createLocalScheduler: localSchedulers.create('Create a local scheduler record.'),
  listLocalSchedulers: localSchedulers.list('List the local schedulers of a workflow.', {
    memory: text.optional(),
    num_cpus: queryInteger.optional(),
  }),
  getLocalScheduler: localSchedulers.get('Get one local scheduler.'),
  updateLocalScheduler: localSchedulers.update(
    'Change a local scheduler; fields that are left out keep their value.',
    NewLocalScheduler.partial(),
  ),
  deleteLocalScheduler: localSchedulers.delete('Delete a local scheduler.'),
  deleteLocalSchedulers: localSchedulers.deleteAll('Delete all local schedulers of a workflow.'),
  addRemoteWorkers: workflowRoute('POST', '/workflows/{id}/remote_workers', 'write', {
    says: 'Add hosts reached by ssh; the reply also contains those that existed.',
    body: z.array(text),
    reply: z.array(RemoteWorker),
  }),
  listRemoteWorkers: workflowRoute('GET', '/workflows/{id}/remote_workers', 'read', {
    says: 'List the hosts of a workflow that are reached by ssh, by name.',
    reply: z.array(RemoteWorker),
  }),
  removeRemoteWorker: route('DELETE', '/workflows/{id}/remote_workers/{worker}', 'write', 'workflow in path', {
    says: 'Remove a host.',
    params: z.object({ id: queryInteger, worker: text }),
    reply: RemoteWorker,
  }),
  createSlurmStats: route('POST', '/slurm_stats', 'write', 'workflow in body', {
    says: 'Store the accounting data of Slurm for an attempt.',
    body: NewSlurmStats,
    reply: SlurmStats,
  }),
  listSlurmStats: route('GET', '/slurm_stats', 'read', 'workflow in query', {
    reads: 'page',
    says: 'List the accounting data of Slurm for the attempts of a workflow.',
    query: ofWorkflow.extend({
      job_id: queryInteger.optional(),
      run_id: queryInteger.optional(),
      attempt_id: queryInteger.optional(),
    }),
    reply: page(SlurmStats),
  }),
  listRunningJobs: workflowRoute('GET', '/workflows/{id}/running_jobs', 'read', {
    reads: 'page',
    says: 'List the running jobs and their compute nodes.',
    query: z.object(paging),
    reply: page(RunningJob),
  }),
  listSlurmJobCorrelations: workflowRoute('GET', '/workflows/{id}/slurm_job_correlations', 'read', {
    reads: 'page',
    says: 'List the allocation of each job that has a result.',
    query: z.object(paging),
    reply: page(SlurmJobCorrelation),
  }),
} as const satisfies Record<string, Route>;
