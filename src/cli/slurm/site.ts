import type { HpcProfile } from '../../hpc/profile.ts';
import { type SchedulerChoices, type SitePlan, sitePlanOf } from '../../operations/submit/site-plan.ts';
import type { Context } from '../command/context.ts';
import { Failure } from '../command/failure.ts';
import { hpcSettings, profileFor } from './hpc-profile.ts';

/** The site that an option names, or that of this machine, and how new schedulers of a workflow are planned on it. */
export async function siteFor(
  context: Context,
  workflowId: number,
  choices: SchedulerChoices & { readonly profile?: string | undefined },
): Promise<{ readonly profile: HpcProfile; readonly plan: SitePlan }> {
  const { client } = await context.service();
  const profile = await profileFor(context, choices.profile);
  const plan = await sitePlanOf(client, workflowId, { profile, settings: hpcSettings(context) }, choices);
  if (plan === undefined)
    throw new Failure('No account specified and no existing schedulers found.\nName one with --account.');
  return { profile, plan };
}
