import { exactJson } from '../../../core/contract/sonar/encode.ts';
import type { SonarSlurmJob } from '../../../core/contract/sonar/jobs.ts';
import type { Metadata } from '../../../core/contract/sonar/shared.ts';
import { columnsOfMerged, type Merged, mergeRecord } from '../rows/merged-job.ts';
import { storedJson } from '../rows/cells.ts';
import { toInteger } from '../rows/numbers.ts';
import type { Contents } from './contents.ts';
import type { StoreDatabase } from './database.ts';

/** The envelope that records come with. */
interface About {
  readonly id: number;
  readonly cluster: number;
  readonly time: number;
  readonly meta: Metadata;
}

/** Writes records of Slurm jobs: each as it came, and what all records of a job say together. */
export function writeJobs(db: StoreDatabase, contents: Contents, jobs: readonly SonarSlurmJob[], about: About): void {
  for (const [ord, job] of jobs.entries()) {
    const { job_id: jobId, job_step: step = '', ...rest } = job;
    db.run(
      'insert into job_event values (?, ?, ?, ?, ?)',
      about.id,
      ord,
      toInteger(jobId) ?? 0,
      step,
      contents.idOf(exactJson(rest)),
    );
    mergeJob(db, job, about);
  }
}

function mergeJob(db: StoreDatabase, job: SonarSlurmJob, { cluster, time, meta }: About): void {
  const [jobId, step] = [toInteger(job.job_id) ?? 0, job.job_step ?? ''];
  const found = db.get(
    'select fields, seen from job where cluster = ? and job_id = ? and step = ?',
    cluster,
    jobId,
    step,
  );
  const held = found === undefined ? {} : (storedJson(String(found['fields'])) as Merged);
  const merged = mergeRecord(held, job, time, meta);
  const { state, user, account, partition, submit, start, end, fields } = columnsOfMerged(merged);
  const seen = Math.max(time, Number(found?.['seen'] ?? time));
  const row = [cluster, jobId, step, state, user, account, partition, submit, start, end, seen, fields];
  db.run('insert or replace into job values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)', ...row);
}
