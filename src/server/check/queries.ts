import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '../../cluster/database-file.ts';
import { ENDED } from '../../core/job/statuses.ts';
import { anyOf, STATUS } from '../records/rows/status.ts';

/** Faults that are named of each kind; the others are counted. */
const NAMED = 5;

/** Work on these workflows is done in steps, and what is left of it is stored: their numbers are right after the last step. */
export const IN_STEPS = `
  select workflow_id from workflow_work union select workflow_id from job_release
  union select workflow_id from plan_update_step
  union select id from workflow where being_created_at_ms is not null or removed_at_ms is not null`;

/** The tables of edges: each joins a job and a record of this other table, which this column names, in one workflow. */
export const EDGES = [
  ['job_depends_on', 'job', 'depends_on_job_id'],
  ['job_input_file', 'file', 'file_id'],
  ['job_output_file', 'file', 'file_id'],
  ['job_input_user_data', 'user_data', 'user_data_id'],
  ['job_output_user_data', 'user_data', 'user_data_id'],
] as const;

const edgeFaults = ([table, other, column]: (typeof EDGES)[number]) => `
  select '${table} of job ' || edge.job_id || ': it and ${other} ' || edge.${column} || ' are not both of workflow ' || edge.workflow_id
  from ${table} edge
  left join job on job.id = edge.job_id
  left join ${other} as other on other.id = edge.${column}
  where job.workflow_id is not edge.workflow_id or other.workflow_id is not edge.workflow_id`;

/** What a database has to fulfil, as statements that return a sentence for each fault. Source: `migrations`. */
const RULES: Readonly<Record<string, string>> = {
  counts: `
    select 'workflow ' || workflow.id || ' counts ' || coalesce(counted.jobs, 0) || ' jobs of status ' || status.value
      || ', and has ' || count(job.id)
    from workflow
    join json_each('[${Object.values(STATUS).join(', ')}]') status
    left join job_count counted on counted.workflow_id = workflow.id and counted.status = status.value
    left join job on job.workflow_id = workflow.id and job.status = status.value
    group by workflow.id, status.value
    having count(job.id) <> coalesce(counted.jobs, 0)`,
  edges: EDGES.map(edgeFaults).join(' union all '),
  waits: `
    select 'job ' || job.id || ' waits for ' || job.unmet || ' jobs, and ' || count(upstream.id) || ' of those before it are not over'
    from job
    left join job_depends_on edge on edge.job_id = job.id
    left join job upstream on upstream.id = edge.depends_on_job_id and upstream.status not in ${anyOf(ENDED)}
    where job.status = ${STATUS.blocked} and job.workflow_id not in (${IN_STEPS})
    group by job.id
    having count(upstream.id) <> job.unmet`,
  claims: `
    select 'job ' || job.id || ' is claimed by runner ' || job.claimed_by || ', which its workflow does not have'
    from job left join compute_node node on node.id = job.claimed_by
    where job.claimed_by is not null and node.workflow_id is not job.workflow_id`,
  results: `
    select 'job ' || job.id || ' has result ' || job.result_id || ', which is not its own'
    from job left join result on result.id = job.result_id
    where job.result_id is not null and result.job_id is not job.id`,
  needs: `
    select 'job ' || job.id || ' is of class ' || job.class_id || ', which has other needs'
    from job left join job_class class on class.id = job.class_id
    where class.workflow_id is not job.workflow_id
      or class.resource_requirements_id is not job.resource_requirements_id`,
};

/** What is wrong, under the name of its kind: up to some sentences, and how many more there are. */
export type Faults = Readonly<Record<string, { readonly sentences: readonly string[]; readonly more: number }>>;

/** Reads a database that a server may be using; nothing is written to it. */
export function openForCheck(path: string) {
  const db = new DatabaseSync(databaseFile(path), { readOnly: true, timeout: 5_000 });
  const textsOf = (sql: string): string[] => {
    const statement = db.prepare(sql);
    statement.setReturnArrays(true);
    return (statement.all() as unknown as unknown[][]).map(([text]) => String(text));
  };
  return {
    version: Number(textsOf('pragma user_version')[0]),
    /** Sentences of SQLite about pages, indexes and values that are damaged; source: https://sqlite.org/pragma.html#pragma_integrity_check. */
    pages: (): string[] => textsOf('pragma integrity_check(20)').filter((text) => text !== 'ok'),
    references: (): Faults[string] =>
      named(
        textsOf(
          "select \"table\" || ' ' || coalesce(rowid, '') || ' refers to a missing ' || parent from pragma_foreign_key_check",
        ),
      ),
    meaning: (): Faults => meaningFaults(textsOf),
    close: () => db.close(),
  };
}

/** Faults of what the tables mean, by the rules above. `textsOf` executes a statement that returns texts. */
export function meaningFaults(textsOf: (sql: string) => string[]): Faults {
  const found = Object.entries(RULES).map(([kind, sql]) => [kind, named(textsOf(sql))] as const);
  return Object.fromEntries(found.filter(([, { sentences }]) => sentences.length > 0));
}

const named = (texts: readonly string[]): Faults[string] => ({
  sentences: texts.slice(0, NAMED),
  more: Math.max(0, texts.length - NAMED),
});
