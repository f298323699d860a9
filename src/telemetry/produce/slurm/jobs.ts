import { randomUUID } from 'node:crypto';
import { runHelper } from '../../../cluster/exec.ts';
import { outsideAllocation, slurmProgram } from '../../../cluster/slurm/programs.ts';
import { HELD_PRIORITY } from '../../../core/contract/sonar/conventions.ts';
import type { SonarSlurmJob } from '../../../core/contract/sonar/jobs.ts';
import { dataMessage, errorMessage, type ProducedMessage, type Origin } from '../../format/envelope.ts';
import { timestampOf } from '../../format/timestamp.ts';
import { listFormat, parseListed, shownJobs } from './shown-jobs.ts';
import { parseSacct, SACCT_FIELDS } from './sacct.ts';
import { jobOfShown, resourcesOfShown } from './scontrol.ts';
import { hasJobEnded, utcMs } from './slurm-text.ts';
import { newsOf, type ReportedJobs } from './reported-jobs.ts';

interface SlurmPrograms {
  /** Empty: it is not run. */
  readonly sacct?: string | undefined;
  readonly scontrol?: string | undefined;
}

export interface JobsOptions {
  readonly origin: Origin;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** From and to, as sacct reads them. */
  readonly span: readonly [from: string, to: string];
  /** Report jobs that wait or run, too. */
  readonly uncompleted: boolean;
  /** The most records of an envelope; undefined for all in one. */
  readonly batchSize: number | undefined;
  /** What was reported before; undefined to report everything. */
  readonly reported: ReportedJobs | undefined;
  readonly programs?: SlurmPrograms | undefined;
  readonly onProblem: (problem: string) => void;
}

export interface JobsRead {
  readonly messages: readonly ProducedMessage[];
  readonly reported: ReportedJobs;
}

/** A month of a large cluster; the process that reads it is for that alone. */
const MOST_BYTES = 2 ** 28;
const SACCT_MS = 180_000;
const SCONTROL_MS = 30_000;

/**
 * The jobs of the cluster, from sacct and scontrol. If one of the two fails, what the other knows is reported; if both do,
 * an envelope of errors.
 */
export async function readJobs(options: JobsOptions): Promise<JobsRead> {
  const { origin, environment, span, programs = {}, reported, onProblem } = options;
  // In UTC, and not in the format that a user has set for times.
  const plain = { ...outsideAllocation(environment), TZ: 'UTC' };
  const run = async (program: 'sacct' | 'scontrol' | 'squeue', args: readonly string[], atMostMs: number) => {
    const path = (program === 'squeue' ? undefined : programs[program]) ?? slurmProgram(program, environment);
    if (path === '') throw new Error(`${program} is switched off`);
    return runHelper(path, args, { atMostMs, atMostBytes: MOST_BYTES, environment: plain });
  };
  // Who cannot know it cannot write it into the name of a job.
  const mark = `<${randomUUID()}>`;
  const args = ['-aP', '--noheader', `--delimiter=${mark}`, '-o', SACCT_FIELDS.join(','), '-S', span[0], '-E', span[1]];
  const [accounted, controlled] = await Promise.allSettled([
    run('sacct', args, SACCT_MS),
    // squeue last: a job that it lists and scontrol does not is new.
    run('scontrol', ['-o', 'show', 'job'], SCONTROL_MS).then(async (shown) => {
      const listed = await run('squeue', ['-h', '-a', '-t', 'all', '-o', listFormat(mark)], SCONTROL_MS);
      return shownJobs(shown, parseListed(listed, mark), onProblem);
    }),
  ]);
  const atMs = Date.now();
  const problems = [accounted, controlled].flatMap((each) =>
    each.status === 'rejected' ? [(each.reason as Error).message] : [],
  );
  if (accounted.status === 'rejected' && controlled.status === 'rejected')
    return { messages: [errorMessage('job', origin, atMs, problems)], reported: reported ?? {} };
  problems.forEach(onProblem);
  const timeOf = (text: string) => {
    const ms = utcMs(text);
    return ms === undefined ? undefined : timestampOf(ms);
  };
  const records = controlled.status === 'fulfilled' ? controlled.value : [];
  const known = records.flatMap((record) => jobOfShown(record, timeOf) ?? []);
  const asked = new Map(records.map((record) => [record.id, resourcesOfShown(record)]));
  // Days in the past are not completed with the jobs of now.
  const living = span[1] === 'now' ? known.filter(({ job_state: state }) => !hasJobEnded(state)) : [];
  const all =
    accounted.status === 'fulfilled'
      ? withLiving(withResources(parseSacct(accounted.value, { timeOf, separator: mark, onProblem }), asked), living)
      : known;
  const wanted = options.uncompleted ? all : all.filter(({ job_state: state }) => hasJobEnded(state));
  const { news, reported: next } = newsOf(wanted, reported ?? {}, atMs);
  return { messages: messagesOf(news, origin, atMs, options.batchSize), reported: next };
}

/** Of jobs that wait or run: the controller forgets the others. */
const withResources = (jobs: readonly SonarSlurmJob[], asked: ReadonlyMap<number, string>): SonarSlurmJob[] =>
  jobs.map((job) => (job.job_step === '' ? { ...job, requested_resources: asked.get(Number(job.job_id)) ?? '' } : job));

/**
 * Jobs that sacct lists, and those that only the controller knows: sacct lists no job that was never eligible, such as one that
 * is held since its submission. A held job has priority 0, whatever it had when the accounting recorded it.
 */
function withLiving(accounted: readonly SonarSlurmJob[], living: readonly SonarSlurmJob[]): SonarSlurmJob[] {
  const held = new Set(living.filter(({ priority }) => priority === HELD_PRIORITY).map(({ job_id: id }) => id));
  const listed = new Set(accounted.map(({ job_id: id }) => id));
  return [
    ...accounted.map((job) =>
      held.has(job.job_id) && job.job_step === '' ? { ...job, priority: HELD_PRIORITY } : job,
    ),
    ...living.filter(({ job_id: id }) => !listed.has(id)),
  ];
}

/** Envelopes with a limited number of records, all of one time; one even if there are no records: it says that we are alive. */
export function messagesOf(
  jobs: readonly SonarSlurmJob[],
  origin: Origin,
  atMs: number,
  batchSize = Infinity,
): ProducedMessage[] {
  const batches: SonarSlurmJob[][] = [];
  for (let at = 0; at < Math.max(1, jobs.length); at += batchSize) batches.push(jobs.slice(at, at + batchSize));
  return batches.map((batch) =>
    dataMessage('job', origin, atMs, { time: timestampOf(atMs), cluster: origin.cluster, slurm_jobs: batch }),
  );
}
