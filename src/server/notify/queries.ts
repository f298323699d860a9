import type { StreamEventType } from '../../core/contract/event.ts';
import type { StoredMessage } from '../../core/contract/notify.ts';
import type { Trigger } from '../../core/contract/notify-triggers.ts';
import { FAILED } from '../../core/job/statuses.ts';
import type { ComputeNodeRow } from '../records/node/queries.ts';
import { unsettled } from '../records/rows/job.ts';
import { anyOf } from '../records/rows/status.ts';
import type { Database, NoParameters } from '../store/database.ts';
import { createListing, type OfWorkflow } from '../store/listing.ts';

export interface MessageRow {
  readonly id: number;
  readonly workflow_id: number;
  readonly run_id: number;
  readonly trigger_type: string;
  readonly receiver: string;
  readonly key: string;
  readonly state: 'waiting' | 'due' | 'sending' | 'sent' | 'covered' | 'failed';
  readonly digest: string | null;
  readonly attempts: number;
  readonly due_at_ms: number;
  readonly next_at_ms: number;
  readonly ended_at_ms: number | null;
  readonly problem: string | null;
}

export interface FailureRow {
  readonly id: number;
  readonly name: string;
  readonly status: number;
  readonly return_code: number;
  readonly cause: string | null;
  readonly cause_code: string | null;
}

export type ActiveRunner = Pick<
  ComputeNodeRow,
  'id' | 'hostname' | 'start_time' | 'end_time' | 'compute_node_type' | 'process'
>;

/** Changes after which a message may be due. */
const NEWS: readonly StreamEventType[] = [
  'run_started',
  'workflow_completed',
  'workflow_canceled',
  'compute_node_started',
  'compute_node_stopped',
  'job_failed',
  'job_pending_failed',
  'job_status_changed',
  'jobs_requeued',
  'jobs_deleted',
];

// Every command asks for it each five seconds, and a workflow may have had thousands of messages: only those that are not sent are read.
// A command that began to send before `goneMs`, and said nothing since, is gone.
export const unsentSql = `
    select * from message
    where workflow_id = :workflowId and receiver = :receiver and state in ('due', 'sending')
      and next_at_ms <= iif(state = 'due', :nowMs, :goneMs)
    order by next_at_ms limit :limit`;

// Both states are named so that the index is used.
export const endInDoubtSql = `
    update message set state = 'failed', ended_at_ms = :nowMs, problem = :problem
    where workflow_id = :workflowId and receiver = :receiver and state in ('due', 'sending') and state = 'sending'
      and next_at_ms <= :goneMs`;

/** Why it is not known whether a message arrived. */
export const inDoubt = (sender: 'server' | 'command', isRecognized: boolean): string =>
  `the ${sender} ended while it sent it${isRecognized ? '' : ', and it would not be recognized'}`;

const storedMessage = (row: MessageRow): StoredMessage => ({
  id: row.id,
  run_id: row.run_id,
  trigger: row.trigger_type as Trigger,
  receiver: row.receiver.replace(/^(server|command:.*):/, ''),
  state: row.state,
  attempts: row.attempts,
  due_at: new Date(row.due_at_ms).toISOString(),
  ...(row.ended_at_ms === null ? {} : { ended_at: new Date(row.ended_at_ms).toISOString() }),
  ...(row.problem === null ? {} : { problem: row.problem }),
});

