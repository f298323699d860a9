import type { ComputeNode } from '../../core/contract/node.ts';
import type { Command } from '../command.ts';
import { integer } from '../option.ts';
import type { Column } from '../output/table.ts';
import { ageSeconds, bytesText, percentText, secondsText } from '../output/words.ts';
import { letteredPagingOptions } from '../paging.ts';
import { getCommand, listCommand } from '../record-commands.ts';

const columns: readonly Column<ComputeNode>[] = [
  { title: 'ID', value: ({ id }) => id, align: 'right' },
  { title: 'Hostname', value: ({ hostname }) => hostname },
  { title: 'Scheduler', value: ({ compute_node_type: type }) => type },
  { title: 'Scheduler Job ID', value: schedulerJobId, align: 'right' },
  { title: 'Labels', value: ({ labels }) => labels?.join(',') },
  { title: 'PID', value: ({ pid }) => pid, align: 'right' },
  { title: 'CPUs', value: ({ num_cpus: cpus }) => cpus, align: 'right' },
  { title: 'Memory (GB)', value: ({ memory_gb: gigabytes }) => gigabytes, align: 'right' },
  { title: 'GPUs', value: ({ num_gpus: gpus }) => gpus, align: 'right' },
  { title: 'Active', value: ({ is_active: isActive }) => isActive },
  { title: 'Start Time', value: ({ start_time: start }) => start },
  { title: 'Duration', value: (node) => secondsText(durationSeconds(node)), align: 'right' },
  {
    title: 'CPU peak/avg',
    value: ({ peak_cpu_percent: peak, avg_cpu_percent: average }) => both(percentText(peak), percentText(average)),
    align: 'right',
  },
  {
    title: 'Mem peak/avg',
    value: ({ peak_memory_bytes: peak, avg_memory_bytes: average }) => both(bytesText(peak), bytesText(average)),
    align: 'right',
  },
];

const both = (peak: string, average: string) => (peak === '' && average === '' ? '' : `${peak}/${average}`);

/** The job id that Slurm gave the allocation, if the runner reported it. */
function schedulerJobId({ scheduler }: ComputeNode): unknown {
  if (typeof scheduler !== 'object' || scheduler === null || Array.isArray(scheduler)) return undefined;
  return scheduler['slurm_job_id'] ?? scheduler['scheduler_id'];
}

/** The duration of a runner: as it reported at its end, or until now; unknown if it never reported. */
function durationSeconds({ duration_seconds: said, is_active: isActive, start_time: start }: ComputeNode) {
  if (said !== undefined && said !== null) return said;
  return isActive === true ? ageSeconds(start, Date.now()) : undefined;
}

const computeNodesList = listCommand<ComputeNode>({
  words: 'compute-nodes list',
  says: 'List the runners of a workflow, including those that have ended.',
  things: 'compute nodes',
  options: [
    {
      flags: '--scheduled-compute-node <id>',
      says: 'only runners in this allocation',
      read: integer('--scheduled-compute-node', 1),
    },
    ...letteredPagingOptions,
  ],
  columns,
  page: (client, id, options, paging) =>
    client.listComputeNodes({
      query: {
        workflow_id: id,
        scheduled_compute_node_id: options['scheduledComputeNode'] as number | undefined,
        ...paging,
      },
    }),
  json: (node) => ({ ...node, duration_seconds: durationSeconds(node) }),
});

const computeNodesGet = getCommand({
  words: 'compute-nodes get',
  thing: 'compute node',
  call: (client, id) => client.getComputeNode({ params: { id } }),
});

export const computeNodeCommands: readonly Command[] = [computeNodesGet, computeNodesList];
