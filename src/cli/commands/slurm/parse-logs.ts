import { counted } from '../../../core/quantity/count-text.ts';
import { chooseWorkflow } from '../../choose-workflow.ts';
import { command } from '../../command.ts';

/** Lines that are shown for one kind of error. */
const SHOWN = 5;

export const slurmParseLogs = command({
  words: 'slurm parse-logs <path>',
  says: 'Look for known errors in the output of allocations and of the jobs in them.',
  more: 'Each has its file, its line and a remedy. Exits with 0 whether or not there are errors.',
  options: [
    { flags: '-w, --workflow-id <workflow>', says: 'the workflow, by id or name' },
    { flags: '--errors-only', says: 'leave out warnings: canceled and preempted allocations' },
  ],
  async run(context, [path], options) {
    const { output } = context;
    output.recordOnly('parse-logs');
    const id = await chooseWorkflow(context, options.workflowId);
    const { client } = await context.service();
    const { all } = await import('../../../client/every.ts');
    const { slurmTaskOf } = await import('../../../core/contract/files/runner.ts');
    const { parseSlurmLogs } = await import('../../../operations/logs/parse-slurm.ts');
    const query = { workflow_id: id };
    const nodes = await all((page) => client.listComputeNodes({ query: { ...query, ...page } }));
    const results = await all((page) => client.listResults({ query: { ...query, ...page } }));
    const taskOf = new Map(nodes.map((node) => [node.id, slurmTaskOf(node.scheduler)?.jobId]));
    const allocation = new Map(results.map((result) => [result.job_id, taskOf.get(result.compute_node_id)]));
    const found = await parseSlurmLogs({
      workflowId: id,
      outputDir: path,
      errorsOnly: options.errorsOnly === true,
      allocationOf: (jobId) => allocation.get(jobId),
    });
    const { issues, total, errors } = found;
    const kinds = Map.groupBy(issues, ({ pattern_description: label }) => label);
    const none = `No output of allocations of workflow ${id} in ${path} (slurm_output_wf${id}_sl*.o)`;
    output.record(
      'parse-logs',
      {
        workflow_id: id,
        output_dir: path,
        ...(found.slurmJobs === 0
          ? { message: none }
          : { slurm_jobs_count: found.slurmJobs, files_scanned: found.files }),
        total_issues: total,
        errors,
        warnings: total - errors,
        issues,
      },
      found.slurmJobs === 0
        ? none
        : [
            `Slurm logs of workflow ${id}: ${counted(found.files, 'file')} of ${counted(found.slurmJobs, 'allocation')}, ` +
              `${counted(errors, 'error')}, ${counted(total - errors, 'warning')}`,
            ...[...kinds].flatMap(([label, list]) => [
              `${label} (${list.length}): ${list[0]?.remedy ?? ''}`,
              ...list
                .slice(0, SHOWN)
                .map(({ file, line_number: line, line: text }) => `  ${file}:${line}: ${text.slice(0, 120)}`),
              ...(list.length > SHOWN ? [`  and ${list.length - SHOWN} more`] : []),
            ]),
          ].join('\n'),
    );
  },
});
