import { parseCpuTime } from '../../core/quantity/slurm-time.ts';
import { parseSlurmMemory } from '../../core/quantity/bytes.ts';
import { HelperFailed, runHelper } from '../exec.ts';
import { parseTime } from './allocation.ts';
import { isUnknownJob } from './away.ts';
import { outsideAllocation, type SlurmProgram, slurmProgram } from './programs.ts';
import { jobsOfId, type SlurmJob, wholeJobs } from '../../core/allocation/slurm-job.ts';
import { queueStateOf, type QueueState } from '../../core/lifecycle/slurm-state.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** How a job of Slurm stands. */
export interface JobState {
  readonly state: QueueState;
  /** Slurm's word: `NODE_FAIL`, `CANCELLED by 1000`. */
  readonly word: string;
  /** When it was submitted, or requeued the last time, in Unix milliseconds, as far as the controller says. */
  readonly submittedAtMs?: number | undefined;
}

/** A step that ended, as the accounting knows it. */
export interface EndedStep {
  readonly slurmJobId: number;
  readonly state: string;
  readonly exitCode: number;
  readonly signal: number;
  readonly seconds: number;
  /** The end in the time zone of the host: `2026-11-21T16:30:00`. */
  readonly endedAt: string;
  readonly maxRssBytes: number | undefined;
}

export interface Account {
  readonly jobs: ReadonlyMap<SlurmJob, JobState>;
  /** By the name of the step; the last one of a name. */
  readonly steps: ReadonlyMap<string, EndedStep>;
  /** When the batch step of a job ended, in which its runner was, in Unix milliseconds. */
  readonly batchEnds: ReadonlyMap<number, number>;
}

/** What Slurm has on record about jobs, for a decision that must not be wrong: a failure to ask is thrown. */
export interface SlurmRecords {
  /** The jobs that the controller knows, in one call. A job that is left out is known to it no more. */
  queue(jobs: readonly SlurmJob[]): Promise<ReadonlyMap<SlurmJob, JobState>>;
  /** The jobs and their steps in the accounting, in one call; undefined where there is no accounting. */
  account(jobs: readonly SlurmJob[]): Promise<Account | undefined>;
  /** When the controller began, in Unix milliseconds; undefined if it does not tell. Never rejects. */
  controllerStartedAtMs(): Promise<number | undefined>;
}

const AT_MOST_MS = 60_000;

/** The kernel takes arguments of 128 KiB; with more ids than this, all jobs are listed instead. */
const MOST_IDS = 10_000;

export function openRecords(environment: Environment): SlurmRecords {
  const run = (program: SlurmProgram, args: readonly string[]) =>
    runHelper(slurmProgram(program, environment), args, {
      atMostMs: AT_MOST_MS,
      environment: outsideAllocation(environment),
    });
  return {
    async queue(jobs) {
      if (jobs.length === 0) return new Map();
      const ids = wholeJobs(jobs);
      const only = ids.length > MOST_IDS ? [] : ['-j', ids.join(',')];
      const args = ['-hr', '-t', 'all', ...only, '--Format', 'jobid,state,arrayjobid,arraytaskid,submittime'];
      const text = await run('squeue', args).catch((error: unknown) => {
        // An id that the controller has forgotten makes squeue fail, if it is the only one.
        if (error instanceof HelperFailed && isUnknownJob(error.stderr)) return '';
        throw error;
      });
      return parseStates(text);
    },
    async account(jobs) {
      const ids = wholeJobs(jobs);
      const found = { jobs: new Map(), steps: new Map(), batchEnds: new Map() } satisfies Account;
      for (let at = 0; at < ids.length; at += MOST_IDS) {
        const list = ids.slice(at, at + MOST_IDS).join(',');
        const text = await run('sacct', ['-n', '-P', '-j', list, '--format', FIELDS]).catch((error: unknown) => {
          if (error instanceof HelperFailed && isWithoutAccounting(error)) return undefined;
          throw error;
        });
        if (text === undefined) return undefined;
        const part = parseAccount(text);
        for (const [id, job] of part.jobs) found.jobs.set(id, job);
        for (const [name, step] of part.steps) found.steps.set(name, step);
        for (const [id, endedAtMs] of part.batchEnds) found.batchEnds.set(id, endedAtMs);
      }
      return found;
    },
    controllerStartedAtMs: () => run('scontrol', ['show', 'config']).then(parseBootTime, () => undefined),
  };
}

