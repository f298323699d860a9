import { openBatch } from '../../../cluster/open-batch.ts';
import type { PlannedScheduler } from '../../../hpc/plan-schedulers.ts';
import type { Grouping } from '../../../hpc/grouping.ts';
import type { HpcProfile } from '../../../hpc/profile.ts';
import { actionEntries, schedulersPresent, specWithSchedulers } from '../../../hpc/spec-with-schedulers.ts';
import { counted } from '../../../core/quantity/count-text.ts';
import type { Plan } from '../../../core/workflow-file/plan/plan.ts';
import { formatOfName, readText } from '../../../core/workflow-file/text/read-text.ts';
import type { ValueMap } from '../../../core/workflow-file/text/value.ts';
import { writeText, type WrittenFormat } from '../../../core/workflow-file/text/write-text.ts';
import { type GeneratedSchedulers, generateSchedulers } from '../../../operations/submit/generate.ts';
import { accountFor, knownProfiles } from '../../../operations/submit/profiles.ts';
import { testAllocation } from '../../../operations/submit/test-submission.ts';
import { command } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { Failure } from '../../command/failure.ts';
import { hpcSettings, profileFor } from '../../slurm/hpc-profile.ts';
import { option, type ValuesOf } from '../../command/option.ts';
import { acceptedPlan, readAndReport, specText } from '../../spec/read-spec.ts';
import { nodeHoursJson, nodeHoursLine } from './node-hours.ts';
import { testedWords } from '../../slurm/tested.ts';
import { planningOptions } from './planning-options.ts';

/** The values of these options, and of `--single-allocation` where a command has it. */
type PlanningValues = ValuesOf<typeof planningOptions> & { readonly singleAllocation?: boolean | undefined };

export interface Planned {
  readonly spec: ValueMap;
  readonly plan: Plan;
  readonly profile: HpcProfile;
  readonly account: string;
  readonly schedulers: GeneratedSchedulers;
  readonly groupBy: Grouping;
  /** The profile is that of the cluster here. */
  readonly isLive: boolean;
}

/** Reads a workflow file and plans its allocations on a site. */
export async function planFile(
  context: Context,
  path: string,
  options: PlanningValues,
  { forcedPartition }: { forcedPartition?: string | undefined } = {},
): Promise<Planned> {
  const source = { text: specText(path), name: path };
  const reading = readAndReport(source, context, { strict: false });
  const plan = await acceptedPlan(context, reading, { skipChecks: true });
  const spec = readText(source, () => {})?.value as ValueMap;
  if (plan.resourceRequirements.length === 0)
    throw new Failure('Workflow has no resource_requirements defined. Cannot generate schedulers.');
  const profile = await profileFor(context, options.profile);
  const defaults = plan.workflow.slurm_defaults?.['account'];
  const account =
    options.account ??
    (typeof defaults === 'string' ? defaults : undefined) ??
    accountFor(profile, hpcSettings(context));
  if (account === undefined)
    throw new Failure("No account specified. Use --account or set 'account' in slurm_defaults.");
  const isLive = !knownProfiles(hpcSettings(context)).some(({ name }) => name === profile.name);
  const schedulers = generateSchedulers(plan, {
    partitions: profile.partitions,
    account,
    groupBy: options.groupBy,
    walltimeStrategy: options.walltimeStrategy,
    walltimeMultiplier: options.walltimeMultiplier,
    isSingleAllocation: options.singleAllocation === true,
    forcedPartition,
    namesPartitions: isLive,
  });
  return { spec, plan, profile, account, schedulers, groupBy: options.groupBy, isLive };
}

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
    // What direct mode starts runs on the node of its runner, so each node needs one.
    const isDirect = (plan.executionConfig()?.mode ?? 'direct') === 'direct';
    for (const warning of [...found.warnings, ...(await refusals(context, planned))]) output.warn(warning);
    if (options.dryRun === true) return sayDryRun(context, planned, withActions ? isDirect : undefined);
    const next = specWithSchedulers(spec, { schedulers: found.schedulers, withActions, isDirect });
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
async function refusals({ environment }: Context, { plan, schedulers, isLive }: Planned): Promise<string[]> {
  if (!isLive) return [];
  const batch = openBatch(environment);
  const defaults = plan.workflow.slurm_defaults ?? {};
  const found: string[] = [];
  for (const each of schedulers.schedulers) {
    const words = testedWords(each, await testAllocation(batch, { scheduler: each, defaults }));
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

const sizeLine = (each: PlannedScheduler): string =>
  `${counted(each.allocations, 'allocation')} of ${counted(each.nodes, 'node')} for ${counted(each.group.jobs.length, 'job')}`;
const placeLine = ({ on, partition, notDefault: why }: PlannedScheduler): string =>
  `partition ${on.name}${partition === undefined ? ' (chosen by the site)' : why === undefined ? '' : ` (${why})`}`;
export const schedulerLine = (each: PlannedScheduler): string =>
  `  ${each.name}: ${sizeLine(each)}, walltime ${each.walltime}, ${placeLine(each)}`;

const summaryText = (
  { profile, schedulers, groupBy }: Planned,
  withActions: boolean,
  target: string | undefined,
): string =>
  [
    `Slurm schedulers for ${profile.display_name}${target === undefined ? '' : `, written to ${target}`}:`,
    ...schedulers.schedulers.map(schedulerLine),
    nodeHoursLine(schedulers, groupBy),
    withActions
      ? `Submit the workflow: torc submit ${target ?? 'FILE'}`
      : 'Without actions: submit allocations with torc slurm schedule-nodes',
  ].join('\n');

function sayDryRun({ output }: Context, { profile, schedulers, groupBy }: Planned, perNode: boolean | undefined): void {
  const list = schedulers.schedulers;
  const actions = perNode === undefined ? [] : actionEntries(list, perNode);
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
      '[DRY RUN] Would generate the following Slurm schedulers:',
      '',
      ...list.flatMap((each) => [
        `  Scheduler: ${each.name} (account: ${each.account}, partition: ${each.partition ?? '<default>'}, walltime: ${each.walltime}, nodes: ${each.nodes})`,
        `    ${sizeLine(each)}, ${placeLine(each)}`,
      ]),
      '',
      ...(actions.length === 0 ? [] : [`[DRY RUN] Would add ${actions.length} workflow action(s)`, '']),
      nodeHoursLine(schedulers, groupBy),
      `Profile: ${profile.display_name} (${profile.name})`,
    ].join('\n'),
  );
}
