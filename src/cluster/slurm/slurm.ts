import { HelperFailed, runHelper } from '../exec.ts';
import { programOn } from '../program-on.ts';
import { parseTimeOf } from './allocation.ts';
import { isAway, isUnknownJob } from './away.ts';
import { outsideAllocation, type SlurmProgram, slurmProgram } from './programs.ts';
import {
  ACCOUNTED_FORMAT,
  type AccountedJob,
  parseAccountedJobs,
  parseQueuedJobs,
  QUEUED_FORMAT,
} from './accounted-jobs.ts';
import { parseQueue, parseScripts, parseSubmitted, type QueuedJob, type SubmittedScript } from './queue.ts';
import { notQueued, statesFrom } from './states.ts';
import { type SlurmJob, wholeJobs } from '../../core/allocation/slurm-job.ts';

/** The controller and the accounting of a Slurm cluster, as far as allocations need them. */
export interface Slurm {
  /** The job id that sbatch reports. Throws `SubmissionFailed`. */
  submit(script: string, args?: readonly string[]): Promise<number>;
  /** The jobs of this user that wait or run, in one call, and some that ended a short time ago. */
  queue(): Promise<readonly QueuedJob[]>;
  /** The scripts of the user's jobs, those that ended within minutes included. */
  scripts(): Promise<readonly SubmittedScript[]>;
  /** Cancels a job or a task; one that has ended is no error. */
  cancel(job: SlurmJob): Promise<void>;
  /** Cancels those of these jobs that wait in the queue, and these tasks. */
  cancelQueued(jobs: readonly SlurmJob[]): Promise<void>;
  /**
   * How these jobs stand, of any user: as the controller says, or else the accounting. A job that neither knows is left
   * out, and so is every job that cannot be asked for: silence proves nothing.
   */
  statesOf(jobs: readonly SlurmJob[]): Promise<ReadonlyMap<SlurmJob, AccountedJob>>;
  /** When a job started, or started again after it was requeued, in Unix milliseconds. */
  startOf(jobId: number): Promise<number | undefined>;
}

/** sbatch failed. */
export class SubmissionFailed extends Error {
  /**
   * `refused`: it will be again. `full`: a limit on the jobs of the user or the account is reached. `away`: the controller
   * could not be asked. `unclear`: the job may exist.
   */
  readonly kind: 'refused' | 'full' | 'away' | 'unclear';

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
    scripts: async () => parseScripts(await run('squeue', ['-u', user, '-h', '-t', 'all', '-o', '%F|%T|%o'])),
    cancel: async (job) => void (await run('scancel', [String(job)])),
    async cancelQueued(jobs) {
      const [tasks, whole] = [jobs.filter((job) => typeof job === 'string'), jobs.filter(Number.isInteger).map(String)];
      if (whole.length > 0) await run('scancel', [...whole, '--state=PENDING']);
      // With --state, scancel cancels all waiting tasks of the array (22.05). A task that started meanwhile has nothing to run.
      if (tasks.length > 0) await run('scancel', tasks);
    },
    startOf: async (jobId) => parseTimeOf(jobId, await run('squeue', ['-h', '-j', String(jobId), '-o', '%A|%S'])),
    async statesOf(jobs) {
      if (jobs.length === 0) return new Map();
      const asked = ['-hr', '-t', 'all', '-j', wholeJobs(jobs).join(','), '-o', QUEUED_FORMAT];
      const queued = await run('squeue', asked).then(parseQueuedJobs, (error: unknown) =>
        // An id that the controller has forgotten makes squeue fail, if it is the only one.
        error instanceof HelperFailed && isUnknownJob(error.stderr) ? [] : undefined,
      );
      const missing = notQueued(jobs, queued ?? []);
      const args = ['-X', '-n', '-P', '-j', missing.join(','), '--format', ACCOUNTED_FORMAT];
      const accounted = missing.length === 0 ? [] : await run('sacct', args).then(parseAccountedJobs, () => undefined);
      return statesFrom(jobs, { queued, accounted });
    },
  };
}

function kindOf({ isLate, message, stderr }: HelperFailed): SubmissionFailed['kind'] {
  if (isLate || /socket timed out|zero bytes/i.test(stderr)) return 'unclear';
  if (isAway(stderr) || /ended with SIG/.test(message)) return 'away';
  // The first line of sbatch. Source: slurm_errno.h and job_mgr.c, reasons such as AssocMaxSubmitJobLimit.
  return /\b(?:Assoc|QOS)\w*SubmitJob\w*/.test(stderr) ? 'full' : 'refused';
}

/** Whether allocations can be submitted here. */
export const hasSlurm = (environment: Readonly<Record<string, string | undefined>>): boolean =>
  Boolean(environment['TORC_FAKE_SBATCH']) || programOn(environment['PATH'], 'sbatch') !== undefined;
