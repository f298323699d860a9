import type { ScheduledComputeNode, SlurmStats } from '../../core/contract/allocation.ts';
import type { File, UserData } from '../../core/contract/artifact.ts';
import type { StreamEvent } from '../../core/contract/event.ts';
import { streamEventWords } from '../../core/lifecycle/explain/event-words.ts';
import type { ComputeNode } from '../../core/contract/node.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import { grouped } from '../../core/quantity/count-text.ts';
import { sizeText } from '../../core/quantity/size-text.ts';
import type { WorkflowState, WorkflowStanding } from '../../operations/report/views/workflow-state.ts';
import { workflowStandings } from '../../operations/report/workflow-standings.ts';
import type { CellStyle } from '../cells.ts';
import { jsonText, memoryCellText, momentText, percentCellText } from './texts.ts';
import { view } from './view.ts';

interface WorkflowLine extends Workflow {
  /** Unknown of a server without the route. */
  readonly standing?: WorkflowStanding;
}

const STATE_STYLES: Partial<Record<WorkflowState, CellStyle>> = {
  running: 'cyan',
  finished: 'green',
  failed: 'red',
  stopped: 'yellow',
  canceled: 'yellow',
};

/** `1,204/9,000, 3 failed` */
function progressText({ done, total, failed }: WorkflowStanding): string {
  const faults = failed > 0 ? `, ${grouped(failed)} failed` : '';
  return total === 0 ? '' : `${grouped(done)}/${grouped(total)}${faults}`;
}

export const workflows = view<WorkflowLine>({
  name: 'Workflows',
  sign: '',
  columns: [
    { title: 'ID', text: ({ id }) => String(id), align: 'right', importance: 8 },
    { title: 'Name', text: ({ name }) => name, cut: 'middle', importance: 9 },
    {
      title: 'State',
      text: ({ standing }) => standing?.state ?? '',
      style: ({ standing }) => (standing === undefined ? undefined : STATE_STYLES[standing.state]),
      importance: 8,
    },
    {
      title: 'Done',
      text: ({ standing }) => (standing === undefined ? '' : progressText(standing)),
      importance: 7,
    },
    { title: 'User', text: ({ user }) => user, cut: 'middle', importance: 5 },
    { title: 'Description', text: ({ description }) => description ?? '', cut: 'end', importance: 3 },
  ],
  sorts: [
    { title: 'ID', by: 'id' },
    { title: 'Name', by: 'name' },
    { title: 'User', by: 'user' },
  ],
  filters: [
    { title: 'Name', query: (name) => ({ name }) },
    { title: 'User', query: (user) => ({ user }), text: ({ user }) => user },
    { title: 'Description', query: (description) => ({ description }) },
    { title: 'Access Group', query: (group) => ({ access_group: group }) },
  ],
  idOf: ({ id }) => id,
  hasFailures: ({ standing }) => (standing?.failed ?? 0) > 0,
  async load(client, { paging, filter }) {
    const found = await client.listWorkflows({ query: { is_archived: false, ...paging, ...filter } });
    const ids = found.items.map(({ id }) => id);
    const standings = await workflowStandings(client, ids, 'user' in filter ? String(filter.user) : undefined);
    return {
      ...found,
      items: found.items.map((each) => {
        const standing = standings.get(each.id);
        return standing === undefined ? each : { ...each, standing };
      }),
    };
  },
});

export const files = view<File>({
  name: 'Files',
  sign: '◫',
  columns: [
    { title: 'ID', text: ({ id }) => String(id), align: 'right', importance: 4 },
    { title: 'Name', text: ({ name }) => name, cut: 'middle', importance: 8 },
    { title: 'Path', text: ({ path }) => path, cut: 'middle', importance: 9 },
    {
      title: 'Modified',
      text: ({ st_mtime: seconds }) => (typeof seconds === 'number' ? momentText(seconds * 1000) : ''),
      importance: 5,
    },
  ],
  sorts: [],
  filters: [
    { title: 'Name', query: (name) => ({ name }) },
    { title: 'Path', query: (path) => ({ path }) },
  ],
  idOf: ({ id }) => id,
  pathOf: ({ path }) => path,
  load: (client, { workflowId, paging, filter }) =>
    client.listFiles({ query: { workflow_id: workflowId, ...paging, ...filter } }),
});

export const userDataView = view<UserData>({
  name: 'User Data',
  sign: '◈',
  columns: [
    { title: 'ID', text: ({ id }) => String(id), align: 'right', importance: 4 },
    { title: 'Name', text: ({ name }) => name, cut: 'middle', importance: 9 },
    { title: 'Ephemeral', text: ({ is_ephemeral: is }) => (is === true ? 'yes' : 'no'), importance: 3 },
    { title: 'Data', text: ({ data }) => jsonText(data), cut: 'end', importance: 8 },
  ],
  sorts: [],
  filters: [
    { title: 'Name', query: (name) => ({ name }) },
    { title: 'Data', text: ({ data }) => jsonText(data) },
  ],
  idOf: ({ id }) => id,
  load: (client, { workflowId, paging, filter }) =>
    client.listUserData({ query: { workflow_id: workflowId, ...paging, ...filter } }),
});

