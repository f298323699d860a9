import type { Client } from '../../client/client.ts';
import { all } from '../../client/every.ts';
import { requestOn } from '../../cluster/open-batch.ts';
import type { Grouping } from '../../hpc/grouping.ts';
import type { HpcProfile } from '../../hpc/profile.ts';
import { parseWalltime } from '../../core/quantity/slurm-time.ts';
import { accountFor, type HpcSettings, knownProfiles } from './profiles.ts';
import type { RegenerateOptions } from './regenerate.ts';

/** What a user may choose for new schedulers. */
export interface SchedulerChoices {
  readonly account?: string | undefined;
  readonly groupBy: Grouping;
  readonly walltimeStrategy: 'max-job-runtime' | 'max-partition-time';
  readonly walltimeMultiplier: number;
  readonly singleAllocation?: boolean | undefined;
  readonly partition?: string | undefined;
  readonly walltime?: string | undefined;
}

/** The choices of a recovery, which groups jobs as `slurm regenerate` does by default. */
export const USUAL_CHOICES: SchedulerChoices = {
  groupBy: 'packed',
  walltimeStrategy: 'max-job-runtime',
  walltimeMultiplier: 1.5,
};

/** The profile of the site, and what the configuration says of sites. */
export interface Site {
  readonly profile: HpcProfile;
  readonly settings: HpcSettings;
}

export type SitePlan = Omit<RegenerateOptions, 'submits' | 'isDryRun' | 'includedJobs' | 'nowMs'>;

/** How new schedulers of a workflow are planned on a site; undefined if nothing names an account. */
export async function sitePlanOf(
  client: Client,
  workflowId: number,
  { profile, settings }: Site,
  choices: SchedulerChoices,
): Promise<SitePlan | undefined> {
  const account = choices.account ?? (await accountOf(client, workflowId, { profile, settings }));
  if (account === undefined) return undefined;
  const walltimeSeconds = choices.walltime === undefined ? undefined : parseWalltime(choices.walltime);
  // An account that is given must not hide that there is no such workflow.
  await client.getWorkflow({ params: { id: workflowId } });
  return {
    partitions: profile.partitions,
    system: profile.system,
    account,
    isAccountForced: choices.account !== undefined,
    groupBy: choices.groupBy,
    walltimeStrategy: choices.walltimeStrategy,
    walltimeMultiplier: choices.walltimeMultiplier,
    isSingleAllocation: choices.singleAllocation === true,
    forcedPartition: choices.partition,
    namesPartitions: !knownProfiles(settings).some(({ name }) => name === profile.name),
    walltimeSeconds,
    inWordsOfSite: (planned) => requestOn(profile, planned),
  };
}

/** The account of the first scheduler of the workflow, of its defaults, or of the configuration. */
async function accountOf(client: Client, workflowId: number, { profile, settings }: Site): Promise<string | undefined> {
  const schedulers = await all((page) => client.listSlurmSchedulers({ query: { workflow_id: workflowId, ...page } }));
  const first = schedulers.toSorted((a, b) => a.id - b.id)[0]?.account;
  if (first !== undefined) return first;
  const { slurm_defaults: defaults } = await client.getWorkflow({ params: { id: workflowId } });
  const given = defaults?.['account'];
  return typeof given === 'string' ? given : accountFor(profile, settings);
}
