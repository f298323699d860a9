import type { Database } from '../../store/database.ts';
import { inPages, type JobWindow, type Windows } from '../../store/rows.ts';
import type { WorkSteps } from '../../store/work.ts';

/** The tables of dependencies, inputs and outputs of jobs, with the column beside the job. */
const EDGES = [
  ['job_depends_on', 'depends_on_job_id'],
  ['job_input_file', 'file_id'],
  ['job_output_file', 'file_id'],
  ['job_input_user_data', 'user_data_id'],
  ['job_output_user_data', 'user_data_id'],
] as const;

type EdgeTable = (typeof EDGES)[number][0];

type Page = JobWindow & { limit: number };

/**
 * Removes relationships a few at a time.
 *
 * A job, a file or user data may have a hundred thousand, which the database would remove in one statement along with
 * it: so they are removed first.
 */
export function createEdges(db: Database, windows: Windows) {
  const ofWindow = new Map(
    EDGES.map(([table, other]) => [
      table,
      db.prepare<Page & Record<string, number>>(`
        delete from ${table}
        where (job_id, ${other}) in (
          select edge.job_id, edge.${other}
          from job cross join ${table} edge on edge.job_id = job.id
          where job.workflow_id = :workflowId and job.id > :after and job.id <= :upto
          limit :limit)`),
    ]),
  );
  const counts = new Map(
    EDGES.map(([table]) => [
      table,
      db.prepare<Page, { edges: number }>(`
        select count(*) as edges from (
          select 1
          from job cross join ${table} edge on edge.job_id = job.id
          where job.workflow_id = :workflowId and job.id > :after and job.id <= :upto
          limit :limit)`),
    ]),
  );
  const others = new Map(
    EDGES.map(([table, other]) => [
      table,
      db.prepare<JobWindow, { other: number }>(`
        select distinct edge.${other} as other
        from job cross join ${table} edge on edge.job_id = job.id
        where job.workflow_id = :workflowId and job.id > :after and job.id <= :upto`),
    ]),
  );
  const toOtherOfWindow = new Map(
    EDGES.map(([table, other]) => [
      table,
      db.prepare<{ other: number; after: number; upto: number }>(`
        delete from ${table}
        where ${other} = :other and job_id > :after and job_id <= :upto`),
    ]),
  );
  const ofJob = EDGES.map(([table, other]) =>
    db.prepare<{ id: number; limit: number }>(`
      delete from ${table}
      where (job_id, ${other}) in (select job_id, ${other} from ${table} where job_id = :id limit :limit)`),
  );
  const toOther = (table: EdgeTable, other: string) =>
    db.prepare<{ id: number; limit: number }>(`
      delete from ${table}
      where (job_id, ${other}) in (select job_id, ${other} from ${table} where ${other} = :id limit :limit)`);
  const toFile = [toOther('job_input_file', 'file_id'), toOther('job_output_file', 'file_id')];
  const toUserData = [toOther('job_input_user_data', 'user_data_id'), toOther('job_output_user_data', 'user_data_id')];
  const hasFiles = db.prepare<{ workflowId: number }, { id: number }>(
    'select id from file where workflow_id = :workflowId limit 1',
  );
  const hasUserData = db.prepare<{ workflowId: number }, { id: number }>(
    'select id from user_data where workflow_id = :workflowId limit 1',
  );

  function* ofTables(workflowId: number, tables: readonly EdgeTable[]): WorkSteps {
    for (const table of tables) yield* ofTable(workflowId, table);
  }

  function* ofTable(workflowId: number, table: EdgeTable): WorkSteps {
    let after = 0;
    let size = WINDOW;
    for (;;) {
      const next = windows.next(workflowId, after, size);
      if (next === undefined) return;
      const { jobs, isLast, ...window } = next;
      const edges = counts.get(table)?.get({ ...window, limit: DENSE + 1 })?.edges ?? 0;
      if (edges > DENSE && jobs > 1) {
        size = Math.ceil(jobs / 4);
        continue;
      }
      const found = edges > SPARSE && edges <= DENSE ? (others.get(table)?.all(window) ?? []) : [];
      // Ordered by the other record, so that few pages of its index change in each slice (`edge-block.ts`).
      if (found.length > 0 && found.length * OF_EACH <= edges) yield* toOthers(table, window, found);
      else yield* inPages((limit) => ofWindow.get(table)?.run({ ...window, limit }) ?? 0);
      if (isLast) return;
      after = window.upto;
      size = Math.min(WINDOW, size * 2);
      yield;
    }
  }

  function* toOthers(table: EdgeTable, { after, upto }: JobWindow, found: readonly { other: number }[]): WorkSteps {
    for (const { other } of found.toSorted((left, right) => left.other - right.other)) {
      toOtherOfWindow.get(table)?.run({ other, after, upto });
      yield;
    }
  }

  function* of(statements: readonly { run(page: { id: number; limit: number }): number }[], id: number): WorkSteps {
    for (const statement of statements) yield* inPages((limit) => statement.run({ id, limit }));
  }

  return {
    /** Those of all jobs of a workflow. */
    *ofJobs(workflowId: number): WorkSteps {
      const tables: EdgeTable[] = ['job_depends_on'];
      if (hasFiles.get({ workflowId }) !== undefined) tables.push('job_input_file', 'job_output_file');
      if (hasUserData.get({ workflowId }) !== undefined) tables.push('job_input_user_data', 'job_output_user_data');
      yield* ofTables(workflowId, tables);
    },
    /** Those of all jobs to files, or to user data. */
    ofFiles: (workflowId: number) => ofTables(workflowId, ['job_input_file', 'job_output_file']),
    ofUserData: (workflowId: number) => ofTables(workflowId, ['job_input_user_data', 'job_output_user_data']),
    /** Those of one job, without the jobs that wait for it. */
    ofJob: (id: number) => of(ofJob, id),
    toFile: (id: number) => of(toFile, id),
    toUserData: (id: number) => of(toUserData, id),
  };
}

export type Edges = ReturnType<typeof createEdges>;

/** Jobs handled together: most have only a few relationships. */
const WINDOW = 512;
/** Relationships that are removed in any order: one statement for all. */
const SPARSE = 4_096;
/** Relationships of which the other records are looked up at once: 5 ms. */
const DENSE = 16_384;
/** Relationships to each other record from which on a statement for each is worth it. */
const OF_EACH = 4;
