import { sortFields } from '../../core/contract/sort-fields.ts';
import type { Client } from '../../client/client.ts';
import { all } from '../../client/every.ts';
import { jobOfAllocation } from '../../core/allocation/slurm-job.ts';
import type { ScheduledComputeNode } from '../../core/contract/allocation.ts';
import { recordKinds } from '../choose/choose-record.ts';
import { idOf } from '../choose/id-or-name.ts';
import { type Command, command } from '../command/command.ts';
import { integerOption, option } from '../command/option.ts';
import type { Column } from '../output/table.ts';
import { counted } from '../../core/quantity/count-text.ts';
import { letteredPagingOptions } from '../records/paging.ts';
import { getCommand, listCommand } from '../records/record-commands.ts';

const THING = 'scheduled compute node';

const columns: readonly Column<ScheduledComputeNode>[] = [
  { title: 'ID', value: ({ id }) => id, align: 'right' },
  { title: 'Scheduler ID', value: jobOfAllocation, align: 'right' },
  { title: 'Config ID', value: ({ scheduler_config_id: config }) => config, align: 'right' },
  { title: 'Type', value: ({ scheduler_type: type }) => type },
  { title: 'Status', value: ({ status }) => status },
];

const scheduledNodesList = listCommand('scheduled-compute-nodes list', {
  says: 'List the requested allocations.',
  things: 'scheduled compute nodes',
  options: [
    option('--scheduler-id <id>', 'only with this Slurm job id', { read: integerOption() }),
    option('--scheduler-config-id <slurm-scheduler>', 'only of this Slurm scheduler, by id or name'),
    option('--status <status>', 'only with this status: planned, submitting, pending, active, complete or canceled', {
      kind: 'status of an allocation',
    }),
    ...letteredPagingOptions(sortFields.scheduled_compute_node),
  ],
  columns,
  recordOptions: { schedulerConfigId: recordKinds.slurmScheduler },
  page: (client, id, options, paging, recordIds) =>
    client.listScheduledComputeNodes({
      query: {
        workflow_id: id,
        scheduler_id: options.schedulerId,
        scheduler_config_id: recordIds.schedulerConfigId,
        status: options.status,
        ...paging,
      },
    }),
});

const scheduledNodesGet = getCommand('scheduled-compute-nodes get', {
  thing: THING,
  get: (client, id) => client.getScheduledComputeNode({ params: { id } }),
});

const scheduledNodesListJobs = command('scheduled-compute-nodes list-jobs <id>', {
  says: 'List the jobs that ran or run in an allocation.',
  async run({ service, output }, [given]) {
    output.recordOnly(THING);
    const id = idOf(THING, given);
    const { client } = await service();
    const { workflow_id: workflowId } = await client.getScheduledComputeNode({ params: { id } });
    const nodes = await all((page) =>
      client.listComputeNodes({ query: { workflow_id: workflowId, scheduled_compute_node_id: id, ...page } }),
    );
    const jobs = new Set<number>();
    for (const node of nodes) for (const job of await jobsOn(client, workflowId, node.id)) jobs.add(job);
    const ids = [...jobs].sort((a, b) => a - b);
    output.record(
      THING,
      { scheduled_compute_node_id: id, workflow_id: workflowId, compute_node_count: nodes.length, job_ids: ids },
      [
        `Scheduled compute node ${id} of workflow ${workflowId}: ${counted(ids.length, 'job')} on ${counted(nodes.length, 'compute node')}`,
        ...ids.map((job) => `  ${job}`),
      ].join('\n'),
    );
  },
});

/** The jobs that ended on a runner in any run, and those that it has now. */
async function jobsOn(client: Client, workflowId: number, nodeId: number): Promise<number[]> {
  const ended = await all((page) =>
    client.listResults({ query: { workflow_id: workflowId, compute_node_id: nodeId, all_runs: true, ...page } }),
  );
  const running = await all((page) =>
    client.listJobs({ query: { workflow_id: workflowId, active_compute_node_id: nodeId, ...page } }),
  );
  return [...ended.map(({ job_id: job }) => job), ...running.map(({ id }) => id)];
}

export const scheduledComputeNodeCommands: readonly Command[] = [
  scheduledNodesGet,
  scheduledNodesList,
  scheduledNodesListJobs,
];
