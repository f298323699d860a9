import type { RecoverRunOptions, RecoverTools } from '../../operations/recover/tools.ts';
import { USUAL_CHOICES } from '../../operations/submit/site-plan.ts';
import type { Context } from '../command/context.ts';
import { correctTools } from './correct-tools.ts';
import type { ValuesOf } from '../command/option.ts';
import { reportPreparation } from '../output/preparation.ts';
import type { recoveryOptions } from './recovery-options.ts';
import { siteFor } from '../slurm/site.ts';
import { submitTools } from '../slurm/slurm-tools.ts';

type RecoveryValues = ValuesOf<typeof recoveryOptions>;

/** What a recovery uses, from the options and the configuration of this command. */
export async function recoverTools(
  context: Context,
  workflowId: number,
  options: RecoveryValues,
): Promise<RecoverTools> {
  const { output, configuration } = context;
  const { partition, walltime } = options;
  const { url } = await context.service();
  return {
    ...(await correctTools(context, workflowId, options.outputDir)),
    url,
    submitTools: () =>
      submitTools(context, { ...options, pollInterval: configuration['client.slurm.poll_interval'] }, 'recover'),
    site: () => siteFor(context, workflowId, { ...USUAL_CHOICES, partition, walltime }),
    onPreparation: reportPreparation(output),
    onWarning: (message) => output.warn(message),
  };
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