export const notifyQueries = (db: Database) => ({
  cursor: db.prepare<NoParameters, { change_id: number }>('select change_id from message_cursor'),
  setCursor: db.prepare<{ changeId: number }>(
    'insert or replace into message_cursor (one, change_id) values (1, :changeId)',
  ),
  dropCursor: db.prepare('delete from message_cursor'),
  changed: db.prepare<{ after: number; upto: number }, { workflow_id: number }>(`
    select distinct workflow_id from change_log
    where id > :after and id <= :upto and event_type in (${NEWS.map((type) => `'${type}'`).join(', ')})`),

  exists: db.prepare<{ id: number }, { id: number }>('select id from workflow where id = :id'),
  // Any one of them: the search for the earliest would read all that failed.
  failure: db.prepare<{ workflowId: number }, FailureRow>(`
    select job.id, job.name, job.status, result.return_code, result.cause, result.cause_code
    from job join result on result.id = job.result_id
    where job.workflow_id = :workflowId and job.status in ${anyOf(FAILED)} and ${unsettled}
    limit 1`),
  runners: db.prepare<{ workflowId: number }, ActiveRunner>(`
    select id, hostname, start_time, end_time, compute_node_type, process from compute_node
    where workflow_id = :workflowId and is_active = 1`),
  hadRunner: db.prepare<{ workflowId: number }, { id: number }>(
    'select id from compute_node where workflow_id = :workflowId limit 1',
  ),
  host: db.prepare<{ id: number }, { hostname: string }>('select hostname from compute_node where id = :id'),
  active: db.prepare<NoParameters, { workflow_id: number }>(
    'select distinct workflow_id from compute_node where is_active = 1',
  ),
  coreMinutes: db.prepare<{ workflowId: number; after: number; upto: number }, { minutes: number | null }>(`
    select sum(result.exec_time_minutes * needs.num_cpus) as minutes
    from job
    join result on result.job_id = job.id
    join resource_requirements needs on needs.id = job.resource_requirements_id
    where job.workflow_id = :workflowId and job.id > :after and job.id <= :upto`),

  wanted: db.prepare<{ workflowId: number }, { receiver: string }>(
    'select receiver from message_wanted where workflow_id = :workflowId',
  ),
  want: db.prepare<{ workflowId: number; receiver: string }>(
    'insert or ignore into message_wanted (workflow_id, receiver) values (:workflowId, :receiver)',
  ),

  list: createListing<OfWorkflow, MessageRow, StoredMessage>(
    db,
    { table: 'message', filters: { workflow_id: 'equal' }, sortable: [] },
    storedMessage,
  ),
  unsent: db.prepare<
    { workflowId: number; receiver: string; nowMs: number; goneMs: number; limit: number },
    MessageRow
  >(unsentSql),
  endInDoubt: db.prepare<{ workflowId: number; receiver: string; nowMs: number; goneMs: number; problem: string }>(
    endInDoubtSql,
  ),
  ofReceiver: db.prepare<{ workflowId: number; runId: number; receiver: string }, MessageRow>(
    'select * from message where workflow_id = :workflowId and run_id = :runId and receiver = :receiver',
  ),
  get: db.prepare<{ id: number }, MessageRow>('select * from message where id = :id'),
  add: db.prepare<{
    workflowId: number;
    runId: number;
    trigger: string;
    receiver: string;
    key: string;
    state: MessageRow['state'];
    digest: string | null;
    nowMs: number;
    nextMs: number;
  }>(`
    insert into message (workflow_id, run_id, trigger_type, receiver, key, state, digest, due_at_ms, next_at_ms)
    values (:workflowId, :runId, :trigger, :receiver, :key, :state, :digest, :nowMs, :nextMs)
    on conflict (workflow_id, run_id, receiver, trigger_type) do update
    set state = excluded.state, digest = excluded.digest, due_at_ms = excluded.due_at_ms, next_at_ms = excluded.next_at_ms
    where message.state = 'waiting'`),
  drop: db.prepare<{ id: number }>('delete from message where id = :id'),
  due: db.prepare<{ receiver: string; nowMs: number; limit: number }, MessageRow>(`
    select * from message
    where receiver = :receiver and state = 'due' and next_at_ms <= :nowMs
    order by next_at_ms, id limit :limit`),
  nextAt: db.prepare<{ receiver: string }, { at: number | null }>(
    `select min(next_at_ms) as at from message where receiver = :receiver and state in ('waiting', 'due')`,
  ),
  waited: db.prepare<{ receiver: string; nowMs: number }, { workflow_id: number }>(`
    select workflow_id from message where receiver = :receiver and state = 'waiting' and next_at_ms <= :nowMs`),
  sending: db.prepare<{ receiver: string }, MessageRow>(
    `select * from message where receiver = :receiver and state = 'sending'`,
  ),
  begin: db.prepare<{ id: number; nowMs: number }>(
    `update message set state = 'sending', attempts = attempts + 1, next_at_ms = :nowMs where id = :id`,
  ),
  end: db.prepare<{ id: number; state: 'sent' | 'covered' | 'failed'; nowMs: number; problem: string | null }>(
    'update message set state = :state, ended_at_ms = :nowMs, problem = :problem where id = :id',
  ),
  later: db.prepare<{ id: number; nextMs: number; problem: string }>(
    `update message set state = 'due', next_at_ms = :nextMs, problem = :problem where id = :id`,
  ),
});

export type NotifyQueries = ReturnType<typeof notifyQueries>;
