import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../../cluster/make-folder.ts';
import { all } from '../../../client/every.ts';
import { type Accounting, type AccountingRow, readAccounting } from '../../../cluster/slurm/accounting.ts';
import type { SlurmStats } from '../../../core/contract/allocation.ts';
import { sizeText } from '../../../core/quantity/size-text.ts';
import { formatWalltime } from '../../../core/quantity/slurm-time.ts';
import { chooseWorkflow } from '../../choose-workflow.ts';
import { type Command, command } from '../../command.ts';
import type { Context } from '../../context.ts';
import { integer } from '../../option.ts';
import type { Column } from '../../output/table.ts';

/** The Slurm jobs of a workflow, and what the accounting has of them. */
async function accountingOf(
  context: Context,
  id: number,
): Promise<Accounting & { jobIds: number[]; errors: string[] }> {
  const { client } = await context.service();
  const rows = await all((page) => client.listScheduledComputeNodes({ query: { workflow_id: id, ...page } }));
  const nodes = await all((page) => client.listComputeNodes({ query: { workflow_id: id, ...page } }));
  // Allocations that were submitted by hand have runners, but no record.
  const ofNodes = nodes.map(({ scheduler }) => Number((scheduler as { slurm_job_id?: unknown } | null)?.slurm_job_id));
  const ofRows = rows.filter(({ scheduler_type: type }) => type === 'slurm').map(({ scheduler_id: job }) => job);
  const jobIds = [...new Set([...ofRows, ...ofNodes])].filter((job) => job > 0).toSorted((a, b) => a - b);
  const none = { rows: [], nodes: 0, nodeSeconds: 0, cpuSeconds: 0 };
  if (jobIds.length === 0) return { ...none, jobIds, errors: [] };
  try {
    return { ...(await readAccounting(jobIds, context.environment)), jobIds, errors: [] };
  } catch (error) {
    return { ...none, jobIds, errors: [(error as Error).message] };
  }
}

const columns: readonly Column<AccountingRow>[] = [
  { title: 'Slurm Job', value: (row) => row.slurm_job_id, align: 'right' },
  { title: 'Job Step', value: (row) => row.job_step, cut: 'middle', importance: 8 },
  { title: 'State', value: (row) => row.state },
  { title: 'Exit Code', value: (row) => row.exit_code },
  { title: 'Elapsed', value: (row) => row.elapsed, align: 'right' },
  { title: 'Max RSS', value: (row) => row.max_rss, align: 'right' },
  { title: 'CPU Time', value: (row) => row.cpu_time, align: 'right' },
  { title: 'Nodes', value: (row) => row.nodes },
];

const sacct = command({
  words: 'slurm sacct [workflow]',
  says: 'Show what the accounting of Slurm has of the allocations of a workflow and their steps.',
  options: [
    { flags: '-o, --output-dir <folder>', says: 'folder for --save-json', default: 'torc_output' },
    { flags: '--save-json', says: 'also write it to sacct_wf<id>.json in that folder' },
  ],
  async run(context, [workflow], options) {
    const { output } = context;
    const id = await chooseWorkflow(context, workflow);
    const { rows, jobIds, errors } = await accountingOf(context, id);
    const json = { workflow_id: id, total_slurm_jobs: jobIds.length, summary: rows, errors };
    if (options.saveJson === true) {
      const folder = options.outputDir;
      makeFolder(folder);
      const path = join(folder, `sacct_wf${id}.json`);
      writeFileSync(path, `${JSON.stringify(json, undefined, 2)}\n`);
      output.notice(`Wrote ${path}`);
    }
    for (const error of errors) output.error(error);
    output.list({
      items: rows,
      columns,
      things: 'rows',
      title: `Accounting of workflow ${id}:`,
      empty:
        jobIds.length === 0
          ? `Workflow ${id} has no Slurm jobs`
          : `The accounting has no rows of Slurm jobs ${jobIds.join(', ')}`,
      json,
    });
    if (errors.length > 0) context.exitWith(1);
  },
});

const usage = command({
  words: 'slurm usage [workflow]',
  says: 'Show the node time and CPU time that the allocations of a workflow used.',
  async run(context, [workflow]) {
    const { output } = context;
    output.recordOnly('usage');
    const id = await chooseWorkflow(context, workflow);
    const { rows, jobIds, nodes, nodeSeconds, cpuSeconds, errors } = await accountingOf(context, id);
    const [nodeTime, cpuTime] = [formatWalltime(nodeSeconds), formatWalltime(cpuSeconds)];
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
        total_cpu_time_seconds: cpuSeconds,
        ...(errors.length === 0 ? {} : { errors }),
      },
      [
        `Slurm usage of workflow ${id}:`,
        `  Slurm jobs: ${jobIds.length}`,
        `  Nodes:      ${nodes}`,
        `  Node time:  ${rows.length === 0 ? '–' : nodeTime}`,
        `  CPU time:   ${rows.length === 0 ? '–' : cpuTime}`,
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

const stats = command({
  words: 'slurm stats <workflow>',
  says: 'List the accounting data of job steps that the runners of a workflow stored.',
  options: [
    { flags: '--job-id <id>', says: 'only of this job', read: integer('--job-id', 1) },
    { flags: '--run-id <n>', says: 'only of this run', read: integer('--run-id', 0) },
    { flags: '--attempt-id <n>', says: 'only of this attempt', read: integer('--attempt-id', 1) },
  ],
  async run(context, [workflow], options) {
    const id = await chooseWorkflow(context, workflow);
    const { client } = await context.service();
    const query = {
      workflow_id: id,
      job_id: options.jobId,
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
      // Slurm tells whole seconds, and 0 where nothing was measured.
      const cpu = row.ave_cpu_seconds || undefined;
      return { ...row, percent: elapsed > 0 && cpu !== undefined ? (100 * cpu) / elapsed : undefined };
    });
    context.output.list({
      items: rows,
      columns: statsColumns,
      things: 'rows',
      title: `Slurm statistics of workflow ${id}:`,
      empty: `No Slurm statistics found for workflow ID: ${id}`,
      json: { items },
    });
  },
});

export const slurmAccounting: readonly Command[] = [sacct, usage, stats];
