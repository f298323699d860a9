import { HelperFailed, runHelper } from '../exec.ts';
import { programOn } from '../program-on.ts';
import { parseTime } from './allocation.ts';
import { isAway } from './away.ts';
import { outsideAllocation, type SlurmProgram, slurmProgram } from './programs.ts';
import { type AccountedJob, parseAccountedJobs } from './accounted-jobs.ts';
import { parseQueue, parseScripts, parseSubmitted, type QueuedJob, type SubmittedScript } from './queue.ts';

/** The controller and the accounting of a Slurm cluster, as far as allocations need them. */
export interface Slurm {
  /** The job id that sbatch reports. Throws `SubmissionFailed`. */
  submit(script: string, args?: readonly string[]): Promise<number>;
  /** The jobs of this user that wait or run, in one call, and some that ended a short time ago. */
  queue(): Promise<readonly QueuedJob[]>;
  /** The scripts of the user's jobs, those that ended within minutes included. */
  scripts(): Promise<readonly SubmittedScript[]>;
  /** Cancels a job; one that has ended is no error. */
  cancel(jobId: number): Promise<void>;
  /** Cancels those of these jobs that wait in the queue, in one call. */
  cancelQueued(jobIds: readonly number[]): Promise<void>;
  /**
   * How these jobs stand, of any user: as the controller says, or else the accounting. A job that neither knows is left
   * out, and so is every job that cannot be asked for: silence proves nothing.
   */
  statesOf(jobIds: readonly number[]): Promise<ReadonlyMap<number, AccountedJob>>;
  /** When a job started, or started again after it was requeued, in Unix milliseconds. */
  startOf(jobId: number): Promise<number | undefined>;
}

/** sbatch failed. */
export class SubmissionFailed extends Error {
  /** `refused`: it will be again. `away`: the controller could not be asked. `unclear`: the job may exist. */
  readonly kind: 'refused' | 'away' | 'unclear';

  constructor(message: string, kind: SubmissionFailed['kind']) {
    super(message);
    this.name = 'SubmissionFailed';
    this.kind = kind;
  }
}

interface SlurmOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Time limit of each call. */
  readonly atMostMs?: number;
}

// The programs themselves give up on a controller that is away after 9 to 18 s.
const AT_MOST_MS = 60_000;

export function openSlurm({ environment, atMostMs = AT_MOST_MS }: SlurmOptions): Slurm {
  const run = (program: SlurmProgram, args: readonly string[]) =>
    runHelper(slurmProgram(program, environment), args, { atMostMs, environment: outsideAllocation(environment) });
  const user = String(process.getuid?.() ?? '');
  return {
    async submit(script, args = []) {
      const answer = await run('sbatch', [...args, script]).catch((error: unknown) => {
        throw error instanceof HelperFailed ? new SubmissionFailed(error.message, kindOf(error)) : error;
      });
      const jobId = parseSubmitted(answer);
      if (jobId !== undefined) return jobId;
      const words = `Failed to parse job ID from sbatch output: ${JSON.stringify(answer.trim())}`;
      throw new SubmissionFailed(words, 'unclear');
    },
    queue: async () => parseQueue(await run('squeue', ['-u', user, '--Format', 'jobid,state', '-h'])),
    scripts: async () => parseScripts(await run('squeue', ['-u', user, '-h', '-t', 'all', '-o', '%i|%T|%o'])),
    cancel: async (jobId) => void (await run('scancel', [String(jobId)])),
    cancelQueued: async (jobIds) => void (await run('scancel', [...jobIds.map(String), '--state=PENDING'])),
    startOf: async (jobId) => parseTime(await run('squeue', ['-h', '-j', String(jobId), '-o', '%S'])),
    async statesOf(jobIds) {
      const states = new Map<number, AccountedJob>();
      if (jobIds.length === 0) return states;
      const list = jobIds.join(',');
      // An id that the controller has forgotten makes squeue fail, if it is the only one.
      const queued = await run('squeue', ['-h', '-t', 'all', '-j', list, '-o', '%i|%T|%S|']).catch(() => '');
      for (const job of parseAccountedJobs(queued)) states.set(job.jobId, job);
      const missing = jobIds.filter((id) => !states.has(id));
      if (missing.length === 0) return states;
      const args = ['-X', '-n', '-P', '-j', missing.join(','), '--format', 'JobIDRaw,State,ExitCode,End'];
      const accounted = parseAccountedJobs(await run('sacct', args).catch(() => ''));
      for (const job of accounted) if (missing.includes(job.jobId)) states.set(job.jobId, job);
      return states;
    },
  };
}

function kindOf({ isLate, message, stderr }: HelperFailed): SubmissionFailed['kind'] {
  if (isLate || /socket timed out|zero bytes/i.test(stderr)) return 'unclear';
  return isAway(stderr) || /ended with SIG/.test(message) ? 'away' : 'refused';
}

/** Whether allocations can be submitted here. */
export const hasSlurm = (environment: Readonly<Record<string, string | undefined>>): boolean =>
  Boolean(environment['TORC_FAKE_SBATCH']) || programOn(environment['PATH'], 'sbatch') !== undefined;
