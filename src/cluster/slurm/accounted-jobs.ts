import { jobsOfId, type SlurmJob } from '../../core/allocation/slurm-job.ts';
import { queueStateOf, type QueueState } from '../../core/lifecycle/slurm-state.ts';
import { parseCpuTime } from '../../core/quantity/slurm-time.ts';
import { parseTime } from './allocation.ts';

/** What the controller or the accounting says of a job. */
export interface AccountedJob {
  readonly jobId: SlurmJob;
  readonly state: QueueState;
  /** Slurm's word: `NODE_FAIL`, `CANCELLED by 1000`. */
  readonly word: string;
  /** When its present run began, in Unix milliseconds, as far as the controller says. */
  readonly startedAtMs?: number | undefined;
  /** When it was submitted, or requeued the last time, in Unix milliseconds, as far as the controller says. */
  readonly submittedAtMs?: number | undefined;
  /** How long its last run took so far; 0 if it never started. */
  readonly seconds?: number | undefined;
  /** The number in the names of its output files (`%j`). */
  readonly rawId?: number | undefined;
}

/** Formats of `squeue -r -o` and of `sacct -X -n -P --format` whose rows these functions read. */
export const QUEUED_FORMAT = '%i|%T|%S|%M|%A|%V|';
export const ACCOUNTED_FORMAT = 'JobID,State,Elapsed,JobIDRaw';

/** The rows of squeue, one for each job and each task of an array. Lines that are cut off are passed over. */
export const parseQueuedJobs = (text: string): AccountedJob[] =>
  text.split('\n').flatMap((line) => {
    const [id = '', word = '', start, elapsed = '', raw = '', submitted = ''] = line.split('|');
    if (start === undefined) return [];
    const times = { startedAtMs: parseTime(start), submittedAtMs: parseTime(submitted) };
    return rowsOf({ id, word, raw, elapsed, ...times });
  });

/**
 * The rows of sacct; one row of an array stands for all tasks that wait, or that were canceled together before they
 * started. A requeued job has one row, that of its last run.
 */
export const parseAccountedJobs = (text: string): AccountedJob[] =>
  text.split('\n').flatMap((line) => {
    const [id = '', word = '', elapsed, raw = ''] = line.split('|');
    return elapsed === undefined ? [] : rowsOf({ id, word, raw, elapsed });
  });

interface Row {
  readonly id: string;
  readonly word: string;
  readonly raw: string;
  readonly elapsed: string;
  readonly startedAtMs?: number | undefined;
  readonly submittedAtMs?: number | undefined;
}

function rowsOf({ id, word, raw, elapsed, startedAtMs, submittedAtMs }: Row): AccountedJob[] {
  if (word === '') return [];
  const seconds = secondsOf(elapsed);
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

/** `INVALID` is what squeue says of a job whose clock is ahead. */
function secondsOf(text: string): number | undefined {
  try {
    return parseCpuTime(text);
  } catch {
    return undefined;
  }
}
