import { openBatch } from '../../../cluster/open-batch.ts';
import { actionEntries, schedulersPresent, specWithSchedulers } from '../../../hpc/spec-with-schedulers.ts';
import { batchWords } from '../../../core/allocation/batch-words.ts';
import { formatOfName } from '../../../core/workflow-file/text/read-text.ts';
import { writeText, type WrittenFormat } from '../../../core/workflow-file/text/write-text.ts';
import { testAllocation } from '../../../operations/submit/test-submission.ts';
import { command } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { Failure } from '../../command/failure.ts';
import { option } from '../../command/option.ts';
import { nodeHoursJson, nodeHoursLine } from './node-hours.ts';
import { testedWords } from '../../slurm/tested.ts';
import { isDirectPlan, placeLine, type Planned, planFile, schedulerLine, sizeLine } from '../../slurm/plan-file.ts';
import { planningOptions } from '../../slurm/planning-options.ts';

export const slurmGenerate = command('slurm generate <file>', {
  says: 'Add Slurm schedulers and the actions that submit them to a workflow file, for the partitions of an HPC system.',
  example: 'sweep.yaml --account climate',
  more: 'The new file goes to standard output or to --output, a summary to standard error. Comments of the file are lost.',
  options: [
    ...planningOptions,
    option('-p, --partition <name>', 'use this partition only'),
    option('-o, --output <file>', 'file to write; its extension is the format (default: that of the input)'),
    option('--single-allocation', 'one allocation of several nodes instead of several of one node'),
    option('--no-actions', 'add schedulers only'),
    option('--overwrite', 'replace the schedulers and the actions schedule_nodes of the file'),
    option('--dry-run', 'only show the schedulers'),
  ],
  offline: true,
  async run(context, [given], options) {
    const { output } = context;
    const path = given;
    const target = options.output;
    const format = target === undefined && output.format === 'json' ? 'json' : formatFor(path, target);
    const planned = await planFile(context, path, options, { forcedPartition: options.partition });
    const { spec, plan, schedulers: found } = planned;
    const present = schedulersPresent(spec);
    if (present !== undefined && options.overwrite !== true) throw new Failure(presentText(present));
    if (found.schedulers.length === 0) throw new Failure(noneText(found.warnings));
    const withActions = options.actions !== false;
    const isDirect = isDirectPlan(plan);
    for (const warning of [...found.warnings, ...(await refusals(context, planned))]) output.warn(warning);
    if (options.dryRun === true) return sayDryRun(context, planned, withActions ? isDirect : undefined);
    const next = specWithSchedulers(spec, {
      schedulers: found.schedulers,
      requestOf: planned.requestOf,
      withActions,
      isDirect,
    });
    const text = writeText(next, format);
    const counts = countLines(planned, withActions);
    if (target === undefined) {
      output.text(text.trimEnd());
      output.notice(counts.map((line) => `// ${line}`).join('\n'));
    } else {
      const { writeTextFile } = await import('../../../operations/whole-file.ts');
      await writeTextFile(target, text);
      if (output.format !== 'json') output.text([`Generated workflow written to: ${target}`, '', ...counts].join('\n'));
    }
    output.notice(summaryText(planned, withActions, target));
  },
});

/** What Slurm would not start of the plan. */
async function refusals({ environment }: Context, { plan, schedulers, isLive, requestOf }: Planned): Promise<string[]> {
  if (!isLive) return [];
  const batch = openBatch(environment);
  const defaults = plan.workflow.slurm_defaults ?? {};
  const found: string[] = [];
  for (const each of schedulers.schedulers) {
    const words = testedWords(batch, each, await testAllocation(batch, { scheduler: requestOf(each), defaults }));
    if (words !== undefined) found.push(words);
  }
  return found;
}

function formatFor(path: string, target: string | undefined): WrittenFormat {
  const format = formatOfName(target ?? path) ?? (target === undefined ? 'json' : (formatOfName(path) ?? 'json'));
  if (format !== 'kdl') return format;
  if (target === undefined) return 'json';
  throw new Failure(`${target}: KDL cannot be written; use a name that ends in .yaml or .json`);
}

const presentText = (what: string) =>
  [
    `Workflow spec already has ${what} defined.`,
    '  - Use --overwrite to replace the schedulers and the actions schedule_nodes.',
    '  - Or submit the file as it is: torc submit FILE',
    '  - Or remove them from the file, and generate again.',
  ].join('\n');

/** Reasons that are shown. */
const MOST_REASONS = 5;

function noneText(reasons: readonly string[]): string {
  const shown = reasons.slice(0, MOST_REASONS).map((reason) => `  - ${reason}`);
  const more = reasons.length > MOST_REASONS ? [`  ... and ${reasons.length - MOST_REASONS} more issues`] : [];
  return ['No schedulers could be generated.', 'Reasons:', ...shown, ...more].join('\n');
}

/** The lines of Torc 1.0.0. */
const countLines = ({ profile, schedulers }: Planned, withActions: boolean): string[] => [
  'Summary:',
  `  Schedulers generated: ${schedulers.schedulers.length}`,
  `  Actions added: ${withActions ? schedulers.schedulers.length : 0}`,
  `  Profile used: ${profile.display_name} (${profile.name})`,
];

const summaryText = (
  { profile, schedulers, groupBy }: Planned,
  withActions: boolean,
  target: string | undefined,
): string =>
  [
    `${batchWords(profile.system).name} schedulers for ${profile.display_name}${target === undefined ? '' : `, written to ${target}`}:`,
    ...schedulers.schedulers.map((each) => schedulerLine(each, profile)),
    nodeHoursLine(schedulers, groupBy),
    withActions
      ? `Submit the workflow: torc submit ${target ?? 'FILE'}`
      : 'Without actions: submit allocations with torc slurm schedule-nodes',
  ].join('\n');

function sayDryRun(
  { output }: Context,
  { profile, schedulers, groupBy, requestOf }: Planned,
  perNode: boolean | undefined,
): void {
  const list = schedulers.schedulers;
  const actions = perNode === undefined ? [] : actionEntries(list, requestOf, perNode);
  output.record(
    'generate',
    {
      dry_run: true,
      scheduler_count: list.length,
      action_count: actions.length,
      profile_name: profile.name,
      profile_display_name: profile.display_name,
      slurm_schedulers: list.map(({ name, account, mem, nodes, walltime, partition, gres, qos }) => ({
        name,
        account,
        mem,
        nodes,
        walltime,
        partition,
        gres,
        qos,
      })),
      actions,
      warnings: schedulers.warnings,
      node_hours: nodeHoursJson(schedulers),
    },
    [
      `[DRY RUN] Would generate the following ${batchWords(profile.system).name} schedulers:`,
      '',
      ...list.flatMap((each) => [
        `  Scheduler: ${each.name} (${each.account === '' ? '' : `account: ${each.account}, `}${batchWords(profile.system).place}: ${each.partition ?? '<default>'}, walltime: ${each.walltime}, nodes: ${each.nodes})`,
        `    ${sizeLine(each)}, ${placeLine(each, profile)}`,
      ]),
      '',
      ...(actions.length === 0 ? [] : [`[DRY RUN] Would add ${actions.length} workflow action(s)`, '']),
      nodeHoursLine(schedulers, groupBy),
      `Profile: ${profile.display_name} (${profile.name})`,
    ].join('\n'),
  );
}
