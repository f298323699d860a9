import { counted } from '../../core/quantity/count-text.ts';
import { chooseWorkflow } from '../choose-workflow.ts';
import { type Command, command } from '../command.ts';
import { integer } from '../option.ts';

const logsBundle = command({
  words: 'logs bundle [workflow]',
  says: 'Pack the logs of a workflow into one file: wfID.tar.gz.',
  options: [
    { flags: '-o, --output-dir <folder>', says: 'output folder of the runners', default: 'torc_output' },
    { flags: '--bundle-dir <folder>', says: 'where the bundle goes', default: '.' },
  ],
  async run(context, [given], options) {
    const { output } = context;
    output.recordOnly('bundle');
    const id = await chooseWorkflow(context, given);
    const { client } = await context.service();
    const { name, user } = await client.getWorkflow({ params: { id } });
    const { bundleLogs } = await import('../../operations/logs/bundle.ts');
    const { outputDir, bundleDir } = options;
    const bundle = await bundleLogs({ workflow: { id, name, user }, outputDir, bundleDir, nowMs: Date.now() });
    const { sizeText } = await import('../../core/quantity/size-text.ts');
    output.record(
      'bundle',
      { workflow_id: id, bundle: bundle.path, files: bundle.files, bytes: bundle.bytes },
      `Bundled ${counted(bundle.files, 'file')} of workflow ${id}: ${bundle.path} (${sizeText(bundle.bytes)})`,
    );
  },
});

/** Errors that are shown for one kind. */
const SHOWN = 10;

const logsAnalyze = command({
  words: 'logs analyze <path>',
  says: 'Look for failures in logs: an output folder, or a bundle of torc logs bundle.',
  more: 'Exits with 0 whether or not there are failures.',
  options: [
    {
      flags: '-w, --workflow-id <id>',
      says: 'the workflow; needed if there are logs of several',
      read: integer('--workflow-id', 1),
    },
  ],
  offline: true,
  async run({ output }, [path], options) {
    output.recordOnly('analyze');
    const { analyzeLogs } = await import('../../operations/logs/analyze.ts');
    const { workflowId, bundle, files, findings, errors, warnings } = await analyzeLogs(path, options.workflowId);
    const kinds = Map.groupBy(findings, ({ label }) => label);
    const head =
      bundle === undefined
        ? []
        : [
            'Bundle Information:',
            `  Workflow ID: ${bundle.workflow_id}`,
            `  Workflow Name: ${bundle.workflow_name}`,
            `  Collected At: ${bundle.collected_at}`,
            '',
          ];
    const issues = [...kinds].flatMap(([label, list]) => [
      `  ${label} (${list.length}): ${list[0]?.remedy ?? ''}`,
      ...list.slice(0, SHOWN).map(({ file, line, text }) => `    ${file}:${line}: ${text}`),
      ...(list.length > SHOWN ? [`    and ${list.length - SHOWN} more`] : []),
    ]);
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
      [
        ...head,
        `Workflow ID: ${workflowId}`,
        `Files parsed: ${files}`,
        errors + warnings === 0
          ? 'No errors detected in log files.'
          : `Detected Issues: ${counted(errors, 'error')}, ${counted(warnings, 'warning')}`,
        ...issues,
      ].join('\n'),
    );
  },
});

export const logsCommands: readonly Command[] = [logsBundle, logsAnalyze];
