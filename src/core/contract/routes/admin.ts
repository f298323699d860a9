import * as z from 'zod';
import { ApiEvent, AuditLogEntry, SqlReply, SqlRequest, Traffic } from '../admin.ts';
import { integer, page, queryFlag, queryInteger } from '../shape.ts';
import { route, type Route } from './route.ts';

/** Routes for administrators of the server. */
export const adminRoutes = {
  reloadAuth: route({
    method: 'POST',
    path: '/admin/reload-auth',
    kind: 'read',
    access: 'administrator',
    says: 'Read the file of users again.',
    reply: z.object({ message: z.string(), user_count: integer }),
  }),
  runSql: route({
    method: 'POST',
    path: '/admin/sql',
    kind: 'own',
    access: 'administrator',
    says: 'Execute one SQL statement on the database; changes are recorded in the audit log.',
    body: SqlRequest,
    reply: SqlReply,
  }),
  listAuditLog: route({
    method: 'GET',
    path: '/admin/audit-log',
    kind: 'read',
    access: 'administrator',
    says: 'List the changes made by SQL, the newest first.',
    query: z.object({ limit: queryInteger.optional(), offset: queryInteger.optional() }),
    reply: page(AuditLogEntry),
  }),
  getApiStats: route({
    method: 'GET',
    path: '/admin/api-stats',
    kind: 'read',
    access: 'administrator',
    says: 'Count the requests of the last hour by result.',
    query: z.object({ window_seconds: queryInteger.optional(), interval_seconds: queryInteger.optional() }),
    reply: Traffic,
  }),
  streamApiEvents: route({
    method: 'GET',
    path: '/admin/api-events/stream',
    kind: 'stream',
    access: 'administrator',
    says: 'Stream the requests that the server answers, as Server-Sent Events.',
    query: z.object({ include_bodies: queryFlag.optional() }),
    reply: ApiEvent,
  }),
} as const satisfies Record<string, Route>;
