import { jobsOfId, type SlurmJob, wholeJobs } from '../../core/allocation/slurm-job.ts';
import { queueStateOf } from '../../core/allocation/slurm-state.ts';
import { parseSlurmMemory } from '../../core/quantity/bytes.ts';
import { parseCpuTime } from '../../core/quantity/slurm-time.ts';
import type { RecordedJobs, EndedScript, EndedStep, JobState } from '../batch/batch-system.ts';
import { HelperFailed } from '../helper-failed.ts';
import type { AskSlurm } from './programs.ts';
import { exitOf, figureIn, parseTime, rowsIn } from './text.ts';

/** All that is asked of sacct. Programs that stand in for it print these fields in this order, whatever they are asked for. */
const JOBS = ['JobID', 'JobName', 'State', 'ExitCode', 'Elapsed', 'End', 'MaxRSS', 'JobIDRaw'] as const;
/** Stand-ins print no id beside that of the job. */
const LEAST = JOBS.length - 1;
const STEPS = [
  'JobName',
  'MaxRSS',
  'MaxVMSize',
  'MaxDiskRead',
  'MaxDiskWrite',
  'AveCPU',
  'NodeList',
  'State',
  'TotalCPU',
  'TRESUsageInMax',
] as const;
const TABLE = [
  'JobIDRaw',
  'JobName',
  'State',
  'ExitCode',
  'Elapsed',
  'MaxRSS',
  'TotalCPU',
  'NodeList',
  'NNodes',
] as const;

type Row<Field extends string> = Readonly<Partial<Record<Field, string>>>;

/**
 * The lines of `sacct -P -n` that have these fields. One that is cut off has fewer: an exit code of 12 may be 1 in it, and the id of
 * another job in its last field.
 */
const rowsOf = <Field extends string>(fields: readonly Field[], text: string, least = fields.length): Row<Field>[] =>
  rowsIn('sacct', text, (line) => {
    const values = line.trim().split('|');
    // A program that stands in for sacct may end its lines with the separator.
    if (values.length > fields.length && values.at(-1) === '') values.pop();
    // Users choose names of jobs and steps, also with the separator.
    const [more, name] = [Math.max(0, values.length - fields.length), fields.indexOf('JobName' as Field)];
    values.splice(name, more + 1, values.slice(name, name + more + 1).join('|'));
    const row = Object.fromEntries(fields.map((field, at) => [field, values[at]])) as Row<Field>;
    return values.length < least || !agree(row) ? undefined : [row];
  });

/** Only a task and a part of a heterogeneous job have an id of their own beside the one that they are shown with. */
const agree = ({ JobID: id, JobIDRaw: raw }: Row<string>): boolean =>
  id === undefined || raw === undefined || (/[_+]/.test(id) ? raw.split('.')[1] === id.split('.')[1] : raw === id);

const bytesIn = (text: string | undefined) => figureIn(text, parseSlurmMemory);

/** More than any node has: where Slurm cannot measure a card, it has 0 or a number near 2^64. */
const MOST_GPU_BYTES = 2 ** 50;

/** The GPU memory in a text such as `cpu=00:56:24,gres/gpumem=40777023488,gres/gpuutil=100,mem=10621726720`. */
function gpuBytesIn(text = ''): number | undefined {
  const amount = /(?:^|,)gres\/gpumem=([^,|]+)/.exec(text)?.[1];
  const bytes = /^\d+$/.test(amount ?? '') ? Number(amount) : bytesIn(amount);
  return bytes === undefined || bytes <= 0 || bytes > MOST_GPU_BYTES ? undefined : bytes;
}

const secondsIn = (text: string | undefined) => figureIn(text, parseCpuTime);

const SOON_MS = 20_000;
/** The kernel takes arguments of 128 KiB. */
const MOST_IDS = 10_000;

const ask = async (
  run: AskSlurm,
  { ids, fields, more = [] }: { readonly ids: string; readonly fields: readonly string[]; readonly more?: string[] },
  atMostMs?: number,
) => run('sacct', [...more, '-n', '-P', '-j', ids, '--format', fields.join(',')], atMostMs);

/** The rows of jobs, without their steps. */
export const accountedJobs = async (run: AskSlurm, jobs: readonly SlurmJob[]): Promise<JobState[]> =>
  parseAccountedJobs(await ask(run, { ids: wholeJobs(jobs).join(','), fields: JOBS, more: ['-X'] }));

/** Jobs with their steps; undefined where there is no accounting. */
export async function recordedJobs(run: AskSlurm, jobs: readonly SlurmJob[]): Promise<RecordedJobs | undefined> {
  const ids = wholeJobs(jobs);
  let text = '';
  for (let at = 0; at < ids.length; at += MOST_IDS) {
    const part = { ids: ids.slice(at, at + MOST_IDS).join(','), fields: JOBS };
    try {
      text += `${await ask(run, part)}\n`;
    } catch (error) {
      if (error instanceof HelperFailed && isWithoutAccounting(error)) return undefined;
      throw error;
    }
  }
  return parseRecordedJobs(text);
}

