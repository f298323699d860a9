import type { HpcProfile } from '../../hpc/profile.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { RecoveryFactors } from '../../core/lifecycle/recover/recovery-plan.ts';
import { storedWorkerOf } from '../../core/remote/worker-line.ts';
import type { InitializeNews } from '../run/initialize.ts';
import type { CorrectTools } from '../orphans/correct-records.ts';
import type { RemoteService } from '../remote/service.ts';
import { detectedProfile, type HpcSettings, liveWords } from '../submit/profiles.ts';
import { type SchedulerChoices, type SitePlan, sitePlanOf, USUAL_CHOICES } from '../submit/site-plan.ts';
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

/** What each program has of its own for recoveries: how it is reached, its configuration of sites, and where notices go. */
type OwnTools = Omit<RecoverTools, 'hosts' | 'site'> & {
  readonly service: () => Promise<RemoteService>;
  readonly settings: HpcSettings;
  readonly choices?: Pick<SchedulerChoices, 'partition' | 'walltime'>;
};

/** The tools of a program for recoveries of a workflow. They refuse with `RECOVERY_REFUSED` where something is missing. */
export function recoverToolsOf(own: OwnTools, workflowId: number): RecoverTools {
  const { service, settings, choices, ...tools } = own;
  const { client, environment, onNotice } = tools;
  const refusal = (why: string) =>
    new Refusal('RECOVERY_REFUSED', `workflow ${workflowId} cannot be recovered: ${why}`);
  return {
    ...tools,
    async hosts() {
      const rows = await client.listRemoteWorkers({ params: { id: workflowId } });
      const workers = rows.map(({ worker: text }) => {
        const worker = storedWorkerOf(text, workflowId);
        if (typeof worker === 'string') throw refusal(worker);
        return worker;
      });
      return { workers, service: await service() };
    },
    async site() {
      const found = await detectedProfile(settings, environment);
      if (found === undefined) throw refusal('no cluster was found here, and no profile of a site fits this machine');
      const { profile, isLive } = found;
      if (isLive) onNotice(liveWords(found));
      const plan = await sitePlanOf(client, workflowId, { profile, settings }, { ...USUAL_CHOICES, ...choices });
      if (plan === undefined)
        throw refusal(
          'no account is known for new allocations: its schedulers, slurm_defaults and the configuration (client.hpc.default_account) name none',
        );
      return { profile, plan };
    },
  };
}
