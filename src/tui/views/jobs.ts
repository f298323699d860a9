import { sentenceOf } from '../../core/attempt/cause.ts';
import { exitCodesOf, storedEndOf } from '../../core/attempt/judge.ts';
import type { RunningJob } from '../../core/contract/allocation.ts';
import type { Job } from '../../core/contract/job.ts';
import type { Result } from '../../core/contract/result.ts';
import type { Client } from '../../client/client.ts';
import { isOneOf, RAN } from '../../core/job/statuses.ts';
import { timeText } from '../../core/quantity/time-text.ts';
import { jobsOfFamily } from './families.ts';
import { memoryCellText, momentText, percentCellText, sinceText, statusStyle } from './texts.ts';
import { view } from './view.ts';
import { type JobStatus, jobStatuses } from '../../core/job/job-statuses.ts';

/** The list of a family has no commands. */
type ShownJob = Pick<Job, 'id' | 'name' | 'status'> &
  Partial<Job> & {
    /** Of its current result. */
    readonly seconds?: number | null | undefined;
    readonly endedOn?: number;
    readonly hostname?: string;
  };

/** Jobs of the same name but for its numbers, and with the same dependencies: a row of the view DAG. */
export const FAMILY = 'Family';
export const STATUS_FILTER = 'Status';

/** The name of the node, or its number where that alone is known. */
const nodeText = ({ hostname, compute_node_id: node, endedOn }: ShownJob): string =>
  hostname ?? String(node ?? endedOn ?? '');

export const jobsView = view<ShownJob>({
  name: 'Jobs',
  sign: '▶',
  columns: [
    { title: 'ID', text: ({ id }) => String(id), align: 'right', importance: 7 },
    { title: 'Name', text: ({ name }) => name, cut: 'middle', importance: 9 },
    {
      title: 'Status',
      text: ({ status }) => status ?? '',
      style: ({ status }) => statusStyle(status),
      importance: 8,
    },
    { title: 'Node', text: nodeText, cut: 'middle', importance: 3 },
    {
      title: 'Elapsed',
      text: ({ status, start_time: start, seconds }, nowMs) =>
        status === 'running' ? sinceText(start, nowMs) : typeof seconds === 'number' ? timeText(seconds) : '',
      align: 'right',
      importance: 4,
    },
    { title: 'Command', text: ({ command }) => command ?? '', cut: 'end', importance: 5 },
  ],
  sorts: [
    { title: 'ID', by: 'id' },
    { title: 'Name', by: 'name' },
    { title: 'Status', by: 'status' },
  ],
  filters: [
    { title: STATUS_FILTER, query: (text) => ({ status: statusNamed(text) }), text: ({ status }) => status ?? '' },
    { title: 'Name', query: (name) => ({ name }) },
    { title: 'Command', query: (command) => ({ command }) },
    { title: FAMILY, query: (family) => ({ family }) },
  ],
  idOf: ({ id }) => id,
  jobOf: ({ id }) => id,
  async load(client, { workflowId, paging, filter }) {
    if ('family' in filter) return jobsOfFamily(client, workflowId, String(filter.family), paging.offset);
    const found = await client.listJobs({ query: { workflow_id: workflowId, ...paging, ...filter } });
    return { ...found, items: await withEnds(client, workflowId, found) };
  },
});

/** Results are listed by workflow: of more jobs than these, those that ended have no node and no time in this view. */
const MOST_ENDED = 1_000;

/** The jobs with the node and the time of their current results. */
async function withEnds(client: Client, id: number, { items, total_count: total }: JobPage): Promise<ShownJob[]> {
  if (total > MOST_ENDED || !items.some(({ status }) => isOneOf(RAN, status))) return [...items];
  const query = { workflow_id: id, limit: MOST_ENDED };
  const [{ items: rows }, { items: nodesOf }] = await Promise.all([
    client.listResults({ query }),
    client.listComputeNodes({ query }),
  ]);
  const results = new Map(rows.map((row) => [row.job_id, row]));
  const hosts = new Map(nodesOf.map((node) => [node.id, node.hostname]));
  return items.map((job) => {
    const result = isOneOf(RAN, job.status) ? results.get(job.id) : undefined;
    const node = job.compute_node_id ?? result?.compute_node_id;
    const hostname = node === undefined ? undefined : hosts.get(node);
    return {
      ...job,
      ...(result === undefined ? {} : { seconds: result.exec_time_minutes * 60, endedOn: result.compute_node_id }),
      ...(hostname === undefined ? {} : { hostname }),
    };
  });
}

interface JobPage {
  readonly items: readonly Job[];
  readonly total_count: number;
}

