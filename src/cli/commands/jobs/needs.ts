import { all } from '../../../client/every.ts';
import type { Job } from '../../../core/contract/job.ts';
import type { ResourceRequirements } from '../../../core/contract/resources.ts';
import type { FailureHandler } from '../../../core/contract/scheduling.ts';
import { chooseJob } from '../../choose/choose-record.ts';
import { chooseWorkflow } from '../../choose/choose-workflow.ts';
import { type Command, command } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { type ValuesOf, option } from '../../command/option.ts';
import { amount } from '../../output/columns.ts';
import { askedMemoryText, askedTimeText } from '../../output/needs-text.ts';
import type { Column } from '../../output/table.ts';

const jobOption = option('-j, --job-id <job>', 'only this job, by id or name');

const needsOf = (job: Job, needs: ResourceRequirements) => ({
  job_id: job.id,
  job_name: job.name,
  workflow_id: job.workflow_id,
  rr_id: needs.id,
  rr_name: needs.name,
  num_cpus: needs.num_cpus ?? 1,
  num_gpus: needs.num_gpus ?? 0,
  num_nodes: needs.num_nodes ?? 1,
  memory: needs.memory ?? '',
  runtime: needs.runtime ?? '',
});

const needsColumns: readonly Column<ReturnType<typeof needsOf>>[] = [
  { title: 'Job ID', short: 'Job', value: (row) => row.job_id, align: 'right', importance: 7 },
  { title: 'Job Name', short: 'Name', value: (row) => row.job_name, cut: 'middle', importance: 9 },
  { title: 'RR ID', value: (row) => row.rr_id, align: 'right', importance: 1 },
  { title: 'RR Name', value: (row) => row.rr_name, cut: 'middle', importance: 2 },
  { title: 'CPUs', value: (row) => row.num_cpus, align: 'right', importance: 7 },
  { title: 'GPUs', value: (row) => row.num_gpus, align: 'right', importance: 4 },
  { title: 'Nodes', value: (row) => row.num_nodes, align: 'right', importance: 3 },
  amount('Memory', (row) => row.memory, askedMemoryText, { importance: 6 }),
  amount('Runtime', (row) => row.runtime, askedTimeText),
];

const listRequirements = command('jobs list-resource-requirements [workflow]', {
  says: 'List the resource requirements of each job of a workflow.',
  options: [jobOption],
  async run(context, [given], options) {
    const { client } = await context.service();
    const { workflowId: id, jobs } = await jobsOf(context, given, options);
    const records = await all((page) => client.listResourceRequirements({ query: { workflow_id: id, ...page } }));
    const rows = joined(jobs, records, (job) => job.resource_requirements_id, needsOf);
    context.output.list({
      items: rows,
      columns: needsColumns,
      things: 'jobs',
      title: `Resource requirements of the jobs of workflow ${id}:`,
      empty: `No jobs found for workflow ID: ${id}`,
      json: rows,
    });
  },
});

const handlerOf = (job: Job, handler: FailureHandler) => ({
  job_id: job.id,
  job_name: job.name,
  workflow_id: job.workflow_id,
  fh_id: handler.id,
  fh_name: handler.name,
  /** JSON text, as stored in the handler's record. */
  rules: handler.rules,
});

const handlerColumns: readonly Column<ReturnType<typeof handlerOf>>[] = [
  { title: 'Job ID', short: 'Job', value: (row) => row.job_id, align: 'right', importance: 7 },
  { title: 'Job Name', short: 'Name', value: (row) => row.job_name, cut: 'middle', importance: 9 },
  { title: 'FH ID', value: (row) => row.fh_id, align: 'right', importance: 1 },
  { title: 'FH Name', value: (row) => row.fh_name, cut: 'middle', importance: 6 },
  { title: 'Rules Summary', short: 'Rules', value: ({ rules }) => summaryOf(rules), cut: 'end' },
];

interface Rule {
  readonly exit_codes?: readonly number[];
  readonly match_all_exit_codes?: boolean;
  readonly recovery_script?: string | null;
  readonly max_retries?: number;
}

/**
 * `exit 3, 4: 2 attempts; any other: 3 attempts`. Rules are stored unchecked, so unreadable text is shown unchanged.
 */
function summaryOf(text: string): string {
  try {
    return (JSON.parse(text) as readonly Rule[])
      .map(({ exit_codes: codes = [], match_all_exit_codes: any, recovery_script: script, max_retries: most = 3 }) => {
        const which = any === true ? 'any exit code' : `exit ${codes.join(', ')}`;
        return `${which}: ${most} attempts${script ? `, after ${script}` : ''}`;
      })
      .join('; ');
  } catch {
    return text;
  }
}

const listHandlers = command('jobs list-failure-handlers [workflow]', {
  says: 'List the jobs of a workflow that have a failure handler, with its rules.',
  options: [jobOption],
  async run(context, [given], options) {
    const { client } = await context.service();
    const { workflowId: id, jobs } = await jobsOf(context, given, options);
    const handlers = await all((page) => client.listFailureHandlers({ params: { id }, query: page }));
    const rows = joined(jobs, handlers, (job) => job.failure_handler_id, handlerOf);
    context.output.list({
      items: rows,
      columns: handlerColumns,
      things: 'jobs',
      title: `Failure handlers of the jobs of workflow ${id}:`,
      empty: `No jobs with failure handlers found for workflow ID: ${id}`,
      json: rows,
    });
  },
});

/** A row for each job that names one of these records. */
function joined<Stored extends { readonly id: number }, Row>(
  jobs: readonly Job[],
  records: readonly Stored[],
  idOf: (job: Job) => number | null | undefined,
  rowOf: (job: Job, record: Stored) => Row,
): Row[] {
  const byId = new Map(records.map((record) => [record.id, record]));
  return jobs.flatMap((job) => {
    const record = byId.get(idOf(job) ?? 0);
    return record === undefined ? [] : [rowOf(job, record)];
  });
}

/** The requested job, or all jobs of a workflow. */
async function jobsOf(
  context: Context,
  given: unknown,
  { jobId: jobGiven }: ValuesOf<readonly [typeof jobOption]>,
): Promise<{ workflowId: number; jobs: readonly Job[] }> {
  const { client } = await context.service();
  if (jobGiven === undefined) {
    const id = await chooseWorkflow(context, given);
    return { workflowId: id, jobs: await all((page) => client.listJobs({ query: { workflow_id: id, ...page } })) };
  }
  const job = await client.getJob({ params: { id: await chooseJob(context, jobGiven, given) } });
  return { workflowId: job.workflow_id, jobs: [job] };
}

export const jobNeeds: readonly Command[] = [listRequirements, listHandlers];
