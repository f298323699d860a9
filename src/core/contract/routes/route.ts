import * as z from 'zod';
import { integer, paging, queryInteger } from '../shape.ts';

/** Tables whose rows belong to a workflow and are requested by id. */
export const recordTables = [
  'job',
  'file',
  'user_data',
  'result',
  'event',
  'compute_node',
  'scheduled_compute_node',
  'slurm_scheduler',
  'local_scheduler',
  'resource_requirements',
  'failure_handler',
  'ro_crate_entity',
] as const;
export type RecordTable = (typeof recordTables)[number];

/**
 * Who may use a route while access is enforced: `anyone`; a `user`, which is anyone with a login; users who may see the
 * workflow that the request names in its path, its query, its body, the entries of its body, or by the id of one of its
 * records or tasks; its `owner`; `sharer`, who may decide which groups see the workflow; `oneself`, the user that the
 * path names; the administrators of a group; and the administrators, who may use every route.
 */
export type Access =
  | 'anyone'
  | 'user'
  | `workflow in ${'path' | 'query' | 'body' | 'entries'}`
  | `workflow of ${RecordTable}`
  | 'task'
  | 'task of workflow in path'
  | 'owner'
  | 'sharer'
  | 'oneself'
  | 'group administrator'
  | 'administrator';

/**
 * How a route is executed: a `read` directly, a `write` in the transaction that all writes of one event-loop iteration
 * share, `work` in one or more of these transactions, a `stream` for as long as the client is connected; `own` means
 * that the handler manages its transactions.
 */
type Kind = 'read' | 'write' | 'work' | 'stream' | 'own';

/**
 * What the cost of a read grows with: the rows of its page, where a list refuses or clamps a page that does not exist; all `rows`
 * of a workflow; or those of one `record`. Of a large database a thread reads them.
 */
type WideRead = 'page' | 'clamped page' | 'rows' | 'record';

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly kind: Kind;
  readonly access: Access;
  readonly says: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly reply: z.ZodType;
  /** Whether the requested work continues after this reply: then its status is 202. */
  readonly isAccepted?: (reply: unknown) => boolean;
  /** The maximum size of a body in MiB; the default is 2. */
  readonly bodyMebibytes?: number;
  readonly reads?: WideRead;
}

/** What a route says, takes and replies. */
type Parts = Omit<Route, 'method' | 'path' | 'kind' | 'access'>;

export const route = <
  const Method extends Route['method'],
  const Path extends string,
  const As extends Kind,
  const For extends Access,
  const Own extends Parts,
>(
  method: Method,
  path: Path,
  kind: As,
  access: For,
  parts: Own,
) => ({ method, path, kind, access, ...parts });

export const ofId = z.object({ id: queryInteger });

/** A route of a workflow: its path has the id and no other parameter, and users who may see the workflow may call it. */
export const workflowRoute = <
  const Method extends Route['method'],
  const Path extends `/workflows/{id}${string}`,
  const As extends Kind,
  const Own extends Omit<Parts, 'params'>,
>(
  method: Method,
  path: Path,
  kind: As,
  parts: Own,
) => route(method, path, kind, 'workflow in path', { params: ofId, ...parts });

export const ofWorkflow = z.object({ workflow_id: queryInteger, ...paging });
export const message = z.object({ message: z.string() });
export const ofOneWorkflow = z.object({ workflow_id: queryInteger });
export const deletedCount = z.object({ count: integer });
export const BULK_MEBIBYTES = 200;