export const compute = view<ComputeNode>({
  name: 'Compute',
  sign: '▣',
  columns: [
    { title: 'ID', text: ({ id }) => String(id), align: 'right', importance: 8 },
    { title: 'Hostname', text: ({ hostname }) => hostname, cut: 'middle', importance: 9 },
    { title: 'CPUs', text: ({ num_cpus: cpus }) => String(cpus), align: 'right', importance: 6 },
    {
      title: 'Memory',
      text: ({ memory_gb: gigabytes }) => sizeText(gigabytes * 2 ** 30),
      align: 'right',
      importance: 6,
    },
    { title: 'GPUs', text: ({ num_gpus: gpus }) => String(gpus), align: 'right', importance: 4 },
    { title: 'Active', text: ({ is_active: is }) => (is === true ? 'yes' : 'no'), importance: 7 },
    { title: 'Peak CPU', text: ({ peak_cpu_percent: cpu }) => percentCellText(cpu), align: 'right', importance: 3 },
    {
      title: 'Peak Memory',
      text: ({ peak_memory_bytes: bytes }) => memoryCellText(bytes),
      align: 'right',
      importance: 3,
    },
  ],
  sorts: [
    { title: 'ID', by: 'id' },
    { title: 'Hostname', value: ({ hostname }) => hostname },
    { title: 'Peak CPU', value: ({ peak_cpu_percent: cpu }) => cpu ?? 0 },
    { title: 'Peak Memory', value: ({ peak_memory_bytes: bytes }) => bytes ?? 0 },
  ],
  filters: [
    { title: 'Hostname', text: ({ hostname }) => hostname },
    { title: 'Active', text: ({ is_active: is }) => (is === true ? 'yes' : 'no') },
  ],
  idOf: ({ id }) => id,
  load: (client, { workflowId, paging }) => client.listComputeNodes({ query: { workflow_id: workflowId, ...paging } }),
});

export const nodes = view<ScheduledComputeNode>({
  name: 'Nodes',
  sign: '⊞',
  columns: [
    { title: 'ID', text: ({ id }) => String(id), align: 'right', importance: 8 },
    { title: 'Scheduler ID', text: ({ scheduler_id: id }) => String(id), align: 'right', importance: 9 },
    { title: 'Config ID', text: ({ scheduler_config_id: id }) => String(id), align: 'right', importance: 4 },
    { title: 'Type', text: ({ scheduler_type: type }) => type, importance: 5 },
    { title: 'Status', text: ({ status }) => status, importance: 9 },
  ],
  sorts: [],
  filters: [
    { title: 'Status', text: ({ status }) => status },
    { title: 'Scheduler Type', text: ({ scheduler_type: type }) => type },
  ],
  idOf: ({ id }) => id,
  load: (client, { workflowId, paging }) =>
    client.listScheduledComputeNodes({ query: { workflow_id: workflowId, ...paging } }),
});

export const slurmStats = view<SlurmStats>({
  name: 'Accounting',
  sign: '⚑',
  columns: [
    { title: 'Job ID', text: ({ job_id: id }) => String(id), align: 'right', importance: 9 },
    { title: 'Run', text: ({ run_id: id }) => String(id), align: 'right', importance: 4 },
    { title: 'Attempt', text: ({ attempt_id: id }) => String(id), align: 'right', importance: 5 },
    { title: 'Allocation', text: ({ slurm_job_id: id }) => id ?? '', align: 'right', importance: 8 },
    { title: 'Max RSS', text: ({ max_rss_bytes: bytes }) => memoryCellText(bytes), align: 'right', importance: 7 },
    { title: 'Max VM', text: ({ max_vm_size_bytes: bytes }) => memoryCellText(bytes), align: 'right', importance: 3 },
    { title: 'Ave CPU (s)', text: ({ ave_cpu_seconds: cpu }) => cpu?.toFixed(1) ?? '', align: 'right', importance: 6 },
    { title: 'Nodes', text: ({ node_list: list }) => list ?? '', cut: 'end', importance: 2 },
  ],
  sorts: [],
  filters: [
    { title: 'Job ID', text: ({ job_id: id }) => String(id) },
    { title: 'Allocation', text: ({ slurm_job_id: id }) => id ?? '' },
    { title: 'Nodes', text: ({ node_list: list }) => list ?? '' },
  ],
  idOf: ({ id }) => id,
  jobOf: ({ job_id: id }) => id,
  load: (client, { workflowId, paging }) => client.listSlurmStats({ query: { workflow_id: workflowId, ...paging } }),
});

/** An event that arrived while the screen was open, and the order in which it did. */
export interface ArrivedEvent extends StreamEvent {
  readonly order: number;
}

const wordsOfEvent = ({ event_type: type, data }: ArrivedEvent) => streamEventWords(type, data);

/** Its rows arrive by the stream of events. */
export const events = view<ArrivedEvent>({
  name: 'Events',
  sign: '⚡',
  columns: [
    { title: 'Timestamp', text: ({ timestamp }) => momentText(timestamp), importance: 6 },
    {
      title: 'Level',
      text: ({ severity }) => severity,
      style: ({ severity }) => (severity === 'error' ? 'red' : severity === 'warning' ? 'yellow' : undefined),
      importance: 5,
    },
    { title: 'Event Type', text: ({ event_type: type }) => type, importance: 9 },
    { title: 'What happened', text: wordsOfEvent, cut: 'end', importance: 8 },
  ],
  sorts: [],
  filters: [
    { title: 'Event Type', text: ({ event_type: type }) => type },
    { title: 'What happened', text: wordsOfEvent },
  ],
  idOf: ({ order }) => order,
  load: () => Promise.resolve({ items: [], total_count: 0 }),
});
