import * as z from 'zod';
import { paging, queryInteger } from '../shape.ts';

/**
 * Who may use a route: anybody who may reach the server, who may see the workflow that it concerns, or who may see to the
 * groups of users.
 */
type Access = 'anyone' | 'workflow' | 'groups';

/**
 * How a route is carried out: a `read` at once, a `write` in the transaction that all writes of one turn of the event
 * loop share, a `stream` for as long as the other side listens.
 */
type Kind = 'read' | 'write' | 'stream';

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
  /** Says of an answer that what was asked for goes on after it: then its status is 202. */
  readonly isAccepted?: (reply: unknown) => boolean;
  /** Largest body in MiB; 2 unless said. */
  readonly bodyMebibytes?: number;
}

export const route = <const R extends Route>(definition: R): R => definition;

export const ofId = z.object({ id: queryInteger });
export const ofWorkflow = z.object({ workflow_id: queryInteger, ...paging });
export const message = z.object({ message: z.string() });
export const ofOneWorkflow = z.object({ workflow_id: queryInteger });
export const deletedCount = z.object({ count: z.int() });
export const BULK_MEBIBYTES = 200;
