import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBatchIfClear } from '../../../cluster/open-batch.ts';
import { makeFolder } from '../../../cluster/make-folder.ts';
import { all } from '../../../client/every.ts';
import { type Accounting, accountingJson, type AccountingRow, readAccounting } from '../../../cluster/slurm/sacct.ts';
import { askSlurm } from '../../../cluster/slurm/programs.ts';
import { jobOfAllocation, type SlurmJob } from '../../../core/allocation/slurm-job.ts';
import type { SlurmStats } from '../../../core/contract/allocation.ts';
import { sizeText } from '../../../core/quantity/size-text.ts';
import { recordKinds, recordWithin } from '../../choose/choose-record.ts';
import { chooseWorkflow, openWorkflow } from '../../choose/choose-workflow.ts';
import { type Command, command } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { Failure } from '../../command/failure.ts';
import { integerOption, option } from '../../command/option.ts';
import type { Column } from '../../output/table.ts';

/** The Slurm jobs of a workflow, and what the accounting has of them. */
async function accountingOf(
  context: Context,
  id: number,
): Promise<Accounting & { jobIds: SlurmJob[]; errors: string[] }> {
  const { client } = await context.service();
  const rows = await all((page) => client.listScheduledComputeNodes({ query: { workflow_id: id, ...page } }));
  const nodes = await all((page) => client.listComputeNodes({ query: { workflow_id: id, ...page } }));
  // Allocations that were submitted by hand have runners, but no record.
  const ofNodes = nodes.map(({ scheduler }) => Number((scheduler as { slurm_job_id?: unknown } | null)?.slurm_job_id));
  const ofSlurm = rows.filter(({ scheduler_type: type }) => type === 'slurm');
  const tasks = ofSlurm.filter((row) => typeof jobOfAllocation(row) === 'string');
  // A task that started is known to its runner by the id of its own.
  const known = new Set(tasks.map(({ scheduler_id: job }) => job));
  const numbers = [...ofSlurm.filter((row) => !tasks.includes(row)).map(({ scheduler_id: job }) => job), ...ofNodes];
  const plain = [...new Set(numbers)].filter((job) => job > 0 && !known.has(job)).toSorted((a, b) => a - b);
  const jobIds: SlurmJob[] = [...plain, ...tasks.map(jobOfAllocation)];
  const none = { rows: [], nodes: 0, nodeSeconds: 0, cpuSeconds: 0 };
  if (jobIds.length === 0) return { ...none, jobIds, errors: [] };
  try {
    return { ...(await readAccounting(askSlurm(context.environment), jobIds)), jobIds, errors: [] };
  } catch (error) {
    return { ...none, jobIds, errors: [(error as Error).message] };
  }
}

/** Throws on a site whose batch system records no steps. */
function refuseWithoutSteps({ environment, hint }: Context): void {
  const batch = openBatchIfClear(environment);
  if (batch === undefined || batch.recordsSteps) return;
  throw new Failure(
    `${batch.name}, which has the queue here, records no steps of allocations. What runners measured: ${hint('torc results list')}, and torc report`,
  );
}

/** A row as Torc 1.0.0 prints it. */
const reported = ({ jobId, step, state, exitCode, elapsedSeconds, maxRssBytes, cpuSeconds, nodes }: AccountingRow) => ({
  slurm_job_id: jobId,
  job_step: step,
  state,
  exit_code: exitCode,
  elapsed: spanText(elapsedSeconds),
  max_rss: maxRssBytes === undefined ? '-' : memoryText(maxRssBytes),
  cpu_time: spanText(cpuSeconds),
  nodes,
});
type ReportedRow = ReturnType<typeof reported>;

/** `45s`, `5m 3s`, `26h 5m`. */
function spanText(seconds: number): string {
  const whole = Math.floor(seconds);
  if (whole < 60) return `${whole}s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${whole % 60}s`;
  return `${Math.floor(whole / 3600)}h ${Math.floor((whole % 3600) / 60)}m`;
}

/** `41.3MB`, `1.0KB`. */
function memoryText(bytes: number): string {
  const [unit, size] = (
    [
      ['GB', 2 ** 30],
      ['MB', 2 ** 20],
      ['KB', 2 ** 10],
    ] as const
  ).find(([, least]) => bytes >= least) ?? ['B', 1];
  return size === 1 ? `${bytes}B` : `${(bytes / size).toFixed(1)}${unit}`;
}

const columns: readonly Column<ReportedRow>[] = [
  { title: 'Slurm Job', value: (row) => row.slurm_job_id, align: 'right' },
  { title: 'Job Step', value: (row) => row.job_step, cut: 'middle', importance: 8 },
  { title: 'State', value: (row) => row.state },
  { title: 'Exit Code', value: (row) => row.exit_code },
  { title: 'Elapsed', value: (row) => row.elapsed, align: 'right' },
  { title: 'Max RSS', value: (row) => row.max_rss, align: 'right' },
  { title: 'CPU Time', value: (row) => row.cpu_time, align: 'right' },
  { title: 'Nodes', value: (row) => row.nodes },
];

const noAllocations = (id: number) => `No Slurm scheduled compute nodes found for workflow ${id}`;

