import { requestOn } from '../../cluster/open-batch.ts';
import { counted } from '../../core/quantity/count-text.ts';
import { batchWords } from '../../core/allocation/batch-words.ts';
import type { Plan } from '../../core/workflow-file/plan/plan.ts';
import { readText, type Source } from '../../core/workflow-file/text/read-text.ts';
import type { ValueMap } from '../../core/workflow-file/text/value.ts';
import type { Grouping } from '../../hpc/grouping.ts';
import type { PlannedScheduler } from '../../hpc/plan-schedulers.ts';
import type { HpcProfile } from '../../hpc/profile.ts';
import { type RequestOf, specWithSchedulers } from '../../hpc/spec-with-schedulers.ts';
import { type GeneratedSchedulers, generateSchedulers } from '../../operations/submit/generate.ts';
import { accountFor, detectedProfile, knownProfiles, liveWords } from '../../operations/submit/profiles.ts';
import { USUAL_CHOICES } from '../../operations/submit/site-plan.ts';
import type { Context } from '../command/context.ts';
import { Failure } from '../command/failure.ts';
import type { ValuesOf } from '../command/option.ts';
import { acceptedPlan, readAndReport, specText } from '../spec/read-spec.ts';
import { hpcSettings, profileFor } from './hpc-profile.ts';
import type { planningOptions } from './planning-options.ts';

/** The values of these options, and of `--single-allocation` where a command has it. */
type PlanningValues = ValuesOf<typeof planningOptions> & { readonly singleAllocation?: boolean | undefined };

export interface Planned {
  readonly spec: ValueMap;
  readonly plan: Plan;
  readonly profile: HpcProfile;
  readonly account: string;
  readonly schedulers: GeneratedSchedulers;
  readonly groupBy: Grouping;
  /** A planned scheduler in the words of the batch system of the site. */
  readonly requestOf: RequestOf;
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
  if (plan.resourceRequirements.length === 0)
    throw new Failure('Workflow has no resource_requirements defined. Cannot generate schedulers.');
  const profile = await profileFor(context, options.profile);
  return plannedOn(context, { source, plan, profile }, options, forcedPartition);
}

interface Accepted {
  readonly source: Source;
  readonly plan: Plan;
}

function plannedOn(
  context: Context,
  { source, plan, profile }: Accepted & { readonly profile: HpcProfile },
  options: PlanningValues,
  forcedPartition?: string,
): Planned {
  const spec = readText(source, () => {})?.value as ValueMap;
  const settings = hpcSettings(context);
  const account = accountOf(context, { plan, profile }, options.account);
  if (account === undefined)
    throw new Failure("No account specified. Use --account or set 'account' in slurm_defaults.");
  const isLive = !knownProfiles(settings).some(({ name }) => name === profile.name);
  const schedulers = generateSchedulers(plan, {
    partitions: profile.partitions,
    system: profile.system,
    account,
    groupBy: options.groupBy,
    walltimeStrategy: options.walltimeStrategy,
    walltimeMultiplier: options.walltimeMultiplier,
    isSingleAllocation: options.singleAllocation === true,
    forcedPartition,
    namesPartitions: isLive,
  });
  const requestOf = (planned: PlannedScheduler) => requestOn(profile, planned);
  return { spec, plan, profile, account, schedulers, groupBy: options.groupBy, requestOf, isLive };
}

/** The account of the allocations; undefined where nothing names one, and the batch system wants one. */
function accountOf(
  context: Context,
  { plan, profile }: Pick<Planned, 'plan' | 'profile'>,
  given: string | undefined,
): string | undefined {
  const ofFile = plan.workflow.slurm_defaults?.['account'];
  return given ?? (typeof ofFile === 'string' ? ofFile : undefined) ?? accountFor(profile, hpcSettings(context));
}

/** A file and its plan, with schedulers for the cluster here where the file says nothing of allocations. */
export async function withAllocations(
  context: Context,
  accepted: Accepted,
  { account }: { readonly account: string | undefined },
): Promise<{ readonly spec: ValueMap; readonly lines: readonly string[] } | undefined> {
  const { plan } = accepted;
  const saysSo =
    plan.slurmSchedulers.length > 0 || plan.actions.some(({ spec }) => spec.action_type === 'schedule_nodes');
  if (saysSo || plan.resourceRequirements.length === 0) return undefined;
  const found = await detectedProfile(hpcSettings(context), context.environment);
  if (found === undefined || accountOf(context, { plan, profile: found.profile }, account) === undefined)
    return undefined;
  if (found.isLive) context.output.notice(liveWords(found));
  const { profile } = found;
  const planned = plannedOn(context, { ...accepted, profile }, { ...USUAL_CHOICES, account, profile: undefined });
  const { schedulers, spec, requestOf } = planned;
  if (schedulers.schedulers.length === 0)
    throw new Failure(
      ['Nothing was created: no allocation could be planned for the jobs of this file.', ...schedulers.warnings].join(
        '\n  ',
      ),
    );
  for (const warning of schedulers.warnings) context.output.warn(warning);
  return {
    spec: specWithSchedulers(spec, {
      schedulers: schedulers.schedulers,
      requestOf,
      withActions: true,
      isDirect: isDirectPlan(plan),
    }),
    lines: [
      `${batchWords(profile.system).name} allocations for ${profile.display_name}, as the file names none:`,
      ...schedulers.schedulers.map((each) => schedulerLine(each, profile)),
    ],
  };
}

/** What direct mode starts runs on the node of its runner, so each node needs one. */
export const isDirectPlan = (plan: Plan): boolean => (plan.executionConfig()?.mode ?? 'direct') === 'direct';

/** `1 allocation of 2 nodes for 8 jobs`. */
export const sizeLine = (each: PlannedScheduler): string =>
  `${counted(each.allocations, 'allocation')} of ${counted(each.nodes, 'node')} for ${counted(each.group.jobs.length, 'job')}`;

export const placeLine = (
  { on, partition, notDefault: why }: PlannedScheduler,
  { system }: Pick<HpcProfile, 'system'>,
): string =>
  `${batchWords(system).place} ${on.name}${partition === undefined ? ' (chosen by the site)' : why === undefined ? '' : ` (${why})`}`;

export const schedulerLine = (each: PlannedScheduler, profile: Pick<HpcProfile, 'system'>): string =>
  `  ${each.name}: ${sizeLine(each)}, walltime ${each.walltime}, ${placeLine(each, profile)}`;
