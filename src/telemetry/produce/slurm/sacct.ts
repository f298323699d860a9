import { encodeExtended, type ExtendedUint } from '../../../core/contract/sonar/extended-uint.ts';
import { stateWord } from '../../../core/contract/sonar/conventions.ts';
import type { SacctData, SonarSlurmJob } from '../../../core/contract/sonar/jobs.ts';
import { counted } from '../../../core/quantity/count-text.ts';
import { kilobytesOf, namesOf, secondsOf } from './slurm-text.ts';

/** What sacct is asked for. The name of a job stands last, because its user chooses it: it may contain line breaks. */
export const SACCT_FIELDS = [
  'JobID',
  'JobIDRaw',
  'User',
  'Account',
  'State',
  'Start',
  'End',
  'AveCPU',
  'AveDiskRead',
  'AveDiskWrite',
  'AveRSS',
  'AveVMSize',
  'ElapsedRaw',
  'ExitCode',
  'Layout',
  'MaxRSS',
  'MaxVMSize',
  'MinCPU',
  'ReqCPUS',
  'ReqMem',
  'ReqNodes',
  'Reservation',
  'Submit',
  'Suspended',
  'SystemCPU',
  'TimelimitRaw',
  'UserCPU',
  'NodeList',
  'Partition',
  'AllocTRES',
  'Priority',
  'JobName',
] as const;

type SacctField = (typeof SACCT_FIELDS)[number];

/** Reads a time as sacct printed it, and gives it as a timestamp; undefined if there is none. */
export type TimeReader = (text: string) => string | undefined;

interface SacctReading {
  readonly timeOf: TimeReader;
  /** What stands between fields. A user who cannot know it cannot forge a record within the name of a job. */
  readonly separator: string;
  /** Called with what is no record and belongs to none: it is never guessed. */
  readonly onProblem: (problem: string) => void;
}

/** The jobs and steps in what `sacct -aP --noheader --delimiter=…` prints. */
export function parseSacct(text: string, { timeOf, separator, onProblem }: SacctReading): SonarSlurmJob[] {
  const last = SACCT_FIELDS.length - 1;
  const records: string[][] = [];
  let odd = 0;
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const values = line.split(separator);
    const before = records.at(-1);
    if (values.length > last) records.push([...values.slice(0, last), values.slice(last).join(separator)]);
    // The rest of a name with a line break.
    else if (values.length === 1 && before !== undefined) before[last] += `\n${line}`;
    else if (line !== '') odd += 1;
  }
  const jobs = records.flatMap(
    (values) => jobOf(Object.fromEntries(SACCT_FIELDS.map((field, at) => [field, values[at]])) as Row, timeOf) ?? [],
  );
  const unread = odd + records.length - jobs.length;
  if (unread > 0)
    onProblem(
      `sacct printed ${counted(unread, 'line')} that ${unread === 1 ? 'is no record' : 'are no records'} of a job`,
    );
  return newestOf(jobs);
}

/**
 * A resized job has a row of each of its sizes, the earlier ones in the state RESIZING. With all of them it would change its state, and be
 * reported, in every read.
 */
function newestOf(jobs: readonly SonarSlurmJob[]): SonarSlurmJob[] {
  const newest = new Map<string, SonarSlurmJob>();
  for (const job of jobs) {
    const key = `${job.job_id}.${job.job_step}`;
    const before = newest.get(key);
    const isEarlier = isResizing(job) && before !== undefined && !isResizing(before);
    if (!isEarlier) newest.set(key, job);
  }
  return [...newest.values()];
}

const isResizing = ({ job_state: state }: SonarSlurmJob) => stateWord(state) === 'RESIZING';

type Row = Readonly<Record<SacctField, string>>;

function jobOf(row: Row, timeOf: TimeReader): SonarSlurmJob | undefined {
  const [, id, step = ''] = /^(\d+)(?:\.(.+))?$/.exec(row.JobIDRaw) ?? [];
  if (id === undefined || row.State === '') return undefined;
  const cpus = Number(row.ReqCPUS) || 0;
  const nodes = Number(row.ReqNodes) || 0;
  return {
    job_id: Number(id),
    job_step: step,
    job_name: known(row.JobName),
    job_state: row.State,
    ...identityOf(row.JobID),
    user_name: known(row.User),
    account: known(row.Account),
    submit_time: timeOf(row.Submit),
    time_limit: encodeExtended(limitOf(row.TimelimitRaw)),
    partition: known(row.Partition),
    reservation: known(row.Reservation),
    nodes: namesOf(row.NodeList),
    priority: encodeExtended(/^\d+$/.test(row.Priority) ? Number(row.Priority) : 'unset'),
    distribution: known(row.Layout),
    allocated_resources: row.AllocTRES,
    requested_cpus: cpus,
    requested_memory_per_node: memoryPerNode(row.ReqMem, cpus, nodes),
    requested_node_count: nodes,
    start_time: timeOf(row.Start),
    suspend_time: secondsOf(row.Suspended),
    end_time: timeOf(row.End),
    exit_code: exitCodeOf(row.ExitCode),
    sacct: dataOf(row),
  };
}

const dataOf = (row: Row): SacctData => ({
  MinCPU: secondsOf(row.MinCPU),
  AllocTRES: row.AllocTRES,
  AveCPU: secondsOf(row.AveCPU),
  AveDiskRead: kilobytesOf(row.AveDiskRead),
  AveDiskWrite: kilobytesOf(row.AveDiskWrite),
  AveRSS: kilobytesOf(row.AveRSS),
  AveVMSize: kilobytesOf(row.AveVMSize),
  ElapsedRaw: Number(row.ElapsedRaw) || 0,
  SystemCPU: secondsOf(row.SystemCPU),
  UserCPU: secondsOf(row.UserCPU),
  MaxRSS: kilobytesOf(row.MaxRSS),
  MaxVMSize: kilobytesOf(row.MaxVMSize),
});

/**
 * The array or heterogeneous job of `1467073_1.batch` and `1467921+0`. The pending rest of an array, `1467073_[5-7]`,
 * is no task: it has neither, because a missing index would be read as 0.
 */
export function identityOf(jobId: string): Partial<SonarSlurmJob> {
  const [, whole, kind, part] = /^(\d+)([_+])(\d+)(?:\.|$)/.exec(jobId) ?? [];
  if (whole === undefined) return {};
  return kind === '_'
    ? { array_job_id: Number(whole), array_task_id: Number(part) }
    : { het_job_id: Number(whole), het_job_offset: Number(part) };
}

/** sacct says Unknown where it has no value. */
const known = (text: string): string => (text === 'Unknown' ? '' : text);

/** Seconds of a limit in minutes. */
function limitOf(minutes: string): ExtendedUint {
  if (minutes === 'UNLIMITED') return 'infinite';
  return /^\d+$/.test(minutes) ? Number(minutes) * 60 : 'unset';
}

/** `137:0`: exit code and signal. */
export const exitCodeOf = (text: string): number => Number(/^(\d+)/.exec(text)?.[1] ?? 0);

/** Releases before 21.08 mark memory of a node with `n`, and of a CPU with `c`; since then it is that of all nodes together. */
function memoryPerNode(text: string, cpus: number, nodes: number): number {
  const [, amount = '', per] = /^(.*?)([nc]?)$/.exec(text) ?? [];
  const kilobytes = kilobytesOf(amount);
  if (per === 'n') return kilobytes;
  return Math.ceil((kilobytes * (per === 'c' ? cpus : 1)) / Math.max(1, nodes));
}
