import { shellWord } from '../text/shell-word.ts';

/** What the script of an allocation says to its runner, whichever batch system runs it. */
export interface RunnerLine {
  readonly url: string;
  readonly workflowId: number;
  readonly outputDir: string;
  readonly pollIntervalSeconds: number;
  readonly maxParallelJobs?: number | undefined;
  readonly claimBackoffMaxSeconds?: number | undefined;
  readonly keepsTemporary?: boolean | undefined;
  readonly tlsCaCert?: string | undefined;
  readonly tlsInsecure?: boolean | undefined;
  /** The umask of the files of runners, if it is not the default: the folder's `torc.toml` may have changed when they start. */
  readonly umask?: string | undefined;
  /** Upper limit of the delay before a runner starts. */
  readonly startupDelaySeconds?: number | undefined;
  /** A runner on each node, started by srun, with this value of `--mpi` if any. */
  readonly perNode?: { readonly mpi?: string | undefined } | undefined;
  /** Measure the other nodes of the allocation. */
  readonly monitorsNodes?: boolean | undefined;
}

/**
 * Names the record of the allocation to its runner, which stores the id of its job there: the submitter may have been
 * killed before it could.
 */
export const ALLOCATION_VARIABLE = 'TORC_ALLOCATION';

/** Starts the runner. */
export function allocationRunnerLine(runner: RunnerLine): string {
  const option = (name: string, value: number | undefined) => (value === undefined ? '' : ` --${name} ${value}`);
  return (
    `${umaskOf(runner)}torc-slurm-job-runner ${shellWord(runner.url)} ${runner.workflowId} ${shellWord(runner.outputDir)}` +
    option('poll-interval', runner.pollIntervalSeconds) +
    option('max-parallel-jobs', runner.maxParallelJobs) +
    option('claim-backoff-max-secs', runner.claimBackoffMaxSeconds) +
    (runner.keepsTemporary === true ? ' --keep-temporary' : '') +
    tlsOf(runner) +
    option('startup-delay-seconds', (runner.startupDelaySeconds ?? 0) > 0 ? runner.startupDelaySeconds : undefined)
  );
}

const umaskOf = ({ umask }: RunnerLine): string => (umask === undefined ? '' : `env TORC_UMASK=${shellWord(umask)} `);

const tlsOf = ({ tlsCaCert, tlsInsecure }: RunnerLine): string =>
  (tlsCaCert === undefined ? '' : ` --tls-ca-cert '${tlsCaCert.replaceAll("'", String.raw`'\''`)}'`) +
  (tlsInsecure === true ? ' --tls-insecure' : '');

/** Measures a node of the allocation. */
export const nodeMonitorLine = (runner: RunnerLine): string =>
  `${umaskOf(runner)}torc --url ${shellWord(runner.url)}${tlsOf(runner)} monitor-node -w ${runner.workflowId} --output-dir ${shellWord(runner.outputDir)}`;
