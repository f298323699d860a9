import { Refusal } from '../../core/contract/refusals.ts';
import type { Database, NoParameters } from '../store/database.ts';
import { jobColumns, type JobRow } from './rows/job.ts';
import { type SharedWorkflowRow, workflowColumns, workflowRecordOf, type WorkflowRow } from './rows/workflow.ts';

/** Rows by their id, or a refusal that names the missing one. */
export interface Find {
  workflow(id: number): WorkflowRow;
  /** The workflow as the API returns it, with the groups that may see it. */
  wholeWorkflow(id: number): ReturnType<typeof workflowRecordOf>;
  /** Only its progress: the fields that every exchange of a runner needs. */
  run(id: number): Pick<WorkflowRow, 'run_id' | 'is_canceled'>;
  job(id: number): JobRow;
  /** Deleted workflows with rows that are left: no request finds their records. */
  readonly removed: Set<number>;
  /** A job that a record of the workflow names. */
  jobOf(workflowId: number, id: number): JobRow;
}

export function createFind(db: Database): Find {
  const workflow = db.prepare<{ id: number }, WorkflowRow>(
    'select * from workflow where id = :id and removed_at_ms is null',
  );
  const whole = db.prepare<{ id: number }, SharedWorkflowRow>(
    `select ${workflowColumns} from workflow where id = :id and removed_at_ms is null`,
  );
  const run = db.prepare<{ id: number }, Pick<WorkflowRow, 'run_id' | 'is_canceled'>>(
    'select run_id, is_canceled from workflow where id = :id and removed_at_ms is null',
  );
  const job = db.prepare<{ id: number }, JobRow>(`select ${jobColumns} from job where id = :id`);
  const removed = db.prepare<NoParameters, { id: number }>('select id from workflow where removed_at_ms is not null');
  const jobById = (id: number) => job.get({ id }) ?? missingRecord('Job', id);
  return {
    workflow: (id) => workflow.get({ id }) ?? missingRecord('Workflow', id),
    wholeWorkflow: (id) => workflowRecordOf(whole.get({ id }) ?? missingRecord('Workflow', id)),
    run: (id) => run.get({ id }) ?? missingRecord('Workflow', id),
    job: jobById,
    removed: new Set(removed.all({}).map(({ id }) => id)),
    jobOf(workflowId, id) {
      const row = jobById(id);
      if (row.workflow_id === workflowId) return row;
      throw new Refusal('REFERENCE_UNKNOWN', `job ${id} is not one of workflow ${workflowId}`, {
        field: 'job_id',
        found: id,
      });
    },
  };
}

/** Refuses with the message of Torc 1.0.0: `Job not found with ID: 7`. */
export function missingRecord(what: string, id: number): never {
  throw new Refusal('NOT_FOUND', `${what} not found with ID: ${id}`, { what, id });
}

/** The row, or a refusal that names its table: `Resource not found in file with ID: 7`. */
export function foundRow<Row>(row: Row | undefined, table: string, id: number): Row {
  if (row === undefined) {
    throw new Refusal('NOT_FOUND', `Resource not found in ${table} with ID: ${id}`, { table, id });
  }
  return row;
}

/** Refuses a report or a claim of an earlier run: the workflow was started again since. */
export function refuseOtherRun(runId: number, current: number): void {
  if (runId === current) return;
  const message = `Run ID mismatch: provided ${runId} but workflow is at run ${current}`;
  throw new Refusal('RUN_SUPERSEDED', message, { runId, current });
}
