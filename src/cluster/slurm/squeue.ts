import { jobsOfId, type SlurmJob, wholeJobs } from '../../core/allocation/slurm-job.ts';
import { parseQueueDepth, type QueueDepth } from '../../hpc/live-profile.ts';
import { queueStateOf } from '../../core/allocation/slurm-state.ts';
import { parseCpuTime } from '../../core/quantity/slurm-time.ts';
import type { JobState, SubmittedScript } from '../batch/batch-system.ts';
import { HelperFailed } from '../helper-failed.ts';
import type { AskSlurm } from './programs.ts';
import { figureIn, isUnknownJob, parseTime, rowsIn } from './text.ts';

/** All that is asked of squeue, and what it prints. Every call throws `HelperFailed`. */
export interface Squeue {
  /** The jobs that the controller knows, one row for each job and each task of an array. */
  jobs(jobs: readonly SlurmJob[]): Promise<JobState[]>;
  /** The scripts of the user's jobs. */
  scripts(): Promise<SubmittedScript[]>;
  /** Why jobs that wait have not started. */
  reasons(jobs: readonly SlurmJob[]): Promise<ReadonlyMap<SlurmJob, string>>;
  /** The end of a job as it is now, in Unix milliseconds by the clock of the controller. */
  end(jobId: number): Promise<number | undefined>;
  /** The running steps of a job: their names with their ids, such as `12.3`. */
  steps(jobId: number): Promise<ReadonlyMap<string, string>>;
  /** Jobs of each partition. */
  depth(): Promise<Map<string, QueueDepth>>;
}

/** The kernel takes arguments of 128 KiB; with more ids than this, all jobs are listed instead. */
const MOST_IDS = 10_000;
const SOON_MS = 20_000;
const JOBS = '%i|%T|%S|%M|%A|%V|';
/** Without it, squeue leaves out the steps of jobs in hidden partitions, and such jobs where it is not asked for their ids. */
const ALL = '--all';

export const openSqueue = (ask: AskSlurm): Squeue => ({
  async jobs(jobs) {
    if (jobs.length === 0) return [];
    const ids = wholeJobs(jobs);
    const only = ids.length > MOST_IDS ? [] : ['-j', ids.join(',')];
    const text = await ask('squeue', ['-hr', '-t', 'all', ...only, '-o', JOBS, ALL]).catch((error: unknown) => {
      // An id that the controller has forgotten makes squeue fail, if it is the only one.
      if (error instanceof HelperFailed && isUnknownJob(error.stderr)) return '';
      throw error;
    });
    return parseJobs(text);
  },
  scripts: async () =>
    parseScripts(
      await ask('squeue', ['-u', String(process.getuid?.() ?? ''), '-h', '-t', 'all', '-o', '%F|%T|%o', ALL]),
    ),
  reasons: async (jobs) =>
    parseReasons(
      await ask('squeue', ['-hr', '-t', 'PENDING', '-j', wholeJobs(jobs).join(','), '-o', '%i|%r', ALL], SOON_MS),
    ),
  end: async (jobId) =>
    parseTimeOf(jobId, await ask('squeue', ['--noheader', '--jobs', String(jobId), '--format', '%A|%e'], SOON_MS)),
  steps: async (jobId) =>
    parseStepIds(await ask('squeue', ['--steps', '-h', '-j', String(jobId), '-o', '%i|%j', ALL], SOON_MS), jobId),
  depth: async () => parseQueueDepth(await ask('squeue', ['-h', '-o', '%P|%T|%D'])),
});

/**
 * The rows of our format; those that are cut off are passed over. A program that stands in for squeue may print an id and a
 * state alone, or words between them.
 */
export const parseJobs = (text: string): JobState[] =>
  rowsIn('squeue', text, (line) => {
    const rows = line.split('|').length > 2 ? rowOf(line) : rowOfWords(line);
    return rows.length === 0 ? undefined : rows;
  });

function rowOf(line: string): JobState[] {
  const [id = '', word = '', start, elapsed = '', raw = '', submitted = ''] = line.split('|');
  if (start === undefined || word === '') return [];
  const [startedAtMs, submittedAtMs] = [parseTime(start), parseTime(submitted)];
  // `INVALID` is what squeue says of a job whose clock is ahead.
  const seconds = figureIn(elapsed, parseCpuTime);
  return jobsOfId(id).map((jobId) => ({
    jobId,
    state: queueStateOf(word),
    word,
    ...(startedAtMs === undefined ? {} : { startedAtMs }),
    ...(submittedAtMs === undefined ? {} : { submittedAtMs }),
    ...(seconds === undefined ? {} : { seconds }),
    ...(/^\d+$/.test(raw) ? { rawId: Number(raw) } : {}),
  }));
}

function rowOfWords(line: string): JobState[] {
  const [id = '', ...words] = line.trim().split(/[\s|]+/);
  const known = words.findLast((each) => queueStateOf(each) !== 'unknown');
  // A row of ours that is cut off may end within its word.
  const word = known ?? (line.includes('|') ? undefined : words.at(-1));
  return word === undefined ? [] : jobsOfId(id).map((jobId) => ({ jobId, state: queueStateOf(word), word }));
}

/** The lines of `-o "%F|%T|%o"`, one or more for an array; a path may contain the separator. */
export const parseScripts = (text: string): SubmittedScript[] =>
  rowsIn('squeue', text, (line) => {
    const [, id, word = '', script = ''] = /^\s*(\d+)\|(\w+)\|(.+)$/.exec(line) ?? [];
    return id === undefined ? undefined : [{ jobId: Number(id), state: queueStateOf(word), script: script.trim() }];
  });

/** The lines of `-r -o "%i|%r"`: a task of an array has a line of its own. */
const parseReasons = (text: string): ReadonlyMap<SlurmJob, string> =>
  new Map(
    rowsIn('squeue', text, (line) => {
      const [, id, reason = ''] = /^\s*([\d_+]+)\|(.+)$/.exec(line) ?? [];
      return id === undefined ? undefined : jobsOfId(id).map((job) => [job, reason.trim()] as const);
    }),
  );

/**
 * The time of a job in the lines of `squeue -o '%A|%e'`. One task of a job array has the id of the array, and squeue lists
 * all tasks then. A program that stands in for squeue may print the time alone.
 */
export function parseTimeOf(jobId: number, text: string): number | undefined {
  const lines = text.trim().split('\n');
  const own = lines.find((line) => line.trim().startsWith(`${jobId}|`)) ?? lines[0] ?? '';
  return parseTime(own.slice(own.indexOf('|') + 1));
}

/**
 * The lines of `squeue --steps -o "%i|%j"`: `12.3|wf1_j2_r3_a4`, or `10_2.3|wf1_j2_r3_a4` in a job array. sstat and scancel
 * name the step of a task by the id of its job, as in `12.3`.
 *
 * One task of an array has the id of the array, and squeue lists the steps of all tasks then. Names of steps are unique,
 * so those of other tasks are never looked up.
 */
export const parseStepIds = (text: string, jobId: number): ReadonlyMap<string, string> =>
  new Map(
    rowsIn('squeue', text, (line) => {
      const [, step = '', name = ''] = /^\s*\d+(?:_\d+|\+\d+)?\.(\w+)\|(.+)$/.exec(line) ?? [];
      if (step === '') return undefined;
      return /^\d+$/.test(step) ? [[name.trim(), `${jobId}.${step}`] as const] : [];
    }),
  );