const isWithoutAccounting = ({ isMissing, stderr }: HelperFailed): boolean =>
  isMissing || /not found|accounting storage is disabled/i.test(stderr);

/**
 * Rows of jobs; one row of an array stands for all tasks that wait, or that were canceled together before they
 * started. A requeued job has one row, that of its last run; a resized one has a row of each of its sizes, in order.
 */
export function parseAccountedJobs(text: string): JobState[] {
  const jobs = new Map<SlurmJob, JobState>();
  for (const each of rowsOf(JOBS, text, LEAST).flatMap(jobsIn)) jobs.set(each.jobId, after(jobs.get(each.jobId), each));
  return [...jobs.values()];
}

/** The state of a job by a later row, which counts its time from the change of its size. */
const after = (before: JobState | undefined, later: JobState): JobState =>
  before?.word === 'RESIZING' && before.seconds !== undefined && later.seconds !== undefined
    ? { ...later, seconds: before.seconds + later.seconds }
    : later;

/** How the script of a job ended, as the accounting has it; it knows no files. */
export async function accountedEnd(run: AskSlurm, job: SlurmJob): Promise<EndedScript | undefined> {
  const rows = rowsOf(JOBS, await ask(run, { ids: wholeJobs([job]).join(','), fields: JOBS, more: ['-X'] }), LEAST);
  const row = rows.findLast(({ JobID: id = '' }) => jobsOfId(id).includes(job));
  const { State: word = '', JobIDRaw: raw = '', ExitCode: code } = row ?? {};
  if (queueStateOf(word) !== 'ended' || !/^\d+$/.test(raw)) return undefined;
  return { word, ...exitOf(code), rawId: Number(raw), files: [] };
}

function jobsIn({
  JobID: id = '',
  State: word = '',
  Elapsed: elapsed,
  JobIDRaw: raw = '',
}: Row<(typeof JOBS)[number]>) {
  if (word === '') return [];
  const seconds = secondsIn(elapsed);
  return jobsOfId(id).map((jobId): JobState => ({
    jobId,
    state: queueStateOf(word),
    word,
    ...(seconds === undefined ? {} : { seconds }),
    ...(/^\d+$/.test(raw) ? { rawId: Number(raw) } : {}),
  }));
}

/** The rows of jobs and their steps. */
export function parseRecordedJobs(text: string): RecordedJobs {
  const jobs = new Map<SlurmJob, JobState>();
  const steps = new Map<string, EndedStep>();
  const batchEnds = new Map<number, number>();
  for (const row of rowsOf(JOBS, text, LEAST)) {
    const [job = '', step] = (row.JobID ?? '').split('.');
    const { State: word = '', JobIDRaw: raw = '' } = row;
    if (jobsOfId(job).length === 0 || word === '') continue;
    // A runner knows its allocation by the number alone.
    const slurmJobId = Number(raw.split('.')[0] || job);
    const endedAtMs = parseTime(row.End ?? '');
    if (step === undefined)
      for (const each of jobsIn(row))
        for (const name of new Set([slurmJobId, each.jobId])) jobs.set(name, after(jobs.get(name), each));
    else if (step === 'batch') {
      if (endedAtMs !== undefined) batchEnds.set(slurmJobId, endedAtMs);
    } else if (/^\d+$/.test(step) && queueStateOf(word) === 'ended')
      steps.set(row.JobName ?? '', {
        slurmJobId,
        state: word.split(' ')[0] as string,
        exitCode: Number(row.ExitCode?.split(':')[0] ?? 0) || 0,
        signal: Number(row.ExitCode?.split(':')[1] ?? 0) || 0,
        seconds: secondsIn(row.Elapsed) ?? 0,
        endedAtMs,
        maxRssBytes: bytesIn(row.MaxRSS),
      });
  }
  return { jobs, steps, batchEnds };
}

/** The figures of a step. One that was not measured is undefined: most are, of steps that end within a few seconds. */
export interface AccountedStep {
  /** Slurm's word, without what follows it: `COMPLETED`, `CANCELLED`. Empty if the row has none. */
  readonly state: string;
  /** A user canceled this step, and not its allocation: their user id. */
  readonly canceledBy?: string | undefined;
  readonly maxRssBytes: number | undefined;
  readonly maxVmSizeBytes: number | undefined;
  readonly maxDiskReadBytes: number | undefined;
  readonly maxDiskWriteBytes: number | undefined;
  readonly aveCpuSeconds: number | undefined;
  /** What the kernel counted at the end of its tasks, of them and of all that they waited for; the mean is that of the last poll. */
  readonly totalCpuSeconds?: number | undefined;
  /** Of the task that had most; where AccountingStorageTRES has gres/gpumem. */
  readonly peakGpuBytes?: number | undefined;
  readonly nodeList: string | undefined;
}

