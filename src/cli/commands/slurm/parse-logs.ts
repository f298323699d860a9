import type { ParsedLogs } from '../../../operations/logs/parse-slurm.ts';
import { openWorkflow } from '../../choose/choose-workflow.ts';
import { command } from '../../command/command.ts';
import { option } from '../../command/option.ts';

/** Jobs that are named for one allocation. */
const NAMED = 100;

export const slurmParseLogs = command('slurm parse-logs <path>', {
  says: 'Look for known errors in the output of allocations and of the jobs in them.',
  more: 'Each has its file, its line and a remedy. Exits with 0 whether or not there are errors.',
  options: [
    option('-w, --workflow-id <workflow>', 'the workflow, by id or name'),
    option('--errors-only', 'leave out warnings: canceled and preempted allocations'),
  ],
  async run(context, [path], options) {
    const { output } = context;
    output.recordOnly('parse-logs');
    const { id, client } = await openWorkflow(context, options.workflowId);
    const { all } = await import('../../../client/every.ts');
    const { slurmTaskOf } = await import('../../../core/contract/files/runner.ts');
    const { parseSlurmLogs } = await import('../../../operations/logs/parse-slurm.ts');
    const query = { workflow_id: id };
    const rows = await all((page) => client.listScheduledComputeNodes({ query: { ...query, ...page } }));
    const nodes = await all((page) => client.listComputeNodes({ query: { ...query, ...page } }));
    const results = await all((page) => client.listResults({ query: { ...query, ...page } }));
    const taskOf = new Map(nodes.map((node) => [node.id, slurmTaskOf(node.scheduler)?.jobId]));
    const ran = results.map((result) => ({ ...result, allocation: taskOf.get(result.compute_node_id) }));
    const allocation = new Map(ran.map((each) => [each.job_id, each.allocation]));
    const jobs = Map.groupBy(ran, (each) => each.allocation ?? '');
    const submitted = rows.filter(({ scheduler_type: type }) => type === 'slurm').map(({ scheduler_id: job }) => job);
    const found = await parseSlurmLogs({
      workflowId: id,
      outputDir: path,
      errorsOnly: options.errorsOnly === true,
      allocationOf: (jobId) => allocation.get(jobId),
    });
    const known = new Set([...submitted.map(String), ...found.slurmJobs]).size;
    const issues = found.issues.map((issue) => {
      const names = new Map(
        jobs.get(issue.slurm_job_id.split('.')[0] as string)?.map((job) => [job.job_id, job.job_name]),
      );
      const affected = [...names].slice(0, NAMED).map(([job, name]) => ({ job_id: job, job_name: name ?? '' }));
      return { ...issue, ...(affected.length === 0 ? {} : { affected_jobs: affected }) };
    });
    const counts = { total_issues: found.total, errors: found.errors, warnings: found.total - found.errors };
    const none = 'No Slurm scheduled compute nodes found for';
    output.record(
      'parse-logs',
      {
        workflow_id: id,
        output_dir: path,
        ...(known === 0
          ? { message: `${none} this workflow` }
          : { slurm_jobs_count: known, files_scanned: found.files }),
        ...counts,
        issues,
      },
      known === 0
        ? `${none} workflow ${id}`
        : found.total === 0
          ? `No issues found in Slurm log files for workflow ${id} (scanned ${found.files} file(s) in ${path})`
          : issueLines(issues, counts).join('\n'),
    );
  },
});

type Issue = ParsedLogs['issues'][number] & {
  readonly affected_jobs?: readonly { readonly job_id: number; readonly job_name: string }[];
};

/** The lines of Torc 1.0.0, and behind them a remedy for each kind. */
function issueLines(
  issues: readonly Issue[],
  { total_issues: total, errors, warnings }: { total_issues: number; errors: number; warnings: number },
): string[] {
  const allocations = [...Map.groupBy(issues, ({ slurm_job_id: job }) => job)].flatMap(([job, list]) => {
    const affected = list[0]?.affected_jobs ?? [];
    return [
      `=== Slurm Job ${job} ===`,
      ...(affected.length === 0
        ? []
        : [`  Affected Torc jobs: ${affected.map((each) => `${each.job_name} (ID: ${each.job_id})`).join(', ')}`]),
      ...list.flatMap(({ severity, pattern_description: label, node, line, file, line_number: number }) => [
        `  [${severity === 'error' ? 'ERROR' : 'WARN'}] ${label}${node === null ? '' : ` (node: ${node})`}: ${line.slice(0, LONGEST)}`,
        `    Location: ${file}:${number}`,
      ]),
      '',
    ];
  });
  const remedies = new Map(issues.map(({ pattern_description: label, remedy }) => [label, remedy]));
  return [
    `Found ${total} issue(s) in Slurm log files:`,
    '',
    ...allocations,
    ...(issues.length < total ? [`and ${total - issues.length} more`, ''] : []),
    `Summary: ${errors} error(s), ${warnings} warning(s)`,
    ...[...remedies].map(([label, remedy]) => `  ${label}: ${remedy}`),
  ];
}

/** A longer line is cut: a progress bar may be a line of a gigabyte. */
const LONGEST = 500;
