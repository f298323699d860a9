import { sortFields } from '../../../core/contract/sort-fields.ts';
import type { RunningJob } from '../../../core/contract/allocation.ts';
import type { Job } from '../../../core/contract/job.ts';
import type { Result } from '../../../core/contract/result.ts';
import { isOneOf, REPORTED } from '../../../core/job/statuses.ts';
import { all } from '../../../client/every.ts';
import type { Context } from '../../command/context.ts';
import type { JobStatus } from '../../../core/job/job-statuses.ts';
import { openWorkflow } from '../../choose/choose-workflow.ts';
import { chooseJob, recordKinds, recordWithin, workflowOption } from '../../choose/choose-record.ts';
import { type Command, command } from '../../command/command.ts';
import { checkedByServer, option } from '../../command/option.ts';
import { fieldsText } from '../../output/fields.ts';
import type { Column } from '../../output/table.ts';
import { ageSeconds, secondsText } from '../../output/words.ts';
import { allRows, pagingOptions } from '../../records/paging.ts';
import { listCommand } from '../../records/record-commands.ts';

const elapsed = (start: string | null | undefined) => (start ? secondsText(ageSeconds(start, Date.now())) : '');

const columns: readonly Column<Job>[] = [
  { title: 'ID', value: ({ id }) => id, align: 'right', importance: 7 },
  { title: 'Name', value: ({ name }) => name, cut: 'middle', importance: 9 },
  { title: 'Status', value: ({ status }) => status, importance: 8 },
  { title: 'Priority', short: 'Prio', value: ({ priority }) => priority, align: 'right', importance: 2 },
  {
    title: 'Compute Node',
    short: 'Node',
    value: ({ compute_node_id: node }) => node || undefined,
    align: 'right',
    importance: 3,
  },
  { title: 'Elapsed', value: ({ start_time: start }) => elapsed(start), align: 'right', importance: 4 },
  { title: 'Command', value: ({ command }) => command, cut: 'end', importance: 5 },
];

/** How a job ended in this run, with where. */
type Ended = Pick<Result, 'exec_time_minutes' | 'compute_node_id'>;

/** The results of jobs that have ended, for a table: the records of jobs do not have their time and their node any more. */
async function endedOf(
  { service, output }: Context,
  id: number,
  jobs: readonly Job[],
): Promise<ReadonlyMap<number, Ended>> {
  const wanted = new Set(jobs.filter(({ status }) => isOneOf(REPORTED, status)).map((each) => each.id));
  if (output.format !== 'table' || wanted.size === 0) return new Map();
  const { client } = await service();
  const results = await all((page) => client.listResults({ query: { workflow_id: id, ...page } }));
  return new Map(results.flatMap((each) => (wanted.has(each.job_id) ? [[each.job_id, each] as const] : [])));
}

const columnsWith = (ended: ReadonlyMap<number, Ended>): readonly Column<Job>[] =>
  columns.map((column) => {
    if (column.title === 'Elapsed')
      return { ...column, value: ({ id, start_time: start }: Job) => elapsedOf(ended.get(id)) ?? elapsed(start) };
    if (column.title === 'Compute Node')
      return {
        ...column,
        value: ({ id, compute_node_id: node }: Job) => node || ended.get(id)?.compute_node_id || undefined,
      };
    return column;
  });

const elapsedOf = (ended: Ended | undefined) => ended && secondsText(ended.exec_time_minutes * 60);

const list = command('jobs list [workflow]', {
  says: 'List the jobs of a workflow.',
  example: '1 --status failed',
  options: [
    option('-s, --status <status>', 'only jobs with this status', { read: checkedByServer<JobStatus>() }),
    option('--upstream-job-id <job>', 'only jobs that depend on this one, by id or name'),
    option('--include-relationships', 'include dependencies, inputs and outputs'),
    option('-x, --exclude <column...>', 'leave these columns out of the table'),
    ...pagingOptions(sortFields.job),
  ],
  async run(context, [workflow], options) {
    const { id, client } = await openWorkflow(context, workflow);
    const upstreamId = await recordWithin(context, recordKinds.job, id, options.upstreamJobId);
    const items = await allRows(options, (paging) =>
      client.listJobs({
        query: {
          workflow_id: id,
          status: options.status,
          upstream_job_id: upstreamId,
          include_relationships: options.includeRelationships,
          ...paging,
        },
      }),
    );
    const excluded = (options.exclude ?? []).map((name) => name.toLowerCase());
    for (const name of excluded) {
      if (!columns.some(({ title }) => title.toLowerCase() === name))
        context.output.warn(`no column "${name}" to exclude`);
    }
    const ended = await endedOf(context, id, items);
    context.output.list({
      items,
      columns: columnsWith(ended).filter(({ title }) => !excluded.includes(title.toLowerCase())),
      things: 'jobs',
      title: `Jobs for workflow ${id}:`,
      empty: `No jobs found for workflow ID: ${id}`,
    });
  },
});

const get = command('jobs get <job>', {
  says: 'Show one job.',
  options: [workflowOption],
  async run(context, [given], options) {
    const { output } = context;
    const id = await chooseJob(context, given, options.workflowId);
    const { client } = await context.service();
    const job = await client.getJob({ params: { id } });
    output.record('job', job, fieldsText(`Job ${job.id}:`, job, ['', 0]));
  },
});

const runningColumns: readonly Column<RunningJob>[] = [
  { title: 'Job ID', short: 'ID', value: ({ job_id: id }) => id, align: 'right', importance: 7 },
  { title: 'Job Name', short: 'Name', value: ({ job_name: name }) => name, cut: 'middle', importance: 9 },
  { title: 'Compute Node', short: 'Node', value: ({ compute_node_name: node }) => node, cut: 'middle', importance: 6 },
  { title: 'Elapsed', value: ({ start_time: start }) => elapsed(start), align: 'right', importance: 8 },
  { title: 'Scheduler', value: ({ scheduler_type: type }) => type, importance: 2 },
  { title: 'Scheduler Job ID', short: 'Allocation', value: ({ scheduler_job_id: id }) => id, importance: 3 },
];

const running = listCommand('jobs running', {
  says: 'List the running jobs, with the node and the allocation of each.',
  things: 'running jobs',
  options: [],
  columns: runningColumns,
  page: (client, id, _options, paging) => client.listRunningJobs({ params: { id }, query: paging }),
});

export const jobLists: readonly Command[] = [list, get, running];
