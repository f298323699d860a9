import type { SonarSlurmJob } from '../../../core/contract/sonar/jobs.ts';
import { stateWord } from '../../../core/contract/sonar/conventions.ts';
import { hasJobEnded } from './slurm-text.ts';

/** What was reported of a job or step, and when. */
interface Reported {
  readonly state: string;
  /** Its fields as they were reported, as JSON. */
  readonly fields: Readonly<Record<string, string>>;
  readonly fullAtMs: number;
  readonly seenAtMs: number;
}

/** What was reported of all jobs, by job and step. */
export type ReportedJobs = Readonly<Record<string, Reported>>;

const DAY_MS = 86_400_000;

/** What a record is about. */
const IDENTITY = ['job_id', 'job_step', 'job_name', 'job_state'] as const;
/** Members that every record has: the format requires the time of submission, and importers refuse records without it. */
const ALWAYS = [...IDENTITY, 'submit_time'] as const;

/** Figures that grow while a job runs: samples have what the processes use. */
const GROWING = new Set(['sacct', 'suspend_time']);

/**
 * Which records to send now, so that a consumer knows everything and little is repeated.
 *
 * A job is reported once for each of its states, with the fields that are new or changed; all fields again after a
 * day. A record of the past 24 hours that is not in `jobs` is remembered, so that a job whose accounting is late is not
 * reported twice.
 */
export function newsOf(
  jobs: readonly SonarSlurmJob[],
  reported: ReportedJobs,
  nowMs: number,
): { readonly news: readonly SonarSlurmJob[]; readonly reported: ReportedJobs } {
  const next: Record<string, Reported> = {};
  for (const [key, each] of Object.entries(reported)) if (nowMs - each.seenAtMs < DAY_MS) next[key] = each;
  const news: SonarSlurmJob[] = [];
  for (const job of jobs) {
    const key = `${job.job_id}.${job.job_step ?? ''}`;
    const before = next[key];
    const state = stateWord(job.job_state);
    const fields = fieldsOf(job);
    const isFull = before === undefined || nowMs - before.fullAtMs >= DAY_MS;
    const isSameState = before?.state === state;
    const changed = Object.keys(fields).filter(
      (name) =>
        fields[name] !== before?.fields[name] && !(GROWING.has(name) && isSameState && !hasJobEnded(job.job_state)),
    );
    if (!isFull && isSameState && changed.length === 0) {
      next[key] = { ...before, seenAtMs: nowMs };
      continue;
    }
    const names = new Set<string>(isFull ? Object.keys(job) : [...ALWAYS, ...changed]);
    news.push(Object.fromEntries(Object.entries(job).filter(([name]) => names.has(name))) as SonarSlurmJob);
    next[key] = { state, fields, fullAtMs: isFull ? nowMs : before.fullAtMs, seenAtMs: nowMs };
  }
  return { news, reported: next };
}

/** Fields that have a value. One that lost its value, as the nodes of a requeued job, cannot be reported: the state says it. */
const fieldsOf = (job: SonarSlurmJob): Record<string, string> =>
  Object.fromEntries(
    Object.entries(job).flatMap(([name, value]) => {
      const text = JSON.stringify(value);
      const isDefault = value === undefined || value === 0 || value === '' || text === '[]' || text === '{}';
      return isDefault || (IDENTITY as readonly string[]).includes(name) ? [] : [[name, text]];
    }),
  );
