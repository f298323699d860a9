import * as z from 'zod';
import { ApiEvent, AuditLogEntry, SqlReply, SqlRequest, Traffic } from '../admin.ts';
import { integer, page, queryFlag, queryInteger } from '../shape.ts';
import { type Route, route } from './route.ts';

/** Routes for administrators of the server. */
export const adminRoutes = {
  reloadAuth: route('POST', '/admin/reload-auth', 'read', 'administrator', {
    says: 'Read the file of users again.',
    reply: z.object({ message: z.string(), user_count: integer }),
  }),
  runSql: route('POST', '/admin/sql', 'own', 'administrator', {
    says: 'Execute one SQL statement on the database; changes are recorded in the audit log.',
    body: SqlRequest,
    reply: SqlReply,
  }),
  listAuditLog: route('GET', '/admin/audit-log', 'read', 'administrator', {
    says: 'List the changes made by SQL, the newest first.',
    query: z.object({ limit: queryInteger.optional(), offset: queryInteger.optional() }),
    reply: page(AuditLogEntry),
  }),
  getApiStats: route('GET', '/admin/api-stats', 'read', 'administrator', {
    says: 'Count the requests of the last hour by result.',
    query: z.object({ window_seconds: queryInteger.optional(), interval_seconds: queryInteger.optional() }),
    reply: Traffic,
  }),
  streamApiEvents: route('GET', '/admin/api-events/stream', 'stream', 'administrator', {
    says: 'Stream the requests that the server answers, as Server-Sent Events.',
    query: z.object({ include_bodies: queryFlag.optional() }),
    reply: ApiEvent,
  }),
} as const satisfies Record<string, Route>;
