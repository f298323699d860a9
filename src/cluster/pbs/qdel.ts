import { rmSync } from 'node:fs';
import type { SlurmJob } from '../../core/allocation/slurm-job.ts';
import { HelperFailed } from '../helper-failed.ts';
import { jobOfPbsId } from './ids.ts';
import { scriptIn } from './qsub.ts';
import type { PbsRecord } from './dsv.ts';
import { type AskPbs, failed, type PbsAnswer } from './programs.ts';
import type { Qstat } from './qstat.ts';
import { pbsStateOf } from './states.ts';

const SOON_MS = 20_000;
/** An argument a job; the kernel takes many more. */
const MOST_IDS = 1000;

/** The jobs have ended, or are being ended. */
const OVER = /Unknown Job Id|Job has finished|Request invalid for state of job/i;

/** Ends a job; one that has ended is no error. */
export async function deleteJob(ask: AskPbs, qstat: Qstat, job: SlurmJob): Promise<void> {
  const found = await qstat.jobs([job]).catch(() => new Map<SlurmJob, PbsRecord>());
  await deleteIds(ask, await qstat.ids([job]));
  removeScripts([...found.values()]);
}

/** Those of jobs that never ran: one that runs removes its own. */
function removeScripts(records: readonly PbsRecord[]): void {
  for (const record of records) {
    const path = isQueued(record.fields) ? scriptIn(record) : undefined;
    if (path !== undefined) rmSync(path, { force: true });
  }
}

async function deleteIds(ask: AskPbs, ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += MOST_IDS) {
    const answer = await ask('qdel', ids.slice(at, at + MOST_IDS));
    if (!isWithout(answer, OVER)) continue;
    const error = failed('qdel', answer);
    if (!/could not connect to MOM/i.test(answer.stderr)) throw error;
    const force = `qdel -W force ${ids.join(' ')}`;
    throw new HelperFailed(
      `${error.message}: its node does not answer, and PBS says that it runs until that node is back. If the node is gone, end it with ${force}`,
      { stderr: error.stderr },
    );
  }
}

/** Whether a line says anything else. */
const isWithout = ({ code, stderr }: PbsAnswer, expected: RegExp): boolean =>
  code !== 0 && (stderr.trim() === '' || stderr.split('\n').some((line) => line.trim() !== '' && !expected.test(line)));

/**
 * Ends those of these jobs that wait. One may start while they are looked at, so they are held first: a job that runs goes on with
 * a hold, which is taken from it again.
 */
export async function deleteQueued(ask: AskPbs, qstat: Qstat, jobs: readonly SlurmJob[]): Promise<void> {
  if (jobs.length === 0) return;
  const ids = await qstat.ids(jobs);
  for (let at = 0; at < ids.length; at += MOST_IDS) await ask('qhold', ids.slice(at, at + MOST_IDS), SOON_MS);
  const found = await qstat.jobs(jobs);
  const waits = new Set([...found].flatMap(([job, { fields }]) => (isQueued(fields) ? [job] : [])));
  const idsOf = (isMeant: (job: SlurmJob) => boolean) =>
    ids.filter((id) => {
      const job = jobOfPbsId(id);
      return job !== undefined && isMeant(job);
    });
  const others = idsOf((job) => !waits.has(job) && found.has(job));
  if (others.length > 0) await ask('qrls', others, SOON_MS);
  await deleteIds(
    ask,
    idsOf((job) => waits.has(job)),
  );
  removeScripts([...found.values()]);
}

const isQueued = (fields: ReadonlyMap<string, string>) => pbsStateOf(fields.get('job_state')) === 'queued';

/** Takes the hold of its owner from a job. */
export async function releaseJob(ask: AskPbs, qstat: Qstat, job: SlurmJob): Promise<void> {
  const answer = await ask('qrls', await qstat.ids([job]), SOON_MS);
  if (answer.code !== 0) throw failed('qrls', answer);
}
