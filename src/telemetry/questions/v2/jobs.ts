import { decodeExtended } from '../../../core/contract/sonar/extended-uint.ts';
import type { Uint } from '../../../core/contract/sonar/kinds.ts';
import { formatTimestamp } from '../../../core/contract/sonar/timestamp.ts';
import { type Merged, rankOfState, mergedValues } from '../../store/rows/merged-job.ts';
import type { JobFilter, SlurmJobRow } from '../../store/rows/records.ts';
import { storedJson } from '../../store/rows/cells.ts';
import { type V2Request, countIn, missingParameter, secondsIn, uintIn } from './request.ts';
import { expanded, RECENT_SECONDS } from './names.ts';
import { numbered, pageAsked } from './page.ts';

/** A job as slurm-monitor shows it. `cards` are those that its processes used; undefined where they were not read. */
export function jobResponse(row: SlurmJobRow, cards?: readonly string[]) {
  const values = mergedValues(storedJson(row.fields) as Merged);
  const text = (name: string) => (typeof values[name] === 'string' ? values[name] : '');
  const number = (name: string) => (values[name] as Uint | undefined) ?? 0;
  const optional = (name: string) => values[name] ?? null;
  const time = (seconds: number | undefined) => (seconds === undefined ? null : formatTimestamp(seconds));
  const extended = (name: string) => {
    const value = decodeExtended(values[name] as Uint | undefined);
    return typeof value === 'string' ? 0 : value;
  };
  return {
    time: formatTimestamp(row.seen),
    cluster: row.cluster,
    job_id: row.job,
    job_step: row.step,
    job_name: text('job_name'),
    job_state: row.state,
    array_job_id: optional('array_job_id'),
    array_task_id: values['array_job_id'] === undefined ? null : number('array_task_id'),
    het_job_id: number('het_job_id'),
    het_job_offset: number('het_job_offset'),
    user_name: row.user,
    account: row.account,
    start_time: time(row.start),
    suspend_time: number('suspend_time'),
    submit_time: time(row.submit),
    // 0 where there is none.
    time_limit: extended('time_limit'),
    end_time: time(row.end),
    exit_code: rankOfState(row.state) === 3 ? number('exit_code') : null,
    partition: row.partition,
    reservation: text('reservation'),
    nodes: values['nodes'] === undefined ? null : expanded(values['nodes'] as readonly string[]),
    priority: extended('priority'),
    distribution: text('distribution'),
    gres_detail: optional('gres_detail'),
    requested_resources: optional('requested_resources'),
    allocated_resources: optional('allocated_resources'),
    requested_cpus: number('requested_cpus'),
    requested_memory_per_node: number('requested_memory_per_node'),
    requested_node_count: number('requested_node_count'),
    minimum_cpus_per_node: optional('minimum_cpus_per_node'),
    used_gpu_uuids: cards ?? null,
    sacct: accountingOf(values),
  };
}

const ACCOUNTING = [
  'ElapsedRaw',
  'SystemCPU',
  'UserCPU',
  'AveVMSize',
  'MaxVMSize',
  'AveCPU',
  'MinCPU',
  'AveRSS',
  'MaxRSS',
  'AveDiskRead',
  'AveDiskWrite',
] as const;

function accountingOf(values: Readonly<Record<string, unknown>>): object | null {
  if (!Object.keys(values).some((name) => name.startsWith('sacct.'))) return null;
  return {
    AllocTRES: values['sacct.AllocTRES'] ?? '',
    ...Object.fromEntries(ACCOUNTING.map((name) => [name, values[`sacct.${name}`] ?? 0])),
  };
}

/** The states of `states=RUNNING,PENDING`. */
function statesIn({ parameters }: V2Request): string[] | undefined {
  const states = (parameters['states'] ?? '')
    .split(',')
    .map((state) => state.trim().toUpperCase())
    .filter((state) => state !== '' && state !== 'NULL');
  return states.length === 0 ? undefined : states;
}

/** Cards that processes of Slurm jobs used in a time, by job. */
async function cardsByJob({ store, cluster, onlyUser }: V2Request, from: number, until: number) {
  const cards = new Map<string, Set<string>>();
  for await (const uses of store.rows.processCards({ cluster, from, until, user: onlyUser }))
    for (const { job, epoch, uuid } of uses)
      if (epoch === 0) cards.set(String(job), (cards.get(String(job)) ?? new Set()).add(uuid));
  return cards;
}

const QUARTER_HOUR = 900;

