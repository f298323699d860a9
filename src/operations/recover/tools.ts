import type { HpcProfile } from '../../hpc/profile.ts';
import type { RecoveryFactors } from '../../core/lifecycle/recover/recovery-plan.ts';
import type { InitializeNews } from '../run/initialize.ts';
import type { CorrectTools } from '../orphans/correct-records.ts';
import type { SitePlan } from '../submit/site-plan.ts';
import type { SubmitTools } from '../submit/submit-tools.ts';

/** What a recovery uses beside the service. */
export interface RecoverTools extends CorrectTools {
  /** The URL of the service, for the hook and the agent. */
  readonly url: string;
  /** Submits allocations; called only if the workflow has some. */
  readonly submitTools: () => Promise<SubmitTools>;
  /** Plans new schedulers; called only for a workflow that has some. */
  readonly site: () => Promise<{ readonly profile: HpcProfile; readonly plan: SitePlan }>;
  /** Called while the new run is prepared. */
  readonly onPreparation: (news: InitializeNews) => void;
  readonly onWarning: (message: string) => void;
}

export interface RecoverRunOptions extends RecoveryFactors {
  /** A command that runs before jobs are reset; the id of the workflow is added at its end. */
  readonly recoveryHook: string | undefined;
  /** The agent that decides about jobs that wait for a decision; undefined for none. */
  readonly agent: string | undefined;
}