/** States in which a row of the accounting may still change. */
const PASSING = new Set(['', 'PENDING', 'RUNNING', 'COMPLETING', 'SUSPENDED', 'RESIZING']);

export const isFinal = ({ state }: Pick<AccountedStep, 'state'>): boolean => !PASSING.has(state);

/** What the accounting has of the steps of a job so far, by name. */
export const accountedSteps = async (run: AskSlurm, jobId: number): Promise<ReadonlyMap<string, AccountedStep>> =>
  parseAccounted(await ask(run, { ids: String(jobId), fields: STEPS }, SOON_MS));

/**
 * The rows of steps, by name. Torc 1.0.0 accepts rows without a State as well.
 *
 * The later row wins: a requeued job has the rows of its earlier runs first.
 */
export function parseAccounted(text: string): ReadonlyMap<string, AccountedStep> {
  const rows = new Map<string, AccountedStep>();
  for (const row of rowsOf(STEPS, text, STEPS.indexOf('State'))) {
    const { JobName: name = '', NodeList: nodes, State: state = '' } = row;
    if (name === '') continue;
    rows.set(name, {
      state: state.split(' ')[0] ?? '',
      canceledBy: /^CANCELLED by (\d+)/.exec(state)?.[1],
      maxRssBytes: bytesIn(row.MaxRSS),
      maxVmSizeBytes: bytesIn(row.MaxVMSize),
      maxDiskReadBytes: bytesIn(row.MaxDiskRead),
      maxDiskWriteBytes: bytesIn(row.MaxDiskWrite),
      aveCpuSeconds: secondsIn(row.AveCPU),
      totalCpuSeconds: secondsIn(row.TotalCPU),
      peakGpuBytes: gpuBytesIn(row.TRESUsageInMax),
      nodeList: nodes === '' ? undefined : nodes,
    });
  }
  return rows;
}

/** A step in the accounting, or a job that has none. */
export interface AccountingRow {
  readonly jobId: string;
  /** The name of the step, `batch`, or the name of the job. */
  readonly step: string;
  /** Without who canceled it. */
  readonly state: string;
  readonly exitCode: string;
  readonly elapsedSeconds: number;
  readonly maxRssBytes: number | undefined;
  /** That its processes used. */
  readonly cpuSeconds: number;
  readonly nodes: string;
}

export interface Accounting {
  readonly rows: AccountingRow[];
  /** Of the jobs, not of their steps. */
  readonly nodes: number;
  readonly nodeSeconds: number;
  readonly cpuSeconds: number;
}

/** What a person reads of these jobs, in one call. */
export const readAccounting = async (run: AskSlurm, jobs: readonly SlurmJob[]): Promise<Accounting> =>
  parseAccounting(await ask(run, { ids: jobs.join(','), fields: TABLE }));

export const accountingJson = (run: AskSlurm, job: SlurmJob): Promise<string> =>
  run('sacct', ['-j', String(job), '--json']);

export function parseAccounting(text: string): Accounting {
  const rows = new Map<string, { job: AccountingRow | undefined; steps: AccountingRow[] }>();
  let [nodes, nodeSeconds, cpuSeconds] = [0, 0, 0];
  for (const line of rowsOf(TABLE, text)) {
    const { JobIDRaw: id = '', JobName: name = '', State: state = '', ExitCode: exitCode = '', NNodes: count } = line;
    if (!/^\d+/.test(id)) continue;
    const [jobId = '', step] = id.split('.');
    const row: AccountingRow = {
      jobId,
      step: step === undefined || /^\d+$/.test(step) ? name : step,
      state: state.replace(/ by \d+$/, ''),
      exitCode,
      elapsedSeconds: secondsIn(line.Elapsed) ?? 0,
      maxRssBytes: bytesIn(line.MaxRSS),
      cpuSeconds: secondsIn(line.TotalCPU) ?? 0,
      nodes: line.NodeList ?? '',
    };
    const known = rows.get(jobId) ?? { job: undefined, steps: [] };
    rows.set(jobId, known);
    if (step !== undefined) {
      known.steps.push(row);
      continue;
    }
    known.job = row;
    nodes += Number(count);
    nodeSeconds += Number(count) * row.elapsedSeconds;
    cpuSeconds += row.cpuSeconds;
  }
  const shown = [...rows.values()].flatMap(({ job, steps }) => (steps.length > 0 ? steps : (job ?? [])));
  return { rows: shown, nodes, nodeSeconds, cpuSeconds };
}