const sacct = command('slurm sacct [workflow]', {
  says: 'Show what the accounting of Slurm has of the allocations of a workflow and their steps.',
  options: [
    option('-o, --output-dir <folder>', 'folder for --save-json', { default: 'torc_output' }),
    option('--save-json', 'also write all of it to sacct_ID.json in that folder, for each allocation'),
  ],
  async run(context, [workflow], options) {
    const { output } = context;
    refuseWithoutSteps(context);
    const id = await chooseWorkflow(context, workflow);
    const { rows, jobIds, errors } = await accountingOf(context, id);
    const items = rows.map(reported);
    const failures = [
      ...errors,
      ...(options.saveJson === true ? await saveJson(context, jobIds, options.outputDir) : []),
    ];
    for (const error of failures) output.error(error);
    output.list({
      items,
      columns,
      things: 'job steps',
      title: `Slurm Accounting Summary for Workflow ${id}`,
      empty: jobIds.length === 0 ? noAllocations(id) : `The accounting has no rows of Slurm jobs ${jobIds.join(', ')}`,
      json: { workflow_id: id, total_slurm_jobs: jobIds.length, summary: items, errors: failures },
    });
    if (failures.length > 0) context.exitWith(1);
  },
});

/** Writes what the accounting has of each job; returns why some could not be written. */
async function saveJson(
  { environment, output }: Context,
  jobIds: readonly SlurmJob[],
  folder: string,
): Promise<readonly string[]> {
  makeFolder(folder);
  const errors: string[] = [];
  for (const jobId of jobIds)
    try {
      writeFileSync(join(folder, `sacct_${jobId}.json`), await accountingJson(askSlurm(environment), jobId));
    } catch (error) {
      errors.push((error as Error).message);
    }
  output.notice(`Full JSON saved to: ${folder}`);
  return errors;
}

const usage = command('slurm usage [workflow]', {
  says: 'Show the node time and CPU time that the allocations of a workflow used.',
  async run(context, [workflow]) {
    const { output } = context;
    output.recordOnly('usage');
    refuseWithoutSteps(context);
    const id = await chooseWorkflow(context, workflow);
    const { rows, jobIds, nodes, nodeSeconds, cpuSeconds, errors } = await accountingOf(context, id);
    const [nodeTime, cpuTime] = [spanText(nodeSeconds), spanText(cpuSeconds)];
    for (const error of errors) output.error(error);
    output.record(
      'usage',
      {
        workflow_id: id,
        total_slurm_jobs: jobIds.length,
        total_nodes: nodes,
        total_node_time: nodeTime,
        total_node_time_seconds: nodeSeconds,
        total_cpu_time: cpuTime,
        total_cpu_time_seconds: Math.floor(cpuSeconds),
        errors,
      },
      jobIds.length === 0
        ? noAllocations(id)
        : [
            `Workflow ${id}`,
            `Slurm allocations: ${jobIds.length}`,
            `Total nodes:     ${nodes}`,
            `Total node time: ${rows.length === 0 ? '–' : nodeTime}`,
            `Total CPU time:  ${rows.length === 0 ? '–' : cpuTime}`,
          ].join('\n'),
    );
    if (errors.length > 0) context.exitWith(1);
  },
});

interface StatsRow extends SlurmStats {
  readonly percent: number | undefined;
}

const statsColumns: readonly Column<StatsRow>[] = [
  { title: 'Job ID', value: (row) => row.job_id, align: 'right' },
  { title: 'Run', value: (row) => row.run_id, align: 'right' },
  { title: 'Attempt', value: (row) => row.attempt_id, align: 'right' },
  { title: 'Slurm Job', value: (row) => row.slurm_job_id, align: 'right' },
  { title: 'Max RSS', value: (row) => bytes(row.max_rss_bytes), align: 'right' },
  { title: 'Max VM', value: (row) => bytes(row.max_vm_size_bytes), align: 'right' },
  { title: 'Ave CPU (s)', value: (row) => row.ave_cpu_seconds, align: 'right' },
  { title: 'CPU %', value: (row) => row.percent?.toFixed(1), align: 'right' },
  { title: 'Nodes', value: (row) => row.node_list },
  { title: 'In Step', value: (row) => row.slurm_step, importance: 4 },
];

const bytes = (value: number | null | undefined) =>
  value === null || value === undefined ? undefined : sizeText(value);

const stats = command('slurm stats <workflow>', {
  says: 'List the accounting data of job steps that the runners of a workflow stored.',
  example: '1',
  options: [
    option('--job-id <job>', 'only of this job, by id or name'),
    option('--run-id <n>', 'only of this run', { read: integerOption(0) }),
    option('--attempt-id <n>', 'only of this attempt', { read: integerOption(1) }),
  ],
  async run(context, [workflow], options) {
    const { id, client } = await openWorkflow(context, workflow);
    const query = {
      workflow_id: id,
      job_id: await recordWithin(context, recordKinds.job, id, options.jobId),
      run_id: options.runId,
    };
    const attempt = options.attemptId;
    const items = await all((page) => client.listSlurmStats({ query: { ...query, attempt_id: attempt, ...page } }));
    const results =
      items.length === 0
        ? []
        : await all((page) => client.listResults({ query: { ...query, all_runs: true, ...page } }));
    const key = (row: { job_id: number; run_id: number; attempt_id?: number | null | undefined }) =>
      `${row.job_id}.${row.run_id}.${row.attempt_id ?? 1}`;
    const seconds = new Map(results.map((result) => [key(result), result.exec_time_minutes * 60]));
    const rows = items.map((row) => {
      const elapsed = seconds.get(key(row)) ?? 0;
      // Slurm has whole seconds, and 0 where nothing was measured.
      const cpu = row.ave_cpu_seconds || undefined;
      return { ...row, percent: elapsed > 0 && cpu !== undefined ? (100 * cpu) / elapsed : undefined };
    });
    context.output.list({
      items: rows,
      columns: statsColumns,
      things: 'rows',
      title: `Slurm statistics of workflow ${id}:`,
      empty: `No Slurm stats found for workflow ${id}`,
      json: { items },
    });
  },
});

export const slurmAccounting: readonly Command[] = [sacct, usage, stats];
