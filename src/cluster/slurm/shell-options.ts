import type { ShellOptions } from '../batch/batch-system.ts';
import type { AskSlurm } from './programs.ts';

/** What a shell says to sbatch does not reach ours: the schedulers of the workflow decide, and what is left out is said in one line. */
export async function shellOptions(
  environment: Readonly<Record<string, string | undefined>>,
  ask: AskSlurm,
): Promise<ShellOptions> {
  const unused = Object.keys(environment).filter(
    (name) => /^SBATCH_(?!CLUSTERS$)/.test(name) && environment[name] !== '',
  );
  const warning =
    unused.length === 0
      ? undefined
      : `${unused.join(', ')} of this shell ${unused.length === 1 ? 'is' : 'are'} not used: slurm_schedulers of the workflow says what its allocations ask for`;
  const name = ['SBATCH_CLUSTERS', 'SLURM_CLUSTERS'].find((each) => (environment[each] ?? '') !== '');
  if (name === undefined) return { warning };
  const config = await ask('scontrol', ['show', 'config']).catch(() => '');
  const own = /^ClusterName\s*=\s*(\S+)/m.exec(config)?.[1];
  if (environment[name] === own) return { warning };
  return {
    warning,
    refusal: `${name}=${environment[name]} chooses another cluster than that of this machine${own === undefined ? '' : `, ${own}`}, and Torc could not follow its allocations there: unset it, or submit on a login node of that cluster`,
  };
}
