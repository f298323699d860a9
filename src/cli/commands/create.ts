import { withShortWords } from '../../core/quantity/short-words.ts';
import type { DryRunReport } from '../../core/workflow-file/read/dry-run.ts';
import { command } from '../command/command.ts';
import type { Context } from '../command/context.ts';
import { withSettings, workflowSettingOptions } from '../command/workflow-settings.ts';
import { option } from '../command/option.ts';

export const create = command('create <file>', {
  says: 'Create a workflow from a file (YAML, JSON, JSON5 or KDL), or from standard input with "-".',
  example: 'sweep.yaml --dry-run',
  kinds: { file: 'workflow file' },
  makesDatabase: true,
  options: [
    option('--dry-run', 'check the file and print its counts, without a server'),
    option('--no-resource-monitoring', 'do not monitor jobs if the file has no monitoring settings'),
    option('--skip-checks', 'create despite warnings about resources'),
    ...workflowSettingOptions,
    option('--strict', 'turn warnings into errors: ignored nodes and keys, and unknown names in commands'),
  ],
  async run(context, [file], options) {
    context.output.recordOnly('create');
    const { readSpecFile, acceptedPlan, createAndReport, specFileOf } = await import('../spec/read-spec.ts');
    const reading = readSpecFile(file, context, { strict: options.strict === true });
    if (options.dryRun === true) {
      const { dryRunReport } = await import('../../core/workflow-file/read/dry-run.ts');
      return sayReport(context, dryRunReport(reading));
    }
    const accepted = await acceptedPlan(context, reading, { skipChecks: options.skipChecks === true });
    const plan = withSettings(accepted, options);
    const id = await createAndReport(context, plan, {
      monitorsJobs: options.resourceMonitoring !== false,
      specFile: specFileOf(file),
    });
    context.output.record(
      'create',
      { workflow_id: id, status: 'success', message: `Workflow created successfully with ID: ${id}` },
      `Created workflow ${id}`,
    );
  },
});

/** Job names in the text of a report. */
const SHOWN_JOBS = 10;

async function sayReport({ output, exitWith }: Context, report: DryRunReport): Promise<void> {
  const { formatProblem } = await import('../../core/workflow-file/problems/problems.ts');
  const { fewAlike } = await import('../../core/workflow-file/problems/few-alike.ts');
  const { globLines, isError } = await import('../../core/workflow-file/read/dry-run.ts');
  const { summary, valid, problems } = report;
  const counts: readonly (readonly [string, number, number?])[] = [
    ['Jobs', summary.job_count, summary.job_count_before_expansion],
    ['Files', summary.file_count, summary.file_count_before_expansion],
    ['User data', summary.user_data_count],
    ['Resource requirements', summary.resource_requirements_count],
    ['Schedulers', summary.slurm_scheduler_count],
    ['Actions', summary.action_count],
  ];
  const lines = [
    'Workflow Validation Results',
    `  Workflow: ${withShortWords(summary.workflow_name)}`,
    ...(summary.workflow_description === null
      ? []
      : [`  Description: ${withShortWords(summary.workflow_description)}`]),
    ...counts.map(
      ([what, count, before]) =>
        `  ${what}: ${count}${before === undefined || before === count ? '' : ` (expanded from ${before})`}`,
    ),
    ...globLines(summary.globs ?? []).map((line) => `  ${line}`),
    ...(summary.job_count > 0 && summary.job_count <= SHOWN_JOBS
      ? [`  Job names: ${withShortWords(summary.job_names.join(', '))}`]
      : []),
    '',
    `Validation: ${valid ? 'PASSED' : 'FAILED'}`,
  ];
  // Before the counts, so that the verdict is the last line.
  if (output.format !== 'json') {
    const errors = problems.filter(isError);
    if (errors.length > 0) {
      const shown = fewAlike(errors).map((problem) => `  ${formatProblem(problem)}`);
      output.detail([`Errors (${errors.length}):`, ...shown].join('\n'));
    }
    for (const problem of fewAlike(problems.filter((one) => !isError(one)))) output.warn(formatProblem(problem));
  }
  output.record('dry run', output.format === 'json' ? report : undefined, lines.join('\n'));
  if (!valid) exitWith(1);
}