/** The line `BOOT_TIME = 2026-11-21T16:30:00` of `scontrol show config`. */
export const parseBootTime = (text: string): number | undefined =>
  parseTime(/^BOOT_TIME\s*=\s*(\S+)/m.exec(text)?.[1] ?? '');

const FIELDS = 'JobID,JobName,State,ExitCode,Elapsed,End,MaxRSS,JobIDRaw';

const isWithoutAccounting = ({ message, isMissing, stderr }: HelperFailed): boolean =>
  isMissing || /not found/i.test(message) || /accounting storage is disabled/i.test(stderr);

/**
 * The lines of `squeue -r --Format jobid,state,arrayjobid,arraytaskid,submittime`. A program that stands in for squeue may print
 * the first two alone, or words between them.
 *
 * Throws if there are lines and none can be read: then nothing may be concluded from a job that is missing.
 */
export function parseStates(text: string): ReadonlyMap<SlurmJob, JobState> {
  const states = new Map<SlurmJob, JobState>();
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  let readable = 0;
  for (const line of lines) {
    const all = line.trim().split(/[\s|]+/);
    const submitted = all.findLast((word) => IS_TIME.test(word));
    const words = all.filter((word) => word !== submitted);
    const [id = '', second = '', array = '', task = ''] = words;
    if (!/^\d+(_.*)?$/.test(id) || words.length < 2) continue;
    readable += 1;
    const hasArray = words.length === 4 && /^\d+$/.test(array);
    const word =
      words.slice(1).findLast((each) => queueStateOf(each) !== 'unknown') ?? (hasArray ? second : words.at(-1));
    const submittedAtMs = submitted === undefined ? undefined : parseTime(submitted);
    const job = {
      state: queueStateOf(word as string),
      word: word as string,
      ...(submittedAtMs === undefined ? {} : { submittedAtMs }),
    };
    for (const each of jobsOfId(id)) states.set(each, job);
    if (hasArray && /^\d+$/.test(task)) states.set(`${array}_${task}`, job);
  }
  if (lines.length > 0 && readable === 0)
    throw new Error(`squeue printed no line with a job id and a state: ${JSON.stringify(lines[0])}`);
  return states;
}

const IS_TIME = /^\d{4}-\d\d-\d\dT/;

/** The rows of `sacct -P -n` with our fields. A requeued job has one row, that of its last run. */
export function parseAccount(text: string): Account {
  const jobs = new Map<SlurmJob, JobState>();
  const steps = new Map<string, EndedStep>();
  const batchEnds = new Map<number, number>();
  for (const line of text.split('\n')) {
    const [id = '', name = '', word = '', exit = '', elapsed = '', endedAt = '', rss = '', raw = ''] = line.split('|');
    const [job = '', step] = id.split('.');
    const names = jobsOfId(job);
    if (names.length === 0 || word === '') continue;
    // A runner knows its allocation by the number alone.
    const slurmJobId = Number(raw.split('.')[0] || job);
    if (step === undefined)
      for (const each of [slurmJobId, ...names]) jobs.set(each, { state: queueStateOf(word), word });
    else if (step === 'batch') {
      const endedAtMs = parseTime(endedAt);
      if (endedAtMs !== undefined) batchEnds.set(slurmJobId, endedAtMs);
    } else if (/^\d+$/.test(step) && queueStateOf(word) === 'ended')
      steps.set(name, {
        slurmJobId,
        state: word.split(' ')[0] as string,
        exitCode: Number(exit.split(':')[0] ?? 0) || 0,
        signal: Number(exit.split(':')[1] ?? 0) || 0,
        seconds: figure(elapsed, parseCpuTime) ?? 0,
        endedAt,
        maxRssBytes: figure(rss, parseSlurmMemory),
      });
  }
  return { jobs, steps, batchEnds };
}

/** Slurm may print a word where a figure is missing. */
function figure(text: string, parse: (text: string) => number | undefined): number | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
