import { type RecoverRunOptions, type RecoverTools, recoverToolsOf } from '../../operations/recover/tools.ts';
import type { Context } from '../command/context.ts';
import type { ValuesOf } from '../command/option.ts';
import { reportPreparation } from '../output/preparation.ts';
import type { recoveryOptions } from './recovery-options.ts';
import { remoteService } from '../remote-hosts.ts';
import { hpcSettings } from '../slurm/hpc-profile.ts';
import { submitTools } from '../slurm/slurm-tools.ts';

type RecoveryValues = ValuesOf<typeof recoveryOptions>;

/** What a recovery uses, from the options and the configuration of this command. */
export async function recoverTools(
  context: Context,
  workflowId: number,
  options: RecoveryValues,
): Promise<RecoverTools> {
  const { output, configuration, environment } = context;
  const { partition, walltime, outputDir } = options;
  const { client, url } = await context.service();
  return recoverToolsOf(
    {
      client,
      environment,
      outputDir,
      url,
      service: () => remoteService(context),
      settings: hpcSettings(context),
      choices: { partition, walltime },
      submitTools: () =>
        submitTools(context, { ...options, pollInterval: configuration['client.slurm.poll_interval'] }, 'recover'),
      onNotice: (message) => output.notice(message),
      onPreparation: reportPreparation(output),
      onWarning: (message) => output.warn(message),
    },
    workflowId,
  );
}

/** What the options of a recovery ask for. A hook may have removed the cause of any failure. */
export const recoverOptionsOf = ({
  memoryMultiplier,
  runtimeMultiplier,
  retryUnknown,
  recoveryHook,
  aiRecovery,
  aiAgent,
}: RecoveryValues): RecoverRunOptions => ({
  memoryMultiplier,
  runtimeMultiplier,
  retriesUnknown: retryUnknown === true || recoveryHook !== undefined,
  recoveryHook,
  agent: aiRecovery === true ? aiAgent : undefined,
});
