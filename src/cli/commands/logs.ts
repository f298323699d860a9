import { openWorkflow } from '../choose/choose-workflow.ts';
import { type Command, command } from '../command/command.ts';
import type { AnalyzedLogs } from '../../operations/logs/analyze.ts';
import { integerOption, option } from '../command/option.ts';

const logsBundle = command('logs bundle [workflow]', {
  says: 'Pack the logs of a workflow into one file: wfID.tar.gz.',
  options: [
    option('-o, --output-dir <folder>', 'output folder of the runners', { default: 'torc_output' }),
    option('--bundle-dir <folder>', 'where the bundle goes', { default: '.' }),
  ],
  async run(context, [given], options) {
    const { output } = context;
    output.recordOnly('bundle');
    const { id, client } = await openWorkflow(context, given);
    const workflow = { ...(await client.getWorkflow({ params: { id } })), id };
    const { bundleLogs } = await import('../../operations/logs/bundle.ts');
    const { outputDir, bundleDir } = options;
    const bundle = await bundleLogs({ workflow, outputDir, bundleDir, nowMs: Date.now() });
    output.record(
      'bundle',
      { workflow_id: id, bundle: bundle.path, files: bundle.files, bytes: bundle.bytes },
      [
        'Log bundle created successfully:',
        `  File: ${bundle.path}`,
        `  Files collected: ${bundle.files}`,
        `  Total size: ${bundle.bytes} bytes`,
      ].join('\n'),
    );
  },
});

const logsAnalyze = command('logs analyze <path>', {
  says: 'Look for failures in logs: an output folder, or a bundle of torc logs bundle.',
  more: 'Exits with 0 whether or not there are failures.',
  options: [
    option('-w, --workflow-id <id>', 'the workflow; needed if there are logs of several', {
      read: integerOption(1),
    }),
  ],
  offline: true,
  async run({ output }, [path], options) {
    output.recordOnly('analyze');
    const { analyzeLogs } = await import('../../operations/logs/analyze.ts');
    const { workflowId, bundle, files, findings, errors, warnings } = await analyzeLogs(path, options.workflowId);
    const head =
      bundle === undefined
        ? []
        : [
            'Bundle Information:',
            `  Workflow ID: ${bundle.workflow_id}`,
            `  Workflow Name: ${JSON.stringify(bundle.workflow_name)}`,
            `  Collected At: ${JSON.stringify(bundle.collected_at)}`,
            '',
          ];
    const found =
      errors + warnings === 0 ? ['No errors detected in log files.'] : issueLines(findings, errors, warnings);
    output.record(
      'analyze',
      {
        workflow_id: workflowId,
        ...(bundle === undefined ? {} : { bundle }),
        files_parsed: files,
        total_errors: errors,
        total_warnings: warnings,
        issues: findings,
      },
      [...head, `Workflow ID: ${workflowId}`, '', `Files parsed: ${files}`, '', ...found].join('\n'),
    );
  },
});

/** The lines of Torc 1.0.0, and a remedy for each kind. */
function issueLines(findings: AnalyzedLogs['findings'], errors: number, warnings: number): string[] {
  const kinds = [...Map.groupBy(findings, ({ label }) => label)].toSorted(
    ([one, some], [other, more]) => more.length - some.length || one.localeCompare(other),
  );
  return [
    'Detected Issues:',
    `  Errors: ${errors}`,
    `  Warnings: ${warnings}`,
    '',
    ...[...Map.groupBy(findings, ({ file }) => file)].flatMap(([file, list]) => [
      `${file}:`,
      ...list.map(({ line, label, text }) => `  [ERROR] Line ${line}: ${label} - ${text}`),
      '',
    ]),
    ...(findings.length < errors ? [`and ${errors - findings.length} more errors`, ''] : []),
    'Error Type Summary:',
    ...kinds.map(([label, list]) => `  ${label}: ${list.length} occurrence(s): ${list[0]?.remedy ?? ''}`),
  ];
}

export const logsCommands: readonly Command[] = [logsBundle, logsAnalyze];
