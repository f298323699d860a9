import { sortFields } from '../../core/contract/sort-fields.ts';
import type { ComputeNode } from '../../core/contract/node.ts';
import type { Command } from '../command/command.ts';
import { integerOption, option } from '../command/option.ts';
import { amount, date } from '../output/columns.ts';
import type { Column } from '../output/table.ts';
import { ageSeconds, bytesText, memoryText, percentText, secondsText } from '../output/words.ts';
import { letteredPagingOptions } from '../records/paging.ts';
import { getCommand, listCommand } from '../records/record-commands.ts';

const columns: readonly Column<ComputeNode>[] = [
  { title: 'ID', value: ({ id }) => id, align: 'right', importance: 8 },
  { title: 'Hostname', short: 'Host', value: ({ hostname }) => hostname, cut: 'middle', importance: 9 },
  { title: 'Scheduler', value: ({ compute_node_type: type }) => type, importance: 3 },
  { title: 'Scheduler Job ID', short: 'Allocation', value: schedulerJobId, align: 'right', importance: 5 },
  { title: 'Labels', value: ({ labels }) => labels?.join(','), cut: 'end', importance: 4 },
  { title: 'PID', value: ({ pid }) => pid, align: 'right', importance: 1 },
  { title: 'CPUs', value: ({ num_cpus: cpus }) => cpus, align: 'right', importance: 6 },
  amount(
    'Memory (GB)',
    (node) => node.memory_gb,
    (gigabytes) => memoryText(gigabytes * 2 ** 30),
    {
      heading: 'Memory',
      importance: 6,
    },
  ),
  { title: 'GPUs', value: ({ num_gpus: gpus }) => gpus, align: 'right', importance: 4 },
  { title: 'Active', value: ({ is_active: isActive }) => isActive, importance: 7 },
  date('Start Time', (node) => node.start_time, { short: 'Start', importance: 2 }),
  { title: 'Duration', value: (node) => secondsText(durationSeconds(node)), align: 'right', importance: 4 },
  {
    title: 'CPU peak/avg',
    importance: 3,
    value: ({ peak_cpu_percent: peak, avg_cpu_percent: average }) => both(percentText(peak), percentText(average)),
    align: 'right',
  },
  {
    title: 'Mem peak/avg',
    importance: 3,
    value: ({ peak_memory_bytes: peak, avg_memory_bytes: average }) => both(bytesText(peak), bytesText(average)),
    text: ({ peak_memory_bytes: peak, avg_memory_bytes: average }) => both(memoryText(peak), memoryText(average)),
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

const computeNodesList = listCommand('compute-nodes list', {
  says: 'List the runners of a workflow, including those that have ended.',
  things: 'compute nodes',
  options: [
    option('--scheduled-compute-node <id>', 'only runners in this allocation', {
      read: integerOption(1),
    }),
    ...letteredPagingOptions(sortFields.compute_node),
  ],
  columns,
  page: (client, id, options, paging) =>
    client.listComputeNodes({
      query: {
        workflow_id: id,
        scheduled_compute_node_id: options.scheduledComputeNode,
        ...paging,
      },
    }),
  json: (node) => ({ ...node, duration_seconds: durationSeconds(node) }),
});

const computeNodesGet = getCommand('compute-nodes get', {
  thing: 'compute node',
  get: (client, id) => client.getComputeNode({ params: { id } }),
});

export const computeNodeCommands: readonly Command[] = [computeNodesGet, computeNodesList];