export const running = view<RunningJob>({
  name: 'Running',
  sign: '▷',
  columns: [
    { title: 'Job ID', text: ({ job_id: id }) => String(id), align: 'right', importance: 7 },
    { title: 'Name', text: ({ job_name: name }) => name, cut: 'middle', importance: 9 },
    { title: 'Node', text: ({ compute_node_name: node }) => node, cut: 'middle', importance: 6 },
    {
      title: 'Elapsed',
      text: ({ start_time: start }, nowMs) => sinceText(start, nowMs),
      align: 'right',
      importance: 8,
    },
    { title: 'Scheduler', text: ({ scheduler_type: type }) => type, importance: 2 },
    { title: 'Scheduler Job ID', text: ({ scheduler_job_id: id }) => id ?? '', importance: 3 },
  ],
  sorts: [
    { title: 'Job ID', by: 'job_id' },
    { title: 'Name', value: ({ job_name: name }) => name },
    { title: 'Elapsed', value: ({ start_time: start }) => -Date.parse(start ?? '') || 0 },
  ],
  filters: [],
  idOf: ({ job_id: id }) => id,
  jobOf: ({ job_id: id }) => id,
  load: (client, { workflowId, paging }) => client.listRunningJobs({ params: { id: workflowId }, query: paging }),
});

interface ResultRow extends Result {
  /** Why it ended; absent for a success without a cause. */
  readonly why?: string;
}

export const results = view<ResultRow>({
  name: 'Results',
  sign: '✓',
  columns: [
    { title: 'ID', text: ({ id }) => String(id), align: 'right', importance: 1 },
    { title: 'Job ID', text: ({ job_id: id }) => String(id), align: 'right', importance: 6 },
    { title: 'Name', text: ({ job_name: name }) => name ?? '', cut: 'middle', importance: 9 },
    { title: 'Return', text: ({ return_code: code }) => String(code), align: 'right', importance: 8 },
    { title: 'Status', text: ({ status }) => status, style: ({ status }) => statusStyle(status), importance: 8 },
    {
      title: 'Runtime (m)',
      text: ({ exec_time_minutes: minutes }) => minutes.toFixed(2),
      align: 'right',
      importance: 5,
    },
    { title: 'Completion Time', text: ({ completion_time: time }) => momentText(time), importance: 2 },
    { title: 'Peak Mem', text: ({ peak_memory_bytes: bytes }) => memoryCellText(bytes), align: 'right', importance: 4 },
    { title: 'Peak CPU %', text: ({ peak_cpu_percent: cpu }) => percentCellText(cpu), align: 'right', importance: 3 },
    { title: 'Cause', text: ({ why = '' }) => why, cut: 'end', importance: 7 },
  ],
  sorts: [
    { title: 'ID', by: 'id' },
    { title: 'Job ID', by: 'job_id' },
    { title: 'Name', value: ({ job_name: name }) => name ?? '' },
    { title: 'Return', by: 'return_code' },
    { title: 'Runtime (m)', by: 'exec_time_minutes' },
    { title: 'Completion Time', by: 'completion_time' },
    { title: 'Peak Mem', by: 'peak_memory_bytes' },
    { title: 'Peak CPU %', by: 'peak_cpu_percent' },
  ],
  filters: [
    { title: 'Status', query: (text) => ({ status: statusNamed(text) }), text: ({ status }) => status },
    { title: 'Return Code', query: (text) => ({ return_code: wholeNumber(text) }) },
  ],
  idOf: ({ id }) => id,
  jobOf: ({ job_id: id }) => id,
  async load(client, { workflowId, paging, filter }) {
    const [{ execution_config: execution }, found] = await Promise.all([
      client.getWorkflow({ params: { id: workflowId } }),
      client.listResults({ query: { workflow_id: workflowId, ...paging, ...filter } }),
    ]);
    const codes = exitCodesOf(execution);
    return { ...found, items: found.items.map((each) => withWhy(each, sentenceOf(storedEndOf(each, codes)))) };
  },
});

const withWhy = (result: Result, why: string | undefined): ResultRow =>
  why === undefined ? result : { ...result, why };

function wholeNumber(text: string): number {
  if (!/^-?\d{1,9}$/.test(text.trim())) throw new RangeError(`"${text}" is no return code`);
  return Number(text);
}

/** The status with this name, or the only one that contains the text, as in Torc 1.0.0. Throws where several do, or none. */
function statusNamed(text: string): JobStatus {
  const wanted = text.trim().toLowerCase();
  const exact = jobStatuses.find((status) => status === wanted);
  if (exact !== undefined) return exact;
  const found = jobStatuses.filter((status) => status.includes(wanted));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  throw new RangeError(
    only === undefined
      ? `no status contains "${text}": ${jobStatuses.join(', ')}`
      : `several statuses contain "${text}": ${found.join(', ')}`,
  );
}
