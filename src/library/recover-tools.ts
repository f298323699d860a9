import type { Client } from '../client/client.ts';
import { openBatch } from '../cluster/open-batch.ts';
import { Refusal } from '../core/contract/refusals.ts';
import { storedWorkerOf } from '../core/remote/worker-line.ts';
import type { RecoverTools } from '../operations/recover/tools.ts';
import type { RemoteService } from '../operations/remote/service.ts';
import { detectedProfile, type HpcSettings } from '../operations/submit/profiles.ts';
import { sitePlanOf, USUAL_CHOICES } from '../operations/submit/site-plan.ts';
import type { SubmitTools } from '../operations/submit/submit-tools.ts';

interface Place {
  readonly client: Client;
  readonly service: RemoteService;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly outputDir: string;
}

/** A program has no configuration file: sites are known by their profiles and by what Slurm says. */
const NO_SETTINGS: HpcSettings = { customProfiles: undefined, overrides: undefined, defaultAccount: undefined };

/** Between two looks of a runner in an allocation. */
const POLL_SECONDS = 30;

/** What a recovery uses that a program asks for; it prints nothing. */
export function recoverToolsOf({ client, service, environment, outputDir }: Place, workflowId: number): RecoverTools {
  return {
    client,
    environment,
    outputDir,
    url: service.url,
    async hosts() {
      const rows = await client.listRemoteWorkers({ params: { id: workflowId } });
      const workers = rows.map(({ worker: text }) => {
        const worker = storedWorkerOf(text, workflowId);
        if (typeof worker === 'string') throw refusal(workflowId, worker);
        return worker;
      });
      return { workers, service };
    },
    submitTools: async () => submitToolsOf({ client, service, environment, outputDir }),
    async site() {
      const found = await detectedProfile(NO_SETTINGS, environment);
      if (found === undefined) throw refusal(workflowId, 'no cluster with a batch system was found here');
      const { profile } = found;
      const plan = await sitePlanOf(client, workflowId, { profile, settings: NO_SETTINGS }, USUAL_CHOICES);
      if (plan === undefined) throw refusal(workflowId, 'it names no account');
      return { profile, plan };
    },
    onNotice: () => {},
    onWarning: () => {},
    onPreparation: () => {},
  };
}

const refusal = (workflowId: number, why: string) =>
  new Refusal('RECOVERY_REFUSED', `workflow ${workflowId} cannot be recovered: ${why}`);

const submitToolsOf = ({ client, service, environment, outputDir }: Place): SubmitTools => {
  const slurm = openBatch(environment);
  return {
    client,
    slurm,
    settings: {
      url: service.url,
      outputDir,
      pollIntervalSeconds: POLL_SECONDS,
      claimBackoffMaxSeconds: undefined,
      tlsCaCert: undefined,
      tlsInsecure: service.insecure,
      keepsScripts: false,
    },
    command: 'recover',
    mostTasks: slurm.mostTasks,
    onSubmitted: () => {},
    onWarning: () => {},
  };
};
