import { counted, someOf } from '../../../core/quantity/count-text.ts';
import { sizeText } from '../../../core/quantity/size-text.ts';
import { alikeOf } from '../../../core/text/alike.ts';
import type { CleanedFile, CleanKind, CleanPlan } from '../../../operations/clean.ts';
import { confirm, isPersonThere, openWorkflow } from '../../choose/choose-workflow.ts';
import { command } from '../../command/command.ts';
import { UsageError } from '../../command/failure.ts';
import { option } from '../../command/option.ts';
import type { Output } from '../../output/output.ts';
import { tableOf } from '../../output/table.ts';

const KINDS: readonly CleanKind[] = ['temporary', 'outputs', 'protected', 'logs'];

export const workflowsClean = command('workflows clean [workflow]', {
  says: 'Remove files that jobs of a workflow made: by kind, after showing them.',
  more:
    'Only what an attempt is recorded to have made is removed, and only if it is as the attempt left it. A later run names such outputs as ' +
    'removed by clean, and makes them again where that is wanted; removed temporary files are made again only where a job reads them.',
  example: '1 --temporary --dry-run',
  options: [
    option('--temporary', 'temporary files that are left, such as those of a run with --keep-temporary'),
    option('--outputs', 'other outputs, except protected ones'),
    option('--protected', 'outputs that are protected'),
    option('--logs', 'what jobs printed, in the output folder'),
    option('--outside', 'also files outside of the folder in which the workflow was created'),
    option('-y, --yes', 'do not ask; a script has to say it'),
    option('--dry-run', 'only show what would be removed'),
    option('-o, --output-dir <folder>', 'output folder of the runners', { setting: 'client.run.output_dir' }),
  ],
  async run(context, [given], options) {
    const { output } = context;
    output.recordOnly('clean');
    const kinds = new Set(KINDS.filter((kind) => options[kind] === true));
    if (kinds.size === 0)
      throw new UsageError('say what is removed: --temporary, --outputs, --protected, --logs, or several of them');
    const { client, id } = await openWorkflow(context, given);
    const { clean, planClean } = await import('../../../operations/clean.ts');
    const { outputDir } = options;
    const plan = await planClean(client, id, { kinds, outputDir, takesOutside: options.outside === true });
    const isDryRun = options.dryRun === true;
    const asks = !isDryRun && options.yes !== true && plan.files.length > 0;
    if (asks) output.notice(planText(plan, output.messageWidth));
    if (asks || isDryRun) sayKept(output, plan);
    if (asks && !isPersonThere(output))
      throw new UsageError('nothing was removed: --yes removes these files without a question');
    if (asks && !(await confirm({ output }, `Remove ${filesText(plan.files)}?`))) {
      output.notice('Nothing was removed.');
      return;
    }
    const { removed, failed } = isDryRun ? { removed: [], failed: [] } : await clean(client, plan);
    const shown = (isDryRun ? plan.files : removed).map(({ kind, path, bytes }) => ({ kind, path, bytes }));
    const { kept, outside } = plan;
    output.record(
      'clean',
      { workflow_id: id, dry_run: isDryRun, removed: shown, failed, kept, outside },
      isDryRun ? planText(plan, output.width) : `Removed ${filesText(removed)} of workflow ${id}`,
    );
    if (!isDryRun && !asks) sayKept(output, plan);
    for (const { path, reason } of failed) output.warn(`${path} could not be removed: ${reason}`);
    if (failed.length > 0) context.exitWith(1);
  },
});

const bytesOf = (files: readonly CleanedFile[]): number => files.reduce((sum, { bytes }) => sum + bytes, 0);
const filesText = (files: readonly CleanedFile[]): string =>
  files.length === 0 ? 'no file' : `${counted(files.length, 'file')}, ${sizeText(bytesOf(files))}`;

const MOST_SHOWN = 30;

function planText({ files, workflowId }: CleanPlan, width: number): string {
  if (files.length === 0) return 'Nothing to remove.';
  const families = alikeOf<CleanedFile>(
    files,
    ({ path }) => path,
    ({ kind }) => kind,
  );
  const more = families.length - MOST_SHOWN;
  const table = tableOf(
    [
      { title: 'Files', value: ({ items }) => items.length, align: 'right', importance: 7 },
      { title: 'Path', value: ({ name }) => name, cut: 'middle', importance: 9 },
      { title: 'Kind', value: ({ text }) => text, importance: 6 },
      { title: 'Size', value: ({ items }) => sizeText(bytesOf(items)), align: 'right', importance: 8 },
    ],
    families.slice(0, MOST_SHOWN),
    width,
  );
  return [
    `${filesText(files)} of workflow ${workflowId} would be removed:`,
    table.text,
    ...(more > 0 ? [`and ${counted(more, 'more line', 'more lines')}`] : []),
  ].join('\n');
}

function sayKept(output: Output, { kept, outside }: CleanPlan): void {
  if (kept.length > 0)
    output.notice(
      `${counted(kept.length, 'output stays', 'outputs stay')}: changed since a job made ${kept.length === 1 ? 'it' : 'them'}, or a folder that is not temporary: ${someOf(kept)}`,
    );
  if (outside.length > 0)
    output.notice(
      `${counted(outside.length, 'output is', 'outputs are')} outside of the folder of the workflow and ${outside.length === 1 ? 'stays' : 'stay'}: ${someOf(outside)}; --outside removes ${outside.length === 1 ? 'it' : 'them'}, too`,
    );
}