/** Jobs that waited or ran at some time of an interval: the last 15 minutes, unless the query says otherwise. */
export async function jobsIn(asked: V2Request) {
  const { store, cluster, now, onlyUser } = asked;
  const until = secondsIn(asked, 'end_time_in_s') ?? now;
  const from = secondsIn(asked, 'start_time_in_s') ?? until - QUARTER_HOUR;
  const states = statesIn(asked);
  // A job that lives is reported again within a day.
  const rows = await store.rows.slurmJobs({ cluster, from: from - RECENT_SECONDS, until: until + 1 });
  const cards = await cardsByJob(asked, Math.max(0, from), until + 1);
  return {
    jobs: rows
      .filter(
        ({ user, state, end, seen }) =>
          (onlyUser === undefined || user === onlyUser) &&
          (states === undefined || states.includes(state)) &&
          (rankOfState(state) < 3 || (end ?? seen) >= from),
      )
      .map((row) => jobResponse(row, [...(cards.get(String(row.job)) ?? [])])),
  };
}

/** One Slurm job, with the cards that it used. Throws: `JOB_UNKNOWN`. */
export async function oneJob(asked: V2Request, job: Uint, epoch: Uint) {
  const { store, cluster, now } = asked;
  const row = await mainRow(asked, job, epoch);
  const from = row.start ?? row.submit ?? row.seen;
  const until = (row.end ?? now) + 1;
  const cards = new Set<string>();
  for await (const uses of store.rows.processCards({ cluster, from, until }, { job, epoch: 0 }))
    for (const { uuid } of uses) cards.add(uuid);
  return jobResponse(row, [...cards]);
}

/** Its record of Slurm. Jobs outside of Slurm have none. */
export async function mainRow({ store, cluster, onlyUser }: V2Request, job: Uint, epoch: Uint): Promise<SlurmJobRow> {
  const rows = epoch === 0 ? await store.rows.slurmJob(cluster, job) : [];
  const row = rows.find(({ step }) => step === '');
  if (row !== undefined && (onlyUser === undefined || row.user === onlyUser)) return row;
  throw missingParameter(
    'JOB_UNKNOWN',
    `cluster ${cluster} has no Slurm job ${job}${epoch === 0 ? '' : ` with epoch ${epoch}`}`,
  );
}

const MOST_JOBS = 10_000;

/** Selects jobs by what they are and when they were submitted, started and ended. */
async function selected(asked: V2Request, offset: number, limit: number) {
  const { store, cluster, now, onlyUser, parameters } = asked;
  const user = parameters['user'] ?? '';
  const job = uintIn(asked, 'job_id');
  if ((parameters['user_id'] ?? '') !== '' && parameters['user_id'] !== 'null')
    throw missingParameter('PARAMETER_UNSERVED', 'user_id: the data have names of users, and no ids; ask with user');
  const filter: JobFilter = {
    user: user === '' ? onlyUser : user,
    states: statesIn(asked),
    submitAfter: secondsIn(asked, 'submit_after_in_s'),
    submitBefore: secondsIn(asked, 'submit_before_in_s'),
    startAfter: secondsIn(asked, 'start_after_in_s'),
    startBefore: secondsIn(asked, 'start_before_in_s'),
    endAfter: secondsIn(asked, 'end_after_in_s'),
    endBefore: secondsIn(asked, 'end_before_in_s'),
    leastSeconds: secondsIn(asked, 'min_duration_in_s'),
    mostSeconds: secondsIn(asked, 'max_duration_in_s'),
    now,
    job,
    offset,
    limit,
  };
  // Who may see only his own jobs sees none of another user.
  if (onlyUser !== undefined && filter.user !== onlyUser) return { total: 0, jobs: [] };
  return store.rows.selectedJobs(cluster, filter);
}

const limitOf = (asked: V2Request, usual: number): number => countIn(asked, 'limit', { usual, most: MOST_JOBS });

export async function queriedJobs(asked: V2Request) {
  const { jobs } = await selected(asked, 0, limitOf(asked, 100));
  return { jobs: jobs.map((row) => jobResponse(row)) };
}

/** Pages of the first jobs, up to a limit. */
export async function queriedPages(asked: V2Request) {
  const { page, size } = pageAsked(asked);
  const most = limitOf(asked, MOST_JOBS);
  const offset = Math.min((page - 1) * size, most);
  const { total, jobs } = await selected(asked, offset, Math.min(size, most - offset));
  return numbered(
    'jobs',
    jobs.map((row) => jobResponse(row)),
    { page, size, total: Math.min(total, most) },
  );
}
