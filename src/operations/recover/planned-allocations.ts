import type { HpcProfile } from '../../hpc/profile.ts';
import type { Recovery } from '../../core/lifecycle/recover/recovery-plan.ts';
import { regenerate, type Regenerated } from '../submit/regenerate.ts';
import type { RecoverTools } from './tools.ts';

/** The allocations that a recovery would submit, and the profile by which they are planned; changes nothing. */
export async function plannedAllocations(
  tools: RecoverTools,
  workflowId: number,
  { plan, ends, adjustments, changed, isContinued }: Recovery,
): Promise<{ readonly planned: Regenerated; readonly profile: HpcProfile }> {
  const site = await tools.site();
  const retried = new Set(plan.retried.map(({ id }) => id));
  const follows = ends.filter(({ why }) => why === 'dependency').map(({ id }) => id);
  const requirements = new Map(adjustments.map(({ correction, after }) => [correction.requirementsId, after]));
  const planned = await regenerate(await tools.submitTools(), workflowId, {
    ...site.plan,
    submits: true,
    isDryRun: true,
    includedJobs: [...retried, ...(retried.size > 0 ? follows : []), ...changed.map(({ job_id: id }) => id)],
    ahead: isContinued ? undefined : { requirements },
    nowMs: Date.now(),
  });
  return { planned, profile: site.profile };
}
