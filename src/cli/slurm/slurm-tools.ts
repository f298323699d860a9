import { restrictFiles } from '../../cluster/umask.ts';
import { openBatch } from '../../cluster/open-batch.ts';
import { counted } from '../../core/quantity/count-text.ts';
import type { SubmitTools } from '../../operations/submit/submit-tools.ts';
import { builtIn } from '../config/schema.ts';
import type { Context } from '../command/context.ts';
import { Failure } from '../command/failure.ts';
import type { ValuesOf } from '../command/option.ts';
import type { submitOptions } from './slurm-options.ts';

type SubmitValues = ValuesOf<typeof submitOptions>;

type SubmitOptions = Pick<SubmitValues, 'outputDir' | 'pollInterval'> &
  Partial<SubmitValues> & { readonly keepSubmissionScripts?: boolean | undefined };

/** What submissions of this command have in common. `outputDir` and the like are its options. */
export async function submitTools(context: Context, options: SubmitOptions, command?: string): Promise<SubmitTools> {
  const { settings, configuration, environment, output } = context;
  if (settings.standalone)
    throw new Failure(
      'a standalone server ends with this command, and allocations need it afterwards: start torc-server run, and use --url',
    );
  const { warning, refusal } = await openBatch(environment).shellOptions();
  if (warning !== undefined) output.warn(warning);
  if (refusal !== undefined) throw new Failure(refusal);
  // The folder and the scripts that a submission writes are as private as what its runners write.
  const umask = configuration['client.run.umask'];
  restrictFiles(umask);
  const { client, url, jobVariables } = await context.service();
  // A runner in an allocation logs in as this command does, also with --password.
  const submitting = { ...environment, ...Object.fromEntries(jobVariables(0)) };
  const slurm = openBatch(submitting, { onSlow: (words) => output.warn(words) });
  return {
    client,
    slurm,
    settings: {
      url,
      outputDir: options.outputDir,
      pollIntervalSeconds: options.pollInterval,
      claimBackoffMaxSeconds: options.claimBackoffMaxSecs,
      umask: umask === builtIn['client.run.umask'] ? undefined : umask,
      keepsTemporary: options.keepTemporary ?? configuration['client.run.keep_temporary'],
      tlsCaCert: settings.tlsCaCert,
      tlsInsecure: settings.tlsInsecure,
      keepsScripts: options.keepSubmissionScripts === true || configuration['client.slurm.keep_submission_scripts'],
      maxQueued: options.maxQueued,
      usualMaxQueued: configuration['client.slurm.max_queued'],
      submitRate: options.submitRate ?? configuration['client.slurm.submit_rate'],
    },
    command,
    mostTasks: once(() =>
      options.jobArrays !== false && configuration['client.slurm.job_arrays'] ? slurm.mostTasks() : Promise.resolve(1),
    ),
    onSubmitted: ({ jobName, job }) => output.notice(`Submitted ${slurm.name} job name=${jobName} with ID=${job}`),
    onWarning: (words) => output.warn(words),
    onHeld: ({ allocations, why }) =>
      output.notice(
        `${counted(allocations, 'allocation')} ${allocations === 1 ? 'is' : 'are'} not submitted yet (${why.split('\n')[0]})`,
      ),
  };
}

/** Asks Slurm at most once. */
function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => (answer ??= ask());
}

/** Compute nodes cannot reach a server that listens on the loopback address of this machine. */
export function warnOfLoopback({ output }: Context, url: string): void {
  const { hostname } = new URL(url);
  if (!/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname)) return;
  output.warn(`${url} is an address of this machine only: runners on other nodes cannot reach the server there`);
}
