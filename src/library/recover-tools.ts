import type { Client } from '../client/client.ts';
import { openBatch } from '../cluster/open-batch.ts';
import { type RecoverTools, recoverToolsOf } from '../operations/recover/tools.ts';
import type { RemoteService } from '../operations/remote/service.ts';
import type { HpcSettings } from '../operations/submit/profiles.ts';
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
export const libraryTools = (place: Place, workflowId: number): RecoverTools =>
  recoverToolsOf(
    {
      ...place,
      url: place.service.url,
      service: () => Promise.resolve(place.service),
      settings: NO_SETTINGS,
      submitTools: async () => submitToolsOf(place),
      onNotice: () => {},
      onWarning: () => {},
      onPreparation: () => {},
    },
    workflowId,
  );

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
