import type { SonarSlurmJob } from '../../../core/contract/sonar/jobs.ts';
import type { Metadata } from '../../../core/contract/sonar/shared.ts';
import { columnsOfMerged, type Merged, mergeRecord } from '../rows/merged-job.ts';
import { storedJson } from '../rows/cells.ts';
import type { PgConnection } from './connection.ts';

/** A record of a Slurm job or step, with the time and the producer of its message. */
export interface JobRecord {
  readonly cluster: number;
  /** As a signed integer of 64 bits. */
  readonly jobId: number | bigint;
  readonly step: string;
  readonly record: SonarSlurmJob;
  readonly time: number;
  readonly meta: Metadata;
}

/**
 * Merges records into the rows of their jobs. Rows are made first and then locked, in one order in all programs: so two that
 * merge records of one job do so one after the other, and never wait for each other.
 */
export async function mergeJobs(db: PgConnection, records: readonly JobRecord[]): Promise<void> {
  if (records.length === 0) return;
  const groups = [...Map.groupBy(records, ({ cluster, jobId, step }) => `${cluster} ${jobId} ${step}`)].toSorted(
    ([one], [other]) => (one < other ? -1 : 1),
  );
  const heads = groups.map(([, [first]]) => first as JobRecord);
  const keys = [
    heads.map(({ cluster }) => cluster),
    heads.map(({ jobId }) => String(jobId)),
    heads.map(({ step }) => step),
  ];
  await db.query(
    `insert into sonar.job (cluster, job_id, step, seen, fields)
     select cluster, job_id, step, -9223372036854775808, '{}' from unnest($1::int[], $2::bigint[], $3::text[]) as t (cluster, job_id, step)
     on conflict do nothing`,
    ...keys,
  );
  const held = await db.query(
    `select j.cluster, j.job_id, j.step, j.seen, j.fields from sonar.job j
     join unnest($1::int[], $2::bigint[], $3::text[]) with ordinality as t (cluster, job_id, step, place)
       on j.cluster = t.cluster and j.job_id = t.job_id and j.step = t.step
     order by t.place for update of j`,
    ...keys,
  );
  const rows = new Map(
    held.map((row) => [`${Number(row['cluster'])} ${String(row['job_id'])} ${String(row['step'])}`, row]),
  );
  const merged = groups.map(([key, group]) => {
    const row = rows.get(key);
    let fields = storedJson(String(row?.['fields'] ?? '{}')) as Merged;
    let seen = row?.['seen'] as bigint;
    for (const { record, time, meta } of group) {
      fields = mergeRecord(fields, record, time, meta);
      if (BigInt(time) > seen) seen = BigInt(time);
    }
    return { ...columnsOfMerged(fields), seen: String(seen) };
  });
  await db.query(
    `update sonar.job j set state = t.state, "user" = t."user", account = t.account, partition = t.partition, submit = t.submit,
       start = t.start, "end" = t."end", seen = t.seen, fields = t.fields
     from unnest($1::int[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::text[])
       as t (cluster, job_id, step, state, "user", account, partition, submit, start, "end", seen, fields)
     where j.cluster = t.cluster and j.job_id = t.job_id and j.step = t.step`,
    ...keys,
    ...COLUMNS.map((name) => merged.map(({ [name]: value }) => value)),
  );
}

/** As the update names them. */
const COLUMNS = ['state', 'user', 'account', 'partition', 'submit', 'start', 'end', 'seen', 'fields'] as const;
