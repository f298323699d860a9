import type { ShellOptions } from '../batch/batch-system.ts';
import { runHelper } from '../exec.ts';
import { type OnSlow, saidIfSlow } from '../batch/slow.ts';
import { MARK_VARIABLE, OUTER_MARKS_VARIABLE } from '../../core/attempt/belongs-to.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const STAND_INS = {
  sbatch: 'TORC_FAKE_SBATCH',
  squeue: 'TORC_FAKE_SQUEUE',
  sacct: 'TORC_FAKE_SACCT',
  scancel: 'TORC_FAKE_SCANCEL',
  srun: 'TORC_FAKE_SRUN',
  sstat: 'TORC_FAKE_SSTAT',
  sinfo: 'TORC_FAKE_SINFO',
  scontrol: 'TORC_FAKE_SCONTROL',
} as const;

export type SlurmProgram = keyof typeof STAND_INS;

/** The program to start: Slurm's own from PATH, or the one that a `TORC_FAKE_…` variable names. */
export const slurmProgram = (program: SlurmProgram, environment: Environment): string =>
  environment[STAND_INS[program]] || program;

const MARKS: ReadonlySet<string> = new Set([MARK_VARIABLE, OUTER_MARKS_VARIABLE]);

/**
 * Variables that Slurm's programs take for options. Those of a user limit what a program shows or does: with
 * `SQUEUE_PARTITION` squeue leaves out jobs that it is asked for by their ids, and with `SCANCEL_USER` scancel cancels nothing, both with
 * exit code 0; with `SCANCEL_INTERACTIVE` it asks for ever.
 */
const OPTIONS = /^(?:SLURM|SBATCH|SRUN|SQUEUE|SACCT|SCANCEL|SINFO|SSTAT|SCONTROL|PMI\w*)_/;

/**
 * The environment for programs that start something outside of the current allocation: without the variables of the
 * allocation and of the job steps in it, which would become options of the new job, and without the marks of runners, to
 * whose jobs it does not belong.
 */
export const outsideAllocation = (environment: Environment): Environment => ({
  ...Object.fromEntries(
    Object.entries(environment).filter(([name]) => name === 'SLURM_CONF' || !(MARKS.has(name) || OPTIONS.test(name))),
  ),
  // Lists of tasks are cut at 64 characters otherwise. Source: squeue(1) and sacct(1), ENVIRONMENT VARIABLES.
  SLURM_BITSTR_LEN: '0',
});

/** Runs a program of Slurm for its answer. Throws `HelperFailed`. */
export type AskSlurm = (program: SlurmProgram, args: readonly string[], atMostMs?: number) => Promise<string>;

// The programs themselves give up on a controller that is away after 9 to 18 s.
const AT_MOST_MS = 60_000;

/** Questions with these variables, and not about the current allocation in particular. */
export function askSlurm(environment: Environment, mostMs = AT_MOST_MS, onSlow?: OnSlow): AskSlurm {
  // Without a time zone, which differs from host to host, and repeats an hour in autumn.
  const own = { ...outsideAllocation(environment), SLURM_TIME_FORMAT: '%s' };
  return (program, args, givenMs = mostMs) => {
    const atMostMs = Math.min(givenMs, mostMs);
    const answer = runHelper(slurmProgram(program, environment), args, { atMostMs, environment: own });
    return saidIfSlow(answer, { program, atMostMs, onSlow });
  };
}

/** What a shell says to sbatch does not reach ours: the schedulers of the workflow decide, and what is left out is said in one line. */
export async function shellOptions(environment: Environment, ask: AskSlurm): Promise<ShellOptions> {
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
