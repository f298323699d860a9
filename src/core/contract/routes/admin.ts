import * as z from 'zod';
import { ApiEvent, AuditLogEntry, SqlReply, SqlRequest, Traffic } from '../admin.ts';
import { page, queryFlag, queryInteger } from '../shape.ts';
import { route, type Route } from './route.ts';

/** What administrators ask of the server itself. */
export const adminRoutes = {
  reloadAuth: route({
    method: 'POST',
    path: '/admin/reload-auth',
    kind: 'read',
    access: 'administrator',
    says: 'Read the file of users anew.',
    reply: z.object({ message: z.string(), user_count: z.int() }),
  }),
  runSql: route({
    method: 'POST',
    path: '/admin/sql',
    kind: 'own',
    access: 'administrator',
    says: 'Carry out one SQL statement on the database; what it changes stands in the audit log.',
    body: SqlRequest,
    reply: SqlReply,
  }),
  listAuditLog: route({
    method: 'GET',
    path: '/admin/audit-log',
    kind: 'read',
    access: 'administrator',
    says: 'What was changed by SQL, the newest first.',
    query: z.object({ limit: queryInteger.optional(), offset: queryInteger.optional() }),
    reply: page(AuditLogEntry),
  }),
  getApiStats: route({
    method: 'GET',
    path: '/admin/api-stats',
    kind: 'read',
    access: 'administrator',
    says: 'How many requests the server answered in the last hour, and how.',
    query: z.object({ window_seconds: queryInteger.optional(), interval_seconds: queryInteger.optional() }),
    reply: Traffic,
  }),
  streamApiEvents: route({
    method: 'GET',
    path: '/admin/api-events/stream',
    kind: 'stream',
    access: 'administrator',
    says: 'The requests that the server answers, as Server-Sent Events.',
    query: z.object({ include_bodies: queryFlag.optional() }),
    reply: ApiEvent,
  }),
} as const satisfies Record<string, Route>;
